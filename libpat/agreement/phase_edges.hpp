#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/journal.hpp"
#include "core/trace.hpp"

namespace pat::detail {

/// What edges have said of one phase, for who keeps records: the first ones, to 0.01, each share
/// once, as it was said last.
class PhaseEdges {
 public:
  void clear() { count_ = 0; }
  void add(double fraction, double time_s) {
    const auto percent = static_cast<std::uint8_t>(std::lround(100.0 * rounded_fraction(fraction)));
    std::size_t i = 0;
    while (i < count_ && edges_[i].percent != percent) ++i;
    if (i == edges_.size()) return;
    edges_[i] = {percent, static_cast<float>(std::max(0.0, time_s))};
    if (i == count_) ++count_;
  }
  std::span<const Journal::Edge> all() const { return std::span(edges_).first(count_); }

 private:
  std::array<Journal::Edge, Trace::Edge::most> edges_;
  std::size_t count_ = 0;
};

}  // namespace pat::detail
