#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pat::detail {

/// What a process has told of its computing phases last: what the others go by.
struct Told {
  double forecast_s = -1.0;  ///< < 0: nothing
  double half_width_s = 0.0;

  /// Whether a phase that took `observed_s` is none that was told of: it lies beyond the interval
  /// by more than that is wide and by more than `tolerated_s`.
  bool is_left_by(double observed_s, double tolerated_s) const {
    return forecast_s >= 0.0 && tolerated_s > 0.0 &&
           std::abs(observed_s - forecast_s) > std::max(2.0 * half_width_s, tolerated_s);
  }
};

/// The leader calls the rest of a lease back, in two rounds. First every process is told to look
/// out: until all have said that they do, nobody waits for anybody, and the lease goes on. Then,
/// when all answer at once, every process says from which call on it waits for another decision;
/// where all have said so the new one begins at the latest of these calls, which nobody has begun
/// and nobody will begin by the old one. No MPI here.
class Recall {
 public:
  /// Of the lease that covers calls `first` to `end` - 1.
  Recall(int ranks, std::uint32_t first, std::uint32_t end)
      : looks_out_(static_cast<std::size_t>(ranks), false),
        answered_(looks_out_),
        first_(first),
        end_(end) {}

  /// The process looks out. Returns whether all do for the first time.
  bool looks_out(int rank, std::uint32_t lease) {
    return !all_look_out() && count(rank, lease, looks_out_, looking_) && all_look_out();
  }
  /// The second round.
  bool all_look_out() const { return looking_ == looks_out_.size(); }
  /// The process waits from `call` on. A second answer, one for another lease or one that cannot
  /// be is ignored. Returns whether all have answered.
  bool answer(int rank, std::uint32_t lease, std::uint32_t call) {
    if (call > end_ || !count(rank, lease, answered_, answers_)) return false;
    from_ = std::max(from_, call);
    return answers_ == answered_.size();
  }
  /// Where the new decision begins, once all have answered.
  std::uint32_t from() const { return from_; }

 private:
  bool count(int rank, std::uint32_t lease, std::vector<bool>& known, std::size_t& sum) const {
    const auto place = static_cast<std::size_t>(rank);
    if (lease != first_ || place >= known.size() || known[place]) return false;
    known[place] = true;
    ++sum;
    return true;
  }

  std::vector<bool> looks_out_, answered_;
  std::size_t looking_ = 0, answers_ = 0;
  std::uint32_t first_, end_, from_ = 0;
};

}  // namespace pat::detail
