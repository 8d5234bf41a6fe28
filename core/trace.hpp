#pragma once

#include <cstddef>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pat {

/// How the place of computing phases begins after which no call of PAT's came.
inline constexpr std::string_view no_call = "no call of PAT's";

/// The recorded arrivals of all ranks over many iterations. Times in seconds; an arrival counts
/// from the iteration's first start of computing. Rows are iterations, columns are ranks.
struct Trace {
  /// A covariate that the program gave: PAT_Hint.
  struct Hint {
    std::string name;
    std::vector<double> value;  ///< iterations x ranks; NaN where it was not given
  };

  /// How far the program said that it was: PAT_Edge.
  struct Edge {
    static constexpr std::size_t most = 8;  ///< of a trace
    double fraction = 0.0;                  ///< of the phase, to 0.01
    /// Computing time until then, from the phase's start; iterations x ranks, NaN where it did not
    /// say so.
    std::vector<double> time_s;
  };

  int ranks = 0;
  std::string region;                ///< what was recorded; may be empty
  std::string clock;                 ///< which clock, how synchronised; may be empty
  std::string origin;                ///< how the trace was made; may be empty
  std::vector<std::string> remarks;  ///< further comment lines, without the '#'
  std::vector<double> arrival_s;     ///< iterations x ranks
  std::vector<double> computing_s;   ///< iterations x ranks, or empty when not recorded
  std::vector<Hint> hints;
  std::vector<Edge> edges;
  std::vector<std::string> places;  ///< names of the program's places, if there are several
  std::vector<int> place;           ///< of each iteration, which of `places`; or empty
  /// The first start of computing of each iteration, after that of the first; or empty.
  std::vector<double> start_s;
  std::vector<double> left_s;           ///< when the call was left, as arrival_s; or empty
  std::vector<std::string> algorithms;  ///< names of what calls were done with
  std::vector<int>
      algorithm;         ///< of each iteration, which of `algorithms`, -1: not known; or empty
  bool complete = true;  ///< false: the program ended without closing its trace

  int iterations() const {
    return ranks > 0 ? static_cast<int>(arrival_s.size() / static_cast<std::size_t>(ranks)) : 0;
  }
  /// Where the iteration was recorded.
  const std::string& place_name(int iteration) const {
    if (place.empty()) return region;
    return places[static_cast<std::size_t>(place[static_cast<std::size_t>(iteration)])];
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

/// As edges of traces count: 0.01 to 0.99.
double rounded_fraction(double fraction);

/// Reads the text format that docs/prediction.md describes. `name` is how errors call the source.
/// Throws Error(io) with the line number and what is wrong there. An open trace (its program ended
/// without closing it) is read up to its last whole line and marked as not complete.
Trace parse_trace(std::istream& input, const std::string& name);
/// As parse_trace, for a file. Throws Error(io) if it cannot be opened.
Trace read_trace(const std::string& path);

/// Writes the whole trace, times to the nanosecond; the file appears under `path` only when it is
/// complete, an older one stays until then. Throws Error(io) if it cannot be written or `path` is
/// no regular file, Error(argument) for a trace of uneven blocks or with values that are no times.
void write_trace(const Trace& trace, const std::string& path);

/// The iterations of one place, as a trace of its own whose region is the place's name.
Trace at_place(const Trace& trace, int place);
/// Of values for the trace's iterations x ranks those of one place's iterations; none of none. All
/// where the trace has no places.
std::vector<double> rows_at_place(const Trace& trace, int place, std::span<const double> values);
/// One trace a place, in the order of `places`; the trace itself if it has none.
std::vector<Trace> by_place(const Trace& trace);

}  // namespace pat
