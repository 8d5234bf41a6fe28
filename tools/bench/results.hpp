#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "measure/sample.hpp"

namespace pat::bench {

/// Everything one run of the benchmark leaves behind.
struct Results {
  nlohmann::json environment;  ///< captured: versions, nodes, processor, revision
  nlohmann::json settings;     ///< what was asked for
  std::string baseline;        ///< the algorithm the others are compared with; may be empty
  std::uint64_t seed = 1;
  bool stopped = false;  ///< ended by the user before all iterations were done
  measure::Effort effort;
  std::vector<measure::Series> series;
};

enum class Format { table, osu, csv, json };

struct ReportOptions {
  Format format = Format::table;
  bool diagnostics = false;  ///< table: serial correlation, trend, variance
  bool samples = false;      ///< json and csv: every iteration
};

/// Writes the results. Times are microseconds in `osu`, milliseconds in `table`, seconds elsewhere.
void write(const Results& results, const ReportOptions& options, std::ostream& out);

/// The document that `json` writes; `samples`: with every iteration.
nlohmann::json to_json(const Results& results, bool samples);

}  // namespace pat::bench
