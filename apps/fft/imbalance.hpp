#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pat::fft {

/// Delays that are put into the computing phases so that processes arrive at different times, as
/// the benchmark of seed 001 does (Fig. 13).
struct Imbalance {
  enum class Shape {
    none,      ///< no delay
    uniform,   ///< each process and iteration on its own, uniform in [0, delay_s)
    ramp,      ///< rank r always r / (P - 1) of delay_s
    straggler  ///< each iteration one random process by delay_s
  };
  Shape shape = Shape::none;
  double delay_s = 0.0;
};

/// "none", "uniform:5ms", "ramp:0.01s", "straggler:800us".
/// Throws Error(argument) with what is allowed; the longest delay is 10 s.
Imbalance parse_imbalance(const std::string& text);

/// As parse_imbalance reads it.
std::string to_string(const Imbalance& imbalance);

/// Delay of `rank` of `ranks` in pattern number `pattern`, seconds. Depends on the arguments alone.
double delay_s(const Imbalance& imbalance, std::uint64_t seed, std::size_t pattern, int rank,
               int ranks);

}  // namespace pat::fft
