#include "measure/delays.hpp"

#include <algorithm>
#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_real_distribution.hpp>
#include <cstdlib>
#include <functional>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"

namespace pat::measure {
namespace {

using Generator = boost::random::mt19937_64;

class FixedDelays final : public Delays {
 public:
  explicit FixedDelays(std::vector<double> delay_s) : delay_s_(std::move(delay_s)) {}
  std::vector<double> at(std::uint64_t) const override { return delay_s_; }

 private:
  std::vector<double> delay_s_;
};

class RandomDelays final : public Delays {
 public:
  using Draw = std::function<double(Generator&)>;
  RandomDelays(DelaysFor purpose, Draw draw) : purpose_(purpose), draw_(std::move(draw)) {}
  std::vector<double> at(std::uint64_t iteration) const override {
    boost::random::seed_seq seed{purpose_.seed, purpose_.seed >> 32, iteration, iteration >> 32};
    Generator generator(seed);
    std::vector<double> delay_s(static_cast<std::size_t>(purpose_.ranks));
    for (double& delay : delay_s) delay = std::max(0.0, draw_(generator));
    return delay_s;
  }

 private:
  DelaysFor purpose_;
  Draw draw_;
};

class TraceDelays final : public Delays {
 public:
  explicit TraceDelays(Trace trace) : trace_(std::move(trace)) {}
  /// Arrivals count from the earliest of the iteration: what all share is no delay.
  std::vector<double> at(std::uint64_t iteration) const override {
    const auto row =
        trace_.row(static_cast<int>(iteration % static_cast<std::uint64_t>(trace_.iterations())));
    std::vector<double> delay_s(row.begin(), row.end());
    const double first = *std::min_element(delay_s.begin(), delay_s.end());
    for (double& delay : delay_s) delay -= first;
    return delay_s;
  }

 private:
  Trace trace_;
};

double parse_number(const std::string& text, const std::string& meaning, double above,
                    double up_to) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number > above && number <= up_to))
    throw Error(ErrorKind::argument, "'" + text + "' is not " + meaning + ".");
  return number;
}

int parse_rank(const std::string& text, int ranks) {
  char* end = nullptr;
  const long rank = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || rank < -ranks || rank >= ranks)
    throw Error(ErrorKind::argument, "'" + text + "' is not a rank: there are ranks 0 to " +
                                         std::to_string(ranks - 1) + " (-1 is the last).");
  return static_cast<int>(rank < 0 ? rank + ranks : rank);
}

std::unique_ptr<Delays> trace_delays(const std::string& path, int ranks) {
  Trace trace = read_trace(path);
  if (trace.ranks != ranks)
    throw Error(ErrorKind::argument, "The trace '" + path + "' has " + std::to_string(trace.ranks) +
                                         " ranks, this run has " + std::to_string(ranks) + ".");
  if (trace.iterations() == 0)
    throw Error(ErrorKind::argument, "The trace '" + path + "' has no iterations.");
  return std::make_unique<TraceDelays>(std::move(trace));
}

void require_parts(const std::vector<std::string>& parts, std::size_t count, const char* form) {
  if (parts.size() != count)
    throw Error(ErrorKind::argument, "The pattern '" + parts[0] + "' is written as " + form + ".");
}

}  // namespace

std::unique_ptr<Delays> make_delays(const std::string& description, const DelaysFor& purpose) {
  const auto ranks = static_cast<std::size_t>(purpose.ranks);
  const auto parts = split(description, ':');
  const std::string& kind = parts[0];
  std::vector<double> fixed(ranks, 0.0);
  const auto random = [&](RandomDelays::Draw draw) {
    return std::make_unique<RandomDelays>(purpose, std::move(draw));
  };

  if (kind == "none") {
    require_parts(parts, 1, "none");
  } else if (kind == "single") {
    require_parts(parts, 3, "single:rank:delay");
    fixed[static_cast<std::size_t>(parse_rank(parts[1], purpose.ranks))] = seconds_of(parts[2]);
  } else if (kind == "late-root") {
    require_parts(parts, 2, "late-root:delay");
    fixed[static_cast<std::size_t>(purpose.root)] = seconds_of(parts[1]);
  } else if (kind == "alternating") {
    require_parts(parts, 3, "alternating:even:odd");
    for (std::size_t rank = 0; rank < ranks; ++rank) fixed[rank] = seconds_of(parts[1 + rank % 2]);
    if (ranks == 1) seconds_of(parts[2]);
  } else if (kind == "uniform") {
    require_parts(parts, 2, "uniform:max");
    const double max = seconds_of(parts[1]);
    return random([max](Generator& g) {
      return max * boost::random::uniform_real_distribution<>(0.0, 1.0)(g);
    });
  } else if (kind == "normal") {
    require_parts(parts, 3, "normal:mean:sd");
    const double mean = seconds_of(parts[1]), sd = seconds_of(parts[2]);
    return random(
        [mean, sd](Generator& g) { return mean + sd * boost::random::normal_distribution<>()(g); });
  } else if (kind == "gamma") {
    require_parts(parts, 3, "gamma:shape:scale");
    const double shape = parse_number(parts[1], "a shape above 0", 0.0, 1e9);
    const double scale = seconds_of(parts[2]);
    return random([shape, scale](Generator& g) {
      return scale * boost::random::gamma_distribution<>(shape, 1.0)(g);
    });
  } else if (kind == "bernoulli") {
    require_parts(parts, 3, "bernoulli:p:delay");
    const double p = parse_number(parts[1], "a probability from 0 to 1", -1e-300, 1.0);
    const double delay = seconds_of(parts[2]);
    return random([p, delay](Generator& g) {
      return boost::random::bernoulli_distribution<>(p)(g) ? delay : 0.0;
    });
  } else if (kind == "trace") {
    if (parts.size() < 2 || parts[1].empty()) require_parts({kind}, 2, "trace:FILE");
    return trace_delays(description.substr(6), purpose.ranks);
  } else {
    throw Error(ErrorKind::argument,
                "There is no pattern '" + kind +
                    "'; there are none, single, alternating, uniform, normal, gamma, bernoulli, "
                    "late-root and trace.");
  }
  return std::make_unique<FixedDelays>(std::move(fixed));
}

}  // namespace pat::measure
