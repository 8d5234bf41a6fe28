#include "collectives/nonclairvoyant/theory.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/nonclairvoyant/markov.hpp"
#include "collectives/nonclairvoyant/static_tree.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "core/errors.hpp"

namespace pat::nonclairvoyant {
namespace {

const double log2_golden = std::log2(0.5 * (1.0 + std::sqrt(5.0)));

bool is_constant(const CostLaw& law) {
  return law.mean <= 0.0 || law.distribution == Distribution::constant ||
         (law.distribution == Distribution::gamma && law.cv <= 0.0);
}

/// A gamma distribution with a coefficient of variation of 1 is the exponential one.
bool is_exponential(const CostLaw& law) {
  return law.mean > 0.0 && (law.distribution == Distribution::exponential ||
                            (law.distribution == Distribution::gamma && law.cv == 1.0));
}

constexpr int most_in_tree_dyn_chain = 256;

}  // namespace

double binomial_time(int processors, double d, double c) {
  return ceil_log2(processors) * (c + d);
}

double fibonacci_time(int processors, double d, double c) {
  const int order = fibonacci_order(processors);
  return order == 0 ? 0.0 : d + (order - 1) * std::max(d, c) + c;
}

std::optional<double> fibonacci_crossing(int processors) {
  // For c < d: m (c + d) = k d + c, with m rounds and order k.
  const int m = ceil_log2(processors), k = fibonacci_order(processors);
  if (m < 2 || 2 * m <= k + 1) return std::nullopt;
  return static_cast<double>(k - m) / (m - 1);
}

Expectation tree_dyn_closed_form(int processors, double d) {
  const int half = processors / 2;
  double harmonic = 0.0, squares = 0.0;
  for (int i = 1; i < half; ++i) {
    harmonic += 1.0 / i;
    squares += 1.0 / (static_cast<double>(i) * i);
  }
  const double n = processors;
  return {d * (2.0 * harmonic + 2.0 / n), d * d * (2.0 * squares + 4.0 / (n * n))};
}

double proven_ratio(const std::string& method, int processors, double delta, double d, double c) {
  const double m = ceil_log2(processors);
  if (method == "fibonacci-stat") {
    if (c <= 0.0) return delta / log2_golden + delta / m;        // Theorem 2
    if (c == d) return delta / log2_golden + (delta + 1.0) / m;  // Theorem 5
    return delta / log2_golden + 2.0 * delta / m;                // Theorem 5
  }
  if (method != "binomial-stat" && method != "tree-dyn")
    throw Error(ErrorKind::argument, "seed 002 proves nothing of '" + method +
                                         "', give binomial-stat, fibonacci-stat or tree-dyn");
  if (c <= 0.0) return delta;  // Theorem 1
  if (c == d)                  // Theorem 4
    return (delta + 1.0) * (1.0 + 1.0 / std::log2(processors)) * log2_golden;
  return delta + 1.0;  // Theorem 3
}

std::optional<Expectation> expectation(const std::string& method, int processors,
                                       const CostLaw& communication, const CostLaw& computation) {
  const double d = communication.mean, c = computation.mean;
  if (is_constant(communication) && is_constant(computation)) {
    if (method == "binomial-stat") return Expectation{binomial_time(processors, d, c), 0.0};
    if (method == "fibonacci-stat") return Expectation{fibonacci_time(processors, d, c), 0.0};
    return std::nullopt;
  }
  if (!is_exponential(communication) || (c > 0.0 && !is_exponential(computation)))
    return std::nullopt;
  if (method == "tree-dyn" && processors <= most_in_tree_dyn_chain)
    return tree_dyn_chain(processors, d, c);
  if (method == "non-commut-tree-dyn" && processors <= most_in_non_commut_chain)
    return non_commut_chain(processors, d, c);
  return std::nullopt;
}

}  // namespace pat::nonclairvoyant
