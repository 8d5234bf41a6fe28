#pragma once

#include <vector>

#include "tools/predict/rows.hpp"

namespace pat::predict {

/// Each subject's tables with what their columns are, to standard output.
void print_table(const Options& options, const std::vector<Subject>& subjects,
                 const std::vector<Row>& rows);
/// One line a row, to standard output.
void print_csv(const Options& options, const std::vector<Row>& rows);
/// One object a row, to standard output.
void print_json(const Options& options, const std::vector<Row>& rows);

}  // namespace pat::predict
