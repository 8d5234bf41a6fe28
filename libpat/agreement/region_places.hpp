#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "libpat/agreement/region.hpp"

namespace pat::detail {

/// The places of regions, by id from 0. They stay where they are and count who has had them, so
/// that a handle of a region that is gone is told from those of its followers. One thread at a time
/// adds, meanwhile any may look.
class RegionPlaces {
 public:
  RegionPlaces() = default;
  ~RegionPlaces();
  RegionPlaces(const RegionPlaces&) = delete;
  RegionPlaces& operator=(const RegionPlaces&) = delete;

  RegionState& add(const std::string& name);
  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  /// Null: there are not so many.
  RegionState* find(std::uint32_t id) const;

 private:
  using Place = std::unique_ptr<RegionState>;
  /// Block b holds 64 * 2^b places, so none ever moves.
  static constexpr std::uint32_t first_block = 64;
  static std::uint32_t block_of(std::uint32_t id) {
    return static_cast<std::uint32_t>(std::bit_width((id + first_block) / first_block)) - 1;
  }
  static std::uint32_t offset_of(std::uint32_t id) {
    return id + first_block - (first_block << block_of(id));
  }

  std::array<std::atomic<Place*>, 25> blocks_{};
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace pat::detail
