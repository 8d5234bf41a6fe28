#pragma once

#include <string>
#include <vector>

#include "tools/predict/rows.hpp"

namespace pat::predict {

/// One sentence: what would gain most by the forecasts of the model that errs least, and how much,
/// or that nothing is to be gained, and why. By simulation, as `pat report` does (analysis/played);
/// empty where that cannot be.
std::string verdict_on(const Subject& subject, const std::vector<Row>& rows);

}  // namespace pat::predict
