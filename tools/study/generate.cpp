#include "tools/study/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::study {
namespace {

/// Seeded numbers that are the same with every compiler (the standard's distributions are not).
/// Source: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014
/// (SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Uniform in (0, 1).
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  /// Standard normal (Box and Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  double exponential() { return -std::log(uniform()); }
  bool bernoulli(double p) { return uniform() < p; }

 private:
  std::uint64_t state_;
};

/// Fills a trace rank by rank; value(rank, random) is called for the iterations in order.
template <class StartRank>
Trace by_rank(const GeneratorOptions& o, StartRank start) {
  Trace trace;
  trace.ranks = o.ranks;
  const auto ranks = static_cast<std::size_t>(o.ranks);
  trace.arrival_s.resize(ranks * static_cast<std::size_t>(o.iterations));
  for (int rank = 0; rank < o.ranks; ++rank) {
    Random random(o.seed * 1000003u + static_cast<std::uint64_t>(rank));
    auto next = start(rank, random);
    for (int i = 0; i < o.iterations; ++i) {
      const double value_s = std::max(0.0, next(i));
      trace.arrival_s[static_cast<std::size_t>(i) * ranks + static_cast<std::size_t>(rank)] =
          std::round(value_s * 1e9) * 1e-9;
    }
  }
  return trace;
}

/// Each rank has its own place, drawn once, and is moved by noise in every iteration; both come
/// from the same distribution.
template <class Draw>
Trace independent(const GeneratorOptions& o, Draw draw) {
  return by_rank(o, [&o, draw](int, Random& random) {
    const double place = draw(random);
    return [&o, &random, draw, place](int) {
      return o.base_s + o.spread_s * (place + o.noise * draw(random));
    };
  });
}

Trace flat(const GeneratorOptions& o) {
  return by_rank(o, [&o](int, Random&) { return [&o](int) { return o.base_s; }; });
}

Trace single_late(const GeneratorOptions& o) {
  return by_rank(o, [&o](int rank, Random& random) {
    const bool late = rank == o.ranks / 2;
    return [&o, &random, late](int) {
      return o.base_s + (late ? o.spread_s * (1.0 + o.noise * random.uniform()) : 0.0);
    };
  });
}

Trace alternating(const GeneratorOptions& o) {
  return by_rank(o, [&o](int rank, Random& random) {
    return [&o, &random, rank](int) {
      return o.base_s + o.spread_s * (rank % 2 + 0.1 * o.noise * random.normal());
    };
  });
}

Trace uniform(const GeneratorOptions& o) {
  return independent(o, [](Random& random) { return random.uniform(); });
}

Trace normal(const GeneratorOptions& o) {
  return independent(o, [](Random& random) { return random.normal(); });
}

Trace gamma(const GeneratorOptions& o) {  // shape 2: the sum of two exponentials
  return independent(o, [](Random& random) { return random.exponential() + random.exponential(); });
}

Trace bernoulli(const GeneratorOptions& o) {
  return by_rank(o, [&o](int, Random& random) {
    const double often = 0.3 * random.uniform();
    return [&o, &random, often](int) {
      return o.base_s +
             o.spread_s * ((random.bernoulli(often) ? 1.0 : 0.0) + 0.1 * random.normal());
    };
  });
}

Trace heavy_tail(const GeneratorOptions& o) {  // Pareto with exponent 2.5: no third moment
  return by_rank(o, [&o](int, Random& random) {
    const double place = random.uniform();
    return [&o, &random, place](int) {
      const double tail = std::pow(random.uniform(), -1.0 / 2.5) - 1.0;
      return o.base_s + o.spread_s * (place + o.noise * tail);
    };
  });
}

Trace arma_with(const GeneratorOptions& o, const std::vector<double>& ar,
                const std::vector<double>& ma) {
  return by_rank(o, [&o, ar, ma](int, Random& random) {
    const double place = random.normal();
    std::vector<double> past(std::max<std::size_t>(1, ar.size()), 0.0);
    std::vector<double> shocks(std::max<std::size_t>(1, ma.size()), 0.0);
    const auto step = [=, &random]() mutable {
      const double shock = random.normal();
      double value = shock;
      for (std::size_t i = 0; i < ar.size(); ++i) value += ar[i] * past[i];
      for (std::size_t j = 0; j < ma.size(); ++j) value += ma[j] * shocks[j];
      std::rotate(past.rbegin(), past.rbegin() + 1, past.rend());
      std::rotate(shocks.rbegin(), shocks.rbegin() + 1, shocks.rend());
      past[0] = value;
      shocks[0] = shock;
      return value;
    };
    auto process = step;
    for (int warm = 0; warm < 300; ++warm) process();
    return [&o, place, process](int) mutable {
      return o.base_s + o.spread_s * (place + o.noise * process());
    };
  });
}

Trace ar(const GeneratorOptions& o) {
  return arma_with(o, o.ar, {});
}
Trace arma(const GeneratorOptions& o) {
  return arma_with(o, o.ar, o.ma.empty() ? std::vector<double>{0.4} : o.ma);
}

Trace random_walk(const GeneratorOptions& o) {
  return by_rank(o, [&o](int, Random& random) {
    double level = 2.0 + random.normal();
    return [&o, &random, level](int) mutable {
      level = std::abs(level + o.noise * random.normal());
      return o.base_s + o.spread_s * level;
    };
  });
}

/// All ranks enter another phase at the same iterations, each with a new place of its own.
Trace regimes(const GeneratorOptions& o) {
  std::vector<int> phase_of(static_cast<std::size_t>(o.iterations));
  Random random(o.seed);
  int phase = 0, length = 0;
  for (int& p : phase_of) {
    if (++length > o.phase / 2 && random.bernoulli(2.0 / o.phase)) {
      ++phase;
      length = 0;
    }
    p = phase;
  }
  return by_rank(o, [&o, phase_of](int, Random& own) {
    return [&o, &own, phase_of, place = 3.0 * own.normal(), now = 0](int i) mutable {
      if (const int next = phase_of[static_cast<std::size_t>(i)]; next != now) {
        now = next;
        place = 3.0 * own.normal();
      }
      return o.base_s + o.spread_s * (place + o.noise * own.normal());
    };
  });
}

Trace periodic(const GeneratorOptions& o) {
  return by_rank(o, [&o](int, Random& random) {
    std::vector<double> shape(static_cast<std::size_t>(o.period));
    for (double& value : shape) value = random.normal();
    return [&o, &random, shape](int i) {
      return o.base_s + o.spread_s * (shape[static_cast<std::size_t>(i % o.period)] +
                                      0.5 * o.noise * random.normal());
    };
  });
}

/// Render times like those of Helsim's in-situ images (seed 004 Figs. 4 and 5): four kinds of ranks
/// that repeat every 4 ranks, each kind with a slow course of its own over the iterations, ranks of
/// a kind close to each other, noise, and 0.16 % of values between 1 and 1.6 s. The paper gives the
/// share of these and the greatest of them, not where they fall: here a node of eight ranks is slow
/// for three iterations. The noise is fixed such that with P = 64, 16 MiB, one segment and seed
/// 004's alpha, beta and gamma the moving average of five keeps the 88 % of Table 5, with the
/// registered clairvoyant and bnom (docs/prediction.md says how). base_s, spread_s and noise scale
/// them; their defaults leave them
/// as they are.
Trace helsim(const GeneratorOptions& o) {
  const GeneratorOptions defaults;
  const double base_s = 0.30 * o.base_s / defaults.base_s;
  const double scale = o.spread_s / defaults.spread_s;
  const double noise_s = 0.00092 * o.noise / defaults.noise;
  constexpr double kind_place_s[] = {0.000, 0.045, 0.020, 0.070};
  constexpr double rank_place_s = 0.010, course_step_s = 0.001, course_memory = 0.985;
  constexpr int node_ranks = 8, slow_iterations = 3;
  constexpr double slow_share = 0.0016;
  std::vector<std::vector<double>> course(
      std::size(kind_place_s), std::vector<double>(static_cast<std::size_t>(o.iterations)));
  std::vector<std::vector<double>> expected = course;  // from the iteration before
  for (std::size_t kind = 0; kind < course.size(); ++kind) {
    Random random(o.seed * 7919u + 17u * kind + 5u);
    double level_s = 3.0 * course_step_s * random.normal();
    for (std::size_t i = 0; i < course[kind].size(); ++i) {
      expected[kind][i] = course_memory * level_s;
      course[kind][i] = level_s = course_memory * level_s + course_step_s * random.normal();
    }
  }
  return by_rank(o, [=](int rank, Random& random) {
    const auto kind = static_cast<std::size_t>(rank % 4);
    const double place_s = kind_place_s[kind] + rank_place_s * random.normal();
    Random node(o.seed * 6700417u + static_cast<std::uint64_t>(rank / node_ranks));
    return [=, &random, slow = 0](int i) mutable {
      const bool seen = slow > 1;  // it was slow before and is still
      if (slow > 0)
        --slow;
      else if (noise_s > 0.0 && node.bernoulli(slow_share / slow_iterations))
        slow = slow_iterations;
      const auto at = static_cast<std::size_t>(i);
      const double usual_s =
          base_s + noise_s * random.normal() + scale * (place_s + course[kind][at]);
      const double outlier_s = 1.0 + 0.6 * random.uniform();
      if (o.expected) return seen ? 1.3 : base_s + scale * (place_s + expected[kind][at]);
      return slow > 0 ? outlier_s : usual_s;
    };
  });
}

}  // namespace

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = {
      {"flat", "all ranks arrive together, always", flat},
      {"single-late", "the rank in the middle is late", single_late},
      {"alternating", "odd ranks are late", alternating},
      {"uniform", "places and noise uniform", uniform},
      {"normal", "places and noise normal", normal},
      {"gamma", "places and noise gamma with shape 2", gamma},
      {"bernoulli", "each rank is late now and then, with a probability of its own", bernoulli},
      {"heavy-tail", "noise with a Pareto tail (exponent 2.5)", heavy_tail},
      {"ar", "autoregressive noise, coefficients --ar", ar},
      {"arma", "ARMA noise, coefficients --ar and --ma", arma},
      {"random-walk", "each rank wanders", random_walk, false},
      {"regimes", "all ranks change places at once, about every --phase iterations", regimes,
       false},
      {"periodic", "each rank repeats a shape of --period iterations", periodic},
      {"helsim", "render times like those of seed 004 Figs. 4 and 5", helsim, false},
  };
  return table;
}

Trace generate(std::string_view name, const GeneratorOptions& options) {
  if (options.ranks < 1 || options.ranks > (1 << 20) || options.iterations < 1 ||
      options.iterations > (1 << 24))
    throw Error(ErrorKind::argument,
                "a trace needs 1 to 1048576 ranks and 1 to 16777216 iterations");
  for (const double value : {options.base_s, options.spread_s, options.noise})
    if (!(value >= 0.0 && value < 1e6))
      throw Error(ErrorKind::argument, "base, spread and noise must lie between 0 and 1e6");
  if (options.period < 1 || options.phase < 1)
    throw Error(ErrorKind::argument, "period and phase must be at least 1 iteration");
  if (options.expected && name != "helsim")
    throw Error(ErrorKind::argument, "only the generator helsim tells what is expected");
  double weight = 0.0;
  for (const double coefficient : options.ar) weight += std::abs(coefficient);
  if (!(weight < 1.9) || options.ar.size() > 16 || options.ma.size() > 16)
    throw Error(ErrorKind::argument,
                "the autoregressive coefficients must make a stationary process, such as 0.8");
  for (const Generator& generator : generators()) {
    if (generator.name == name) {
      Trace trace = generator.make(options);
      for (const double value : trace.arrival_s)
        if (!(value < 1e9))
          throw Error(ErrorKind::argument, "these coefficients do not make a stationary process");
      trace.region = "generated";
      trace.clock = "none, times are computed";
      return trace;
    }
  }
  throw Error(ErrorKind::argument, "there is no generator named '" + std::string(name) +
                                       "', choose one of " +
                                       join(generators(), ", ", &Generator::name));
}

}  // namespace pat::study
