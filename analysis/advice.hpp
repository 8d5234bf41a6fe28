#pragma once

#include <nlohmann/json.hpp>

namespace pat {

/// What would help, most seconds first: {"kind", "saved_s", "sentence"} each; kinds are balance,
/// rank, algorithm, edge and predictor. `findings` needs all other keys of findings_of(). What
/// saves less than 1 % of the elapsed time, or of the wall time where that is known, or less than 1
/// ms is not worth a line. `reproducible`: PAT_REPRODUCIBLE keeps reductions from algorithms that
/// follow the arrivals.
nlohmann::ordered_json advice_of(const nlohmann::ordered_json& findings, bool reproducible);

}  // namespace pat
