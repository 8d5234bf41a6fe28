// The rows as csv and json: every number with its unit in the name.

#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/predict/columns.hpp"
#include "tools/predict/report.hpp"

namespace pat::predict {
namespace {

/// Those that were asked for.
std::vector<Column> columns_of(const Options& options) {
  std::vector<Column> columns = accuracy_columns;
  if (!options.no_gain) columns.insert(columns.end(), gain_columns.begin(), gain_columns.end());
  return columns;
}

/// Text as a field of CSV.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

void print_csv(const Options& options, const std::vector<Row>& rows) {
  const std::vector<Column> columns = columns_of(options);
  std::cout << "trace,model,exchange_every,rank";
  for (const Column& column : columns) std::cout << "," << column.name;
  std::cout << (options.no_gain ? "" : ",operation,bytes,algorithm,against") << "\n"
            << std::setprecision(9);
  for (const Row& row : rows) {
    std::cout << field(row.subject->name) << "," << field(row.model) << "," << row.exchange << ","
              << (row.rank < 0 ? "all" : std::to_string(row.rank));
    for (const Column& column : columns) {
      std::cout << ",";
      if (applies(row, column)) std::cout << column.value(row);
    }
    const study::GainOptions& gain = row.subject->gain;
    if (!options.no_gain)
      std::cout << "," << name(gain.operation) << "," << gain.bytes << "," << gain.algorithm << ","
                << gain.against;
    std::cout << "\n";
  }
}

void print_json(const Options& options, const std::vector<Row>& rows) {
  const std::vector<Column> columns = columns_of(options);
  nlohmann::json result = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json entry = {
        {"trace", row.subject->name}, {"model", row.model}, {"exchange_every", row.exchange}};
    entry["rank"] = row.rank < 0 ? nlohmann::json("all") : nlohmann::json(row.rank);
    for (const Column& column : columns)
      if (applies(row, column)) entry[column.name] = column.value(row);
    const study::GainOptions& gain = row.subject->gain;
    if (!options.no_gain)
      entry.update({{"operation", name(gain.operation)},
                    {"root", gain.root},
                    {"bytes", gain.bytes},
                    {"algorithm", gain.algorithm},
                    {"against", gain.against}});
    result.push_back(std::move(entry));
  }
  std::cout << result.dump(2) << "\n";
}

}  // namespace pat::predict
