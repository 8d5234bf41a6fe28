#pragma once

#include <cstdlib>

namespace pat::measure {

/// On an emulated cluster that is slower than it says by this factor (`pat-cluster --dilate`), which
/// PAT_CLUSTER_DILATE tells the programs on it, computing is stretched by it and what was measured
/// is divided by it; 1 elsewhere.
inline double cluster_dilation() {
  const char* text = std::getenv("PAT_CLUSTER_DILATE");
  const double factor = text != nullptr ? std::atof(text) : 0.0;
  return factor > 0.0 ? factor : 1.0;
}

}  // namespace pat::measure
