#include "collectives/allreduce/circle.hpp"

namespace pat::allreduce {

/// Those of the places `first` to `last` - 1 further on, around the end of the vector in two runs.
std::vector<Parts> Circle::shares(int first, int last) const {
  const int begin = place_ + first, end = place_ + last;
  if (begin >= count_) return {{bounds_[begin - count_], bounds_[end - count_]}};
  if (end <= count_) return {{bounds_[begin], bounds_[end]}};
  return {{bounds_[begin], bounds_[count_]}, {0, bounds_[end - count_]}};
}

void Circle::reduce_scatter() {
  for (int level = levels_ - 1; level >= 0; --level) {
    const int skip = skips_[level], reach = skips_[level + 1];
    const auto round = static_cast<std::uint32_t>(levels_ - 1 - level);
    for (const Parts& part : shares(skip, reach)) vector_.send(rank_at(skip), part, round);
    vector_.combine(rank_at(-skip), shares(0, reach - skip), Side::either, round);
    // Of an odd number the middle share has met nothing yet; it leaves with others that have.
    if (reach == count_ && count_ % 2 == 1)
      for (const Parts& part : shares(skip - 1, skip)) vector_.take_in(part);
  }
}

void Circle::allgather() {
  for (int level = 0; level < levels_; ++level) {
    const int skip = skips_[level], reach = skips_[level + 1];
    const auto round = static_cast<std::uint32_t>(levels_ + level);
    for (const Parts& part : shares(0, reach - skip)) vector_.send(rank_at(-skip), part, round);
    for (const Parts& part : shares(skip, reach)) vector_.receive(rank_at(skip), part, round);
  }
}

}  // namespace pat::allreduce
