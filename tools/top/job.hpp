#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/live_state.hpp"

namespace pat {

/// One rank of a running job, as it is shown.
struct RankView {
  int rank = 0;
  std::int64_t pid = 0;            ///< 0: not known, on another machine
  bool here = false;               ///< on this machine
  std::optional<LiveState> state;  ///< nothing: it does not answer, or nobody could ask it
  bool silent = false;             ///< it was asked and does not answer
  std::optional<double> late_s;    ///< after the first, mean of the calls; of others as foretold
  std::optional<double> half_width_s;  ///< of a foretold one
  /// Of the time that the calls span: waiting for who was late, and the rest of the time in calls.
  double skew_share = 0.0, transfer_share = 0.0;
};

/// A job at one moment.
struct JobView {
  std::string job, host;
  int ranks = 0;
  std::size_t calls = 0;  ///< that all ranks which make them, and answer, have told of
  double span_s = 0.0;    ///< from the first arrival at these to the last exit
  std::vector<RankView> rank;
  std::vector<LiveState::Decided> decided;  ///< the latest first
};

/// A rank and what it answered; nothing: it did not.
struct RankAnswer {
  int rank = 0;
  std::int64_t pid = 0;
  bool here = true;  ///< false: of another machine, told of by rank 0
  std::optional<LiveState> state;
};

/// In the order of ranks. At least one has a state, else nothing is known.
std::optional<JobView> view_of(const std::string& job, const std::vector<RankAnswer>& answers);

/// Asks the processes of a job of this user on this machine, and rank 0, where it is here, for
/// those on others; of the only job, if `job` is empty. Nothing: no process answers. Throws
/// Error(argument) that names the jobs if there are several, Error(io) if there is none. What
/// processes left that are gone is removed.
std::optional<JobView> look_at(const std::string& job);

}  // namespace pat
