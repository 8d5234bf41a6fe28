#pragma once

namespace pat::link_defaults {

// The network that is assumed where nothing was measured or set: Gigabit Ethernet (Proficz 2020
// Section 5), and combining at 5 GB/s.
inline constexpr double alpha_s = 25e-6;            ///< start-up time of a message
inline constexpr double beta_s_per_byte = 8e-9;     ///< transfer time
inline constexpr double gamma_s_per_byte = 0.2e-9;  ///< time to combine

}  // namespace pat::link_defaults
