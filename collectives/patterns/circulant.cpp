#include "collectives/patterns/circulant.hpp"

#include <algorithm>

namespace pat {
namespace {

/// Which of the first q blocks of place 0 comes to a place first: the smallest skip in its
/// canonical sum of skips; q for place 0.
int base_block(int place, const std::vector<int>& skips) {
  const int levels = static_cast<int>(skips.size()) - 1;
  for (int k = levels - 1; k >= 0; --k) {
    if (skips[k] == place) return k;
    if (skips[k] < place) place -= skips[k];
  }
  return levels;
}

/// Finds by a depth-first walk over canonical sums of skips, for each round of a phase, the base
/// block of the farthest place behind that can have passed it on and that no earlier round has
/// brought.
class Receives {
 public:
  Receives(int place, const std::vector<int>& skips)
      : skips_(skips),
        levels_(static_cast<int>(skips.size()) - 1),
        target_(skips.back() + place),
        found_before_(2 * skips.back()),
        base_(base_block(place, skips)),
        free_(skips.size()) {
    for (int level = 0; level <= levels_; ++level) free_[level] = {level - 1, level + 1};
    use(base_);
    blocks_.reserve(skips.size());
    walk(0, free_[levels_].used ? next_free(levels_) : levels_);
  }

  int steps() const { return steps_; }

  /// Per round of the first phase; below 0: it belongs to the phase before.
  std::vector<int> take() {
    for (int& block : blocks_) block = block == levels_ ? base_ : block - levels_;
    return std::move(blocks_);
  }

 private:
  int round() const { return static_cast<int>(blocks_.size()); }
  int next_free(int level) {
    do {
      level = free_[level].below;
      ++steps_;
    } while (level >= 0 && free_[level].used);
    return level;
  }
  void use(int level) {
    Block& block = free_[level];
    block.used = true;
    if (block.below >= 0) free_[block.below].above = block.above;
    if (block.above <= levels_) free_[block.above].below = block.below;
  }

  void walk(int from, int level) {
    for (; level >= 0; level = next_free(level)) {
      ++steps_;
      if (round() == levels_) return;
      const int here = from + skips_[level];
      if (here > target_ - skips_[round()] || here >= found_before_) continue;
      if (here <= target_ - skips_[round() + 1]) walk(here, level);
      if (round() == levels_ || from > target_ - skips_[round() + 1]) return;
      found_before_ = here;
      blocks_.push_back(level);
      use(level);
    }
  }

  const std::vector<int>& skips_;
  const int levels_, target_;
  int found_before_;
  const int base_;
  /// In a list of those that no round has brought yet; one that is used knows who was below it.
  struct Block {
    int below = -1, above = 0;
    bool used = false;
  };
  std::vector<Block> free_;
  std::vector<int> blocks_;
  int steps_ = 0;
};

}  // namespace

std::vector<int> circulant_skips(int places) {
  std::vector<int> skips = {places};
  while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
  std::reverse(skips.begin(), skips.end());
  return skips;
}

int circulant_steps(int places, int place) {
  return Receives(place, circulant_skips(places)).steps();
}

CirculantBroadcast::CirculantBroadcast(int places, int blocks)
    : places_(places),
      blocks_(blocks),
      skips_(circulant_skips(places)),
      levels_(static_cast<int>(skips_.size()) - 1),
      late_start_(levels_ == 0 ? 0 : (levels_ - (blocks - 1 + levels_) % levels_) % levels_) {}

std::vector<int> CirculantBroadcast::received_by(int place) const {
  std::vector<int> received(static_cast<std::size_t>(rounds()), -1);
  if (place == 0) return received;
  const std::vector<int> phase = Receives(place, skips_).take();
  for (int round = 0; round < rounds(); ++round) {
    const int turn = round + late_start_;
    const int block = phase[turn % levels_] + turn / levels_ * levels_ - late_start_;
    if (block >= 0) received[round] = std::min(block, blocks_ - 1);
  }
  return received;
}

}  // namespace pat
