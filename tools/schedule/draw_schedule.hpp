#pragma once

#include <string>
#include <vector>

namespace pat::schedule {

/// A schedule as lines between the time lines of the processes.
struct Drawing {
  struct Arrow {
    int sender, receiver;
    double begin, end;  ///< on the horizontal axis
    int segment;        ///< -1: the algorithm has none
    bool copies;        ///< drawn dashed
  };
  int ranks = 0;
  std::string axis;             ///< label of the horizontal axis
  std::string note;             ///< what else a reader should know
  std::vector<double> arrival;  ///< per rank, on the horizontal axis
  std::vector<Arrow> arrows;
};

/// Draws through gnuplot into `path`, which must end in .svg or .png; `size` is "900x500", pixels
/// from 200 to 10000. Throws Error(argument) for a wrong name or size, Error(io) if gnuplot is
/// missing or fails; then there is no file.
void draw_schedule(const Drawing& drawing, const std::string& path, const std::string& size);

}  // namespace pat::schedule
