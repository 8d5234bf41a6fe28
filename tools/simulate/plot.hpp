#pragma once

#include <string>

#include "tools/simulate/rows.hpp"

namespace pat::simulation {

/// Throws Error(argument) for a picture of this plan that cannot be drawn, Error(io) for a file
/// that cannot be written. To call before the work.
void check_picture(const Plan& plan, const std::string& path);

/// Over one list of numbers (cv, ratio or processors): the mean of each method, with ribbons from
/// the 10 % to the 90 % quantile (seed 002, Fig. 4). Over cv and ratio: with two methods the
/// first's mean over the second's (Fig. 5), else which method is the best (Fig. 6). Throws
/// Error(io) if gnuplot or the file fails.
void draw(const Plan& plan, const Rows& rows, const std::string& path);

}  // namespace pat::simulation
