#pragma once

#include <string>
#include <vector>

#include "core/trace.hpp"
#include "tools/predict/options.hpp"
#include "tools/study/gain.hpp"

namespace pat::predict {

/// What is studied: a trace, or one place of it.
struct Subject {
  std::string name;
  Trace trace;
  study::GainOptions gain;  ///< what is simulated of it
};

/// What a picture of it is called: the name, and the region where the name does not hold it.
std::string title_of(const Subject& subject);

/// The traces that are asked for, each place of one apart. Places with too few iterations, without
/// a computing phase or of an operation that cannot be studied are left out, and said on standard
/// error. Throws Error(argument) if
/// nothing of a trace is left or its simulation makes no sense, Error(io) for a file.
std::vector<Subject> subjects_of(const Options& options);

}  // namespace pat::predict
