#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/clairvoyant/instance.hpp"

namespace pat::clairvoyant {

/// Arrival patterns of Proficz, Ocetkiewicz 2020 Section 5.7. uniform: in [0, P + 0.1], any root;
/// skewed: all at 0 but the last rank at N, root 0; balanced: all at 0, root 0.
enum class Arrivals { uniform, skewed, balanced };
std::string_view name(Arrivals arrivals);

/// Seeded instances for benchmarks; the round time is uniform in [0.001, 1].
struct Workload {
  Arrivals kind = Arrivals::uniform;
  int ranks = 1;
  int segments = 1;
  Order order = Order::paper;
  std::uint64_t seed = 1;

  std::vector<Instance> instances(int count) const;
  /// Arrival times of the first instance.
  std::vector<double> arrivals() const;
};

}  // namespace pat::clairvoyant
