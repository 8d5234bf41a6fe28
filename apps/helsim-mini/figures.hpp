#pragma once

#include <string>
#include <vector>

#include "core/trace.hpp"

namespace helsim {

/// Writes the data and the gnuplot scripts of the pictures that seed 004 draws of its render times:
/// render-times.csv, distribution.gp (Fig. 4), sequences.gp (Fig. 5: four ranks and the moving
/// average of five steps), autocorrelation.csv and autocorrelation.gp (Appendix B). Returns the
/// scripts; `gnuplot SCRIPT` in `directory` makes a PNG of the same name. Throws pat::Error(io).
std::vector<std::string> write_figures(const pat::Trace& trace, const std::string& directory);

/// Four ranks that stand for the rest: the first of each quarter of the ranks by mean time.
std::vector<int> typical_ranks(const pat::Trace& trace);

}  // namespace helsim
