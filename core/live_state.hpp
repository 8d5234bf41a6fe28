#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pat {

/// What one process of a running job tells `pat top`, and those who wait for it, of itself, at one
/// moment: plain data, and the one place that knows how it is written (JSON in one line). Times in
/// nanoseconds are on the job's common clock, so that those of different processes can be compared.
struct LiveState {
  /// The latest computing phase that lasts.
  struct Phase {
    std::string region;  ///< empty: none, the time since the latest call of a program without
    bool paused = false;
    std::optional<std::int64_t> start_ns;  ///< nothing: it has not been looked at yet
    std::optional<double> fraction;        ///< what the latest edge said is done
    std::optional<double> lasts_s;         ///< predicted, from its start to the next call
    std::optional<double> half_width_s;    ///< half the 90 % interval of that
    std::optional<double> longest_s = {};  ///< as lasts_s, if it is as long as any of late was
    std::int32_t thread = 0;               ///< that began it, as the kernel counts; 0: not known
    std::string seen_at =
        {};  ///< "solver.c:81 (iterate)", when it lasted too long; empty: not known
    std::uint32_t before = 1000;  ///< so many of the region were over when it began, or more
  };
  /// Which communicator, the same on all its processes: rank 0's number for it and a hash of the
  /// ranks; and which of the calls that wait on it.
  struct Place {
    std::uint32_t communicator = 0;
    std::uint64_t group = 0;
    std::uint32_t number = 0;
  };
  /// The collective in which a thread of the process is.
  struct Present {
    std::string function;
    std::int64_t since_ns = 0;
    std::string what = {};            ///< "reduce, root 0, 64 bytes, MPI_SUM"; empty: not known
    std::string site = {};            ///< "solver.c:81"; empty: not known
    std::optional<Place> place = {};  ///< nothing: of a request, or the communicator is new
    std::vector<int> ranks = {};      ///< those that make the call; empty: all
  };
  /// The collective that the process left last.
  struct Left {
    std::string function, site;
    std::int64_t exit_ns = 0;
  };
  /// Calls on one communicator that are over, alike and one after another; the latest may have been
  /// long ago. So that those who wait see who made another one.
  struct Made {
    Place first;
    std::uint32_t last = 0;            ///< its number
    std::string function, what, site;  ///< as in Present
  };
  /// A call that is over. Communicator and group (a hash of the ranks) name the communicator on
  /// all its processes, and `number` the call on it.
  struct Past {
    std::uint32_t communicator = 0;
    std::uint64_t group = 0;
    std::uint32_t number = 0;
    std::string what, algorithm;
    std::int64_t arrival_ns = 0, exit_ns = 0;
  };
  /// What this process, as the leader, decided last of a series of calls.
  struct Decided {
    std::string what, algorithm, reason;
    std::uint64_t calls = 0;
    std::int64_t exit_ns = 0;  ///< of the latest of these calls; 0: unknown
  };
  /// When the ranks of a call that this process leads were last foretold to come.
  struct Foretold {
    std::string what;
    std::vector<int> ranks;                           ///< in the session
    std::vector<double> offset_s;                     ///< from the earliest
    std::vector<std::optional<double>> half_width_s;  ///< nothing: nothing is known of this rank
  };

  std::string job, host;
  int rank = 0, ranks = 1;
  std::int64_t pid = 0;
  std::int64_t now_ns = 0;
  double wall_s = 0.0, in_call_s = 0.0;  ///< since PAT_Init
  std::uint64_t calls = 0;               ///< since PAT_Init
  /// Said by rank 0 of a process elsewhere: for how long it has not answered. Nothing else is
  /// known.
  std::optional<double> silent_s;
  std::optional<Phase> phase;
  std::optional<Present> present;
  std::string waits_in;  ///< an MPI function that is no collective, such as MPI_Recv; empty: none
  std::int64_t waits_since_ns = 0;  ///< for a message; 0: not known
  std::optional<Left> left;
  std::vector<Place> entered;  ///< the latest call on each communicator
  bool all_entered = true;     ///< false: there was no room for `entered`
  std::vector<Made> made;      ///< the latest ones, where the watchdog counts calls; oldest first
  std::vector<Past> past;      ///< the latest ones, oldest first
  std::vector<Decided> decided;
  std::vector<Foretold> foretold;
};

/// No state is longer; whoever reads one stops here.
inline constexpr std::size_t longest_live_text = std::size_t{1} << 20;
/// Nor are those of many, a line each.
inline constexpr std::size_t longest_text_of_others = std::size_t{1} << 26;

/// Ends with the end of its line, and has no other.
std::string text_of(const LiveState& state);

/// At most `most` characters: without decisions and forecasts, and where there is no room without
/// calls that are over, the oldest first, then without `entered` and `made`. Empty: it has no room.
std::string text_of(LiveState state, std::size_t most);

/// Throws Error(io) for what is no such text.
LiveState read_live_state(const std::string& text);

}  // namespace pat
