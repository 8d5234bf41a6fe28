#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace.hpp"

namespace pat {

/// What one process leaves behind of its calls and computing phases, as lines of JSON: trace and
/// report are made from the journals of all processes, see JournalJoin. It only ever grows, so
/// that a file of it is whole up to its last line, whenever the process ends. Recording (line,
/// next, place, add) is for one thread at a time and costs no more than noting numbers; they become
/// text in whatever thread asks for it.
class Journal {
 public:
  /// How far the program said that it was, and the computing time until then.
  struct Edge {
    std::uint8_t percent = 0;
    float time_s = 0.0F;
  };
  /// One call or phase, times on a clock that all processes share.
  struct Entry {
    std::int64_t start_ns = 0, arrival_ns = 0;
    double computing_s = 0.0;
    std::vector<std::pair<std::string, double>> hints;
    std::int64_t left_ns = 0;          ///< when the call was left; 0: as soon as it was called
    std::string_view algorithm = {};   ///< what it was done with; empty: not known
    std::span<const Edge> edges = {};  ///< each share once
  };
  /// Of which processes a row of the trace needs an entry.
  enum class Of : std::uint8_t { all, some };

  struct Process {
    std::int64_t session = 0;  ///< the same on all its processes, another in another session
    int rank = 0, ranks = 1;
  };
  Journal(const Process& process, std::string_view clock);

  /// Where entries are numbered, from 0 on: a communicator, or a region whose phases no call
  /// follows. The same key means the same processes, `ranks` in the session, everywhere; entries of
  /// several processes with the same number make one row. `of`: some where not all of them have
  /// any.
  std::uint32_t line(const std::string& key, const std::vector<int>& ranks, Of of);
  /// The number of the next entry on the line; one whose entry never comes makes no row.
  std::uint32_t next(std::uint32_t line) { return lines_[line]++; }
  /// What was called, after which region; the same number for the same text.
  std::uint32_t place(const std::string& name);
  /// The entry of that number, at that place.
  void add(std::uint32_t line, std::uint32_t number, std::uint32_t place, const Entry& entry);

  /// By `end_ns` on this journal's clock it had fallen behind the others' by that much since
  /// `begin_ns`: all that was recorded is to be read accordingly. Before the last write_down().
  void note_drift(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t behind_ns);

  /// Calls its argument while nobody records, or returns false.
  using Hold = std::function<bool(const std::function<void()>&)>;
  /// Makes text of all that was recorded; false if `hold` returned it. Any thread.
  bool write_down(const Hold& hold);
  /// What was written down, from that byte on. Any thread.
  std::string text(std::size_t from = 0) const;

 private:
  struct Noted {
    std::uint32_t line, number, place;
    std::int64_t start_ns, arrival_ns;
    double computing_s;
    std::int64_t left_ns;
    std::uint32_t algorithm, edges;
  };
  struct Recorded {
    std::string names;  ///< lines and places, which stand before their entries
    std::vector<Noted> entries;
    std::map<std::size_t, std::string> hints;  ///< few entries have any
    std::vector<Edge> edges;                   ///< of the entries, one after the other
  };
  void append_entry(const Noted& entry, const std::string* hints, std::span<const Edge> edges);
  std::uint32_t algorithm(std::string_view name);

  std::map<std::string, std::uint32_t> line_ids_, place_ids_;
  std::map<std::string, std::uint32_t, std::less<>> algorithm_ids_;
  std::vector<std::uint32_t> lines_;  ///< entries numbered
  Recorded recorded_;

  mutable std::mutex writing_;  ///< for what follows; taken before the recording is held
  Recorded taken_;              ///< its memory is used in turn with recorded_'s
  std::string text_;
};

/// The line of a journal that says how its process stands: any JSON text without line breaks.
std::string journal_summary(std::string_view json);

/// What the journals of the processes come to.
struct JoinedJournals {
  int ranks = 0;          ///< of the session
  bool complete = false;  ///< every process has its summary
  /// One a group of processes: all of the session first, then those with most iterations. The rows
  /// are the calls and phases of which every process has its entry, in order of their first starts.
  std::vector<Trace> traces;
  std::vector<std::vector<int>> groups;  ///< the ranks in the session of each trace
  std::vector<std::string> summaries;    ///< the latest of each process; empty where none is known
};

/// Joins the journals of one session, of all processes or of those that left one, in any order.
class JournalJoin {
 public:
  /// `name` is how errors call the source.
  explicit JournalJoin(std::string name);
  ~JournalJoin();
  /// What stands after the last whole line is left out, and a text without one. Throws Error(io)
  /// for what is no journal, and where two are of one process or of different sessions.
  void add(std::string_view text);
  JoinedJournals result() const;

 private:
  struct Process;
  class Reader;
  const std::string name_;
  std::vector<Process> processes_;
};

}  // namespace pat
