#include "measure/delays.hpp"

#include <algorithm>
#include <boost/random/bernoulli_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_real_distribution.hpp>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numbers>
#include <numeric>

#include "collectives/call_name.hpp"
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
    for (double& delay : delay_s) delay = std::clamp(draw_(generator), 0.0, longest_delay_s);
    return delay_s;
  }

 private:
  DelaysFor purpose_;
  Draw draw_;
};

class WaveDelays final : public Delays {
 public:
  WaveDelays(int ranks, double max_s, double period)
      : ranks_(ranks), max_s_(max_s), period_(period) {}
  std::vector<double> at(std::uint64_t iteration) const override {
    const double gone = std::fmod(static_cast<double>(iteration), period_) / period_;
    std::vector<double> delay_s(static_cast<std::size_t>(ranks_));
    for (int rank = 0; rank < ranks_; ++rank) {
      const double from_crest = static_cast<double>(rank) / ranks_ - gone;
      delay_s[static_cast<std::size_t>(rank)] =
          0.5 * max_s_ * (1.0 + std::cos(2.0 * std::numbers::pi * from_crest));
    }
    return delay_s;
  }

 private:
  int ranks_;
  double max_s_, period_;
};

class ChangingDelays final : public Delays {
 public:
  ChangingDelays(int ranks, std::uint64_t every, std::unique_ptr<Delays> delays)
      : none_(static_cast<std::size_t>(ranks), 0.0), every_(every), delays_(std::move(delays)) {}
  std::vector<double> at(std::uint64_t iteration) const override {
    return iteration / every_ % 2 == 0 ? none_ : delays_->at(iteration);
  }

 private:
  std::vector<double> none_;
  std::uint64_t every_;
  std::unique_ptr<Delays> delays_;
};

class TraceDelays final : public Delays {
 public:
  TraceDelays(Trace trace, std::vector<int> rows)
      : trace_(std::move(trace)), rows_(std::move(rows)) {}
  /// Arrivals count from the earliest of the iteration: what all share is no delay.
  std::vector<double> at(std::uint64_t iteration) const override {
    const auto row = trace_.row(rows_[iteration % rows_.size()]);
    std::vector<double> delay_s(row.begin(), row.end());
    const double first = *std::min_element(delay_s.begin(), delay_s.end());
    for (double& delay : delay_s) delay -= first;
    return delay_s;
  }

 private:
  Trace trace_;
  std::vector<int> rows_;
};

/// The iterations of an operation; all where the trace names none of it.
std::vector<int> rows_of(const Trace& trace, const std::optional<Operation>& operation) {
  std::vector<int> all(static_cast<std::size_t>(trace.iterations()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> rows;
  std::ranges::copy_if(all, std::back_inserter(rows), [&](int row) {
    return operation && operation_of_place(trace.place_name(row)) == operation;
  });
  return rows.empty() ? all : rows;
}

RandomDelays::Draw up_to(double max_s) {
  return [max_s](Generator& generator) {
    return max_s * boost::random::uniform_real_distribution<>(0.0, 1.0)(generator);
  };
}

double parse_number(const std::string& text, const std::string& meaning, double above,
                    double up_to) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number > above && number <= up_to))
    throw Error(ErrorKind::argument, "'" + text + "' is not " + meaning + ".");
  return number;
}

std::uint64_t parse_iterations(const std::string& text) {
  const double number = parse_number(text, "a number of iterations above 0", 0.0, 1e9);
  if (number != std::floor(number))
    throw Error(ErrorKind::argument, "'" + text + "' is not a whole number of iterations.");
  return static_cast<std::uint64_t>(number);
}

int parse_rank(const std::string& text, int ranks) {
  char* end = nullptr;
  const long rank = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || rank < -ranks || rank >= ranks)
    throw Error(ErrorKind::argument, "'" + text + "' is not a rank: there are ranks 0 to " +
                                         std::to_string(ranks - 1) + " (-1 is the last).");
  return static_cast<int>(rank < 0 ? rank + ranks : rank);
}

double delay_of(const std::string& text) {
  const double delay_s = seconds_of(text);
  if (delay_s > longest_delay_s)
    throw Error(ErrorKind::argument,
                "'" + text + "' is longer than 30 years, give a shorter time.");
  return delay_s;
}

void require_parts(const std::vector<std::string>& parts, std::size_t count, const char* form) {
  if (parts.size() != count)
    throw Error(ErrorKind::argument, "The pattern '" + parts[0] + "' is written as " + form + ".");
}

std::unique_ptr<Delays> changing_delays(const std::string& description,
                                        const std::vector<std::string>& parts,
                                        const DelaysFor& purpose) {
  if (parts.size() < 3 || parts[2] == "change")
    require_parts({parts[0]}, 3, "change:every:PATTERN");
  const std::string after = description.substr(parts[0].size() + parts[1].size() + 2);
  return std::make_unique<ChangingDelays>(purpose.ranks, parse_iterations(parts[1]),
                                          make_delays(after, purpose));
}

std::unique_ptr<Delays> trace_delays(Trace trace, int ranks, const std::string& name,
                                     const std::optional<Operation>& operation) {
  if (trace.ranks != ranks)
    throw Error(ErrorKind::argument, name + " has " + std::to_string(trace.ranks) +
                                         " ranks, this run has " + std::to_string(ranks) + ".");
  if (trace.iterations() == 0) throw Error(ErrorKind::argument, name + " has no iterations.");
  std::vector<int> rows = rows_of(trace, operation);
  return std::make_unique<TraceDelays>(std::move(trace), std::move(rows));
}

}  // namespace

std::unique_ptr<Delays> trace_delays(Trace trace, int ranks) {
  const std::string name = "The trace of '" + trace.region + "'";
  return trace_delays(std::move(trace), ranks, name, {});
}

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
    fixed[static_cast<std::size_t>(parse_rank(parts[1], purpose.ranks))] = delay_of(parts[2]);
  } else if (kind == "late-root") {
    require_parts(parts, 2, "late-root:delay");
    fixed[static_cast<std::size_t>(purpose.root)] = delay_of(parts[1]);
  } else if (kind == "alternating") {
    require_parts(parts, 3, "alternating:even:odd");
    for (std::size_t rank = 0; rank < ranks; ++rank) fixed[rank] = delay_of(parts[1 + rank % 2]);
    if (ranks == 1) delay_of(parts[2]);
  } else if (kind == "uniform") {
    require_parts(parts, 2, "uniform:max");
    return random(up_to(delay_of(parts[1])));
  } else if (kind == "fixed") {
    require_parts(parts, 2, "fixed:max");
    fixed = random(up_to(delay_of(parts[1])))->at(0);
  } else if (kind == "wave") {
    require_parts(parts, 3, "wave:max:period");
    return std::make_unique<WaveDelays>(purpose.ranks, delay_of(parts[1]),
                                        static_cast<double>(parse_iterations(parts[2])));
  } else if (kind == "change") {
    return changing_delays(description, parts, purpose);
  } else if (kind == "normal") {
    require_parts(parts, 3, "normal:mean:sd");
    const double mean = delay_of(parts[1]), sd = delay_of(parts[2]);
    return random(
        [mean, sd](Generator& g) { return mean + sd * boost::random::normal_distribution<>()(g); });
  } else if (kind == "gamma") {
    require_parts(parts, 3, "gamma:shape:scale");
    const double shape = parse_number(parts[1], "a shape above 0", 0.0, 1e9);
    const double scale = delay_of(parts[2]);
    return random([shape, scale](Generator& g) {
      return scale * boost::random::gamma_distribution<>(shape, 1.0)(g);
    });
  } else if (kind == "bernoulli") {
    require_parts(parts, 3, "bernoulli:p:delay");
    const double p = parse_number(parts[1], "a probability from 0 to 1", -1e-300, 1.0);
    const double delay = delay_of(parts[2]);
    return random([p, delay](Generator& g) {
      return boost::random::bernoulli_distribution<>(p)(g) ? delay : 0.0;
    });
  } else if (kind == "trace") {
    if (parts.size() < 2 || parts[1].empty()) require_parts({kind}, 2, "trace:FILE");
    const std::string path = description.substr(6);
    return trace_delays(read_trace(path), purpose.ranks, "The trace '" + path + "'",
                        purpose.operation);
  } else {
    throw Error(ErrorKind::argument,
                "There is no pattern '" + kind +
                    "'; there are none, single, alternating, uniform, normal, gamma, bernoulli, "
                    "late-root, fixed, wave, change and trace.");
  }
  return std::make_unique<FixedDelays>(std::move(fixed));
}

}  // namespace pat::measure
