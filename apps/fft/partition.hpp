#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace pat::fft {

/// How a transform of `points` points is shared among `processes`: its first stages split it into a
/// power-of-two number of sub-transforms, and each process finishes a run of these. The runs differ
/// by one sub-transform at most; since a gather takes the same count from every process, each has a
/// slot for the longest run.
class Partition {
 public:
  /// Both at least 1; throws Error(argument) unless `points` is a power of two and there is a point
  /// for each process.
  Partition(std::size_t points, int processes);

  int processes() const { return processes_; }
  std::size_t points() const { return points_; }
  /// Sub-transforms in all: the processes' number if that is a power of two; else about eight for
  /// each process, so that one more or less weighs little.
  std::size_t parts() const { return parts_; }
  /// Points of a sub-transform.
  std::size_t part_points() const { return points_ / parts_; }
  /// The first sub-transform of `process`; first(processes()) is parts().
  std::size_t first(int process) const;
  std::size_t count(int process) const { return first(process + 1) - first(process); }
  /// Points in the slot of each process.
  std::size_t slot_points() const { return slot_parts_ * part_points(); }
  /// Points in all slots.
  std::size_t gathered_points() const {
    return slot_points() * static_cast<std::size_t>(processes_);
  }

  /// Puts the gathered slots of all processes, which hold finished sub-transforms in bit-reversed
  /// order, into natural order: `gathered` has gathered_points() elements, `ordered` has
  /// points().
  void order(std::span<const std::complex<float>> gathered,
             std::span<std::complex<float>> ordered) const;

 private:
  std::size_t points_;
  int processes_;
  std::size_t parts_;
  std::size_t slot_parts_;
};

}  // namespace pat::fft
