#pragma once

#include <cstddef>
#include <cstdio>
#include <istream>
#include <span>
#include <string>
#include <vector>

namespace pat {

/// The recorded arrivals of all ranks over many iterations. Times in seconds; an arrival counts
/// from the iteration's first start of computing. Rows are iterations, columns are ranks.
struct Trace {
  int ranks = 0;
  std::string region;                ///< what was recorded; may be empty
  std::string clock;                 ///< which clock, how synchronised; may be empty
  std::string origin;                ///< how the trace was made; may be empty
  std::vector<std::string> remarks;  ///< further comment lines, without the '#'
  std::vector<double> arrival_s;     ///< iterations x ranks
  std::vector<double> computing_s;   ///< iterations x ranks, or empty when not recorded
  bool complete = true;              ///< false: the program ended without closing its trace

  int iterations() const {
    return ranks > 0 ? static_cast<int>(arrival_s.size() / static_cast<std::size_t>(ranks)) : 0;
  }
  double arrival(int iteration, int rank) const { return arrival_s[at(iteration, rank)]; }
  /// The computing time; the arrival where only arrivals were recorded.
  double computing(int iteration, int rank) const {
    return computing_s.empty() ? arrival(iteration, rank) : computing_s[at(iteration, rank)];
  }
  std::span<const double> row(int iteration) const {
    return std::span(arrival_s).subspan(at(iteration, 0), static_cast<std::size_t>(ranks));
  }
  /// The arrivals of one rank over the iterations.
  std::vector<double> series(int rank) const;

 private:
  std::size_t at(int iteration, int rank) const {
    return static_cast<std::size_t>(iteration) * static_cast<std::size_t>(ranks) +
           static_cast<std::size_t>(rank);
  }
};

/// Reads the text format that docs/prediction.md describes. `name` is how errors call the source.
/// Throws Error(io) with the line number and what is wrong there. An open trace (its program ended
/// without closing it) is read up to its last whole line and marked as not complete.
Trace parse_trace(std::istream& input, const std::string& name);
/// As parse_trace, for a file. Throws Error(io) if it cannot be opened.
Trace read_trace(const std::string& path);

/// Writes the whole trace; the file appears under `path` only when it is complete.
/// Throws Error(io) if it cannot be written, Error(argument) for a trace of uneven rows.
void write_trace(const Trace& trace, const std::string& path);

/// Writes a trace while it is being recorded. Rows go to `path`.part, each in one piece, so that a
/// program that dies leaves a readable file which says that it is open; close() gives it its final
/// name and number of iterations. An older file under `path` stays until then. Not thread-safe.
class TraceWriter {
 public:
  /// Uses ranks, region, clock, origin and remarks of `info`; its rows are ignored.
  /// Throws Error(io) if the file cannot be made or is no regular one, Error(argument) for fewer
  /// than one rank.
  TraceWriter(std::string path, const Trace& info, bool with_computing);
  /// Leaves the .part file if close() was not called.
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// One iteration: P arrivals and, if asked for in the constructor, P computing times, in seconds
  /// to the nanosecond. Throws Error(argument) for a wrong number of values or for one that is no
  /// time, Error(io) if the disk refuses.
  void append(std::span<const double> arrival_s, std::span<const double> computing_s = {});
  /// Publishes the file. Throws Error(io). Called once; append() is over after it.
  void close();
  int iterations() const { return iterations_; }

 private:
  std::string path_;
  Trace info_;
  bool with_computing_;
  int iterations_ = 0;
  std::FILE* arrivals_ = nullptr;
  std::FILE* computing_ = nullptr;
};

}  // namespace pat
