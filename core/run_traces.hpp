#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/journal.hpp"
#include "core/trace.hpp"

namespace pat {

/// The traces of a run, as they lie beside each other.
struct RunTraces {
  int ranks = 0;                         ///< of the session, as far as the traces name them
  std::vector<Trace> traces;             ///< one a group of processes
  std::vector<std::vector<int>> groups;  ///< the ranks in the session of each, ascending
  std::vector<std::string> missing;      ///< files that the first names and that are not there
  std::vector<std::string> unreadable;   ///< what is wrong with others of them
  std::vector<std::string> twice;        ///< which of them are of processes that another is of
};

/// A trace is of one group of processes: the first is written to `path`, run.trace, the others to
/// run-2.trace and so on, as the first says, up to 64. Returns how many had no place. Throws as
/// write_trace().
/// `write`: how each is written.
std::size_t write_traces(
    const JoinedJournals& joined, const std::string& path,
    const std::function<void(const Trace&, const std::string&)>& write = write_trace);

/// The trace in the file, and those of other processes that it names. Throws, for the first, as
/// read_trace(), and Error(io) for a list of processes that is none.
RunTraces read_traces(const std::string& path);
/// The same, of a first trace that has been read from there already: a pipe is read once.
RunTraces with_traces_beside(Trace first, const std::string& path);

/// Journals that lie beside the trace and are newer, or of which no trace was made: a sentence that
/// says how to join them. Empty: there are none.
std::string newer_journals(const std::string& path);

/// run.trace and -2 are run-2.trace.
std::string before_ending(const std::string& path, const std::string& addition);

/// The line of a trace that is not of all processes.
std::string members_remark(const std::vector<int>& ranks);

}  // namespace pat
