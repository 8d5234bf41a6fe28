#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/sample.hpp"

namespace pat::regret {

/// One setting, and what every way to do the call took in it, call by call.
struct Cell {
  std::string network;  ///< as the folder of the measurement is called
  std::string operation;
  std::string pattern;
  std::string knowledge;  ///< "history", or the fractions at which progress is told: "0.5"
  int ranks = 0;
  std::size_t bytes = 0;        ///< of the whole vector
  std::uint64_t warmup = 0;     ///< calls before those that are measured
  std::optional<bool> changed;  ///< one of the two states of a pattern that changes
  std::uint64_t every = 0;      ///< so many calls long is each state of it; 0: it does not change
  std::vector<measure::Series> ways;  ///< mpi, plain, auto and the algorithms, with their samples
  std::string chosen;  ///< what `auto` took and why; empty where no report of PAT's says it

  /// The way of that name; null if it was not measured.
  const measure::Series* way(const std::string& name) const;
  /// "gather 1 MiB, 8 ranks, uniform:5ms, edge at 0.5".
  std::string title() const;
};

/// The cells of a document of `pat bench --format json --samples`, which errors call `name`. A
/// pattern that changes gives two: its calls without delays, and those with. `report` is the
/// document that PAT_REPORT left of the same run, or empty. Throws Error(argument) for what is no
/// such document, or has no samples of mpi and auto.
std::vector<Cell> parse_cells(const std::string& text, const std::string& name,
                              const std::string& network, const std::string& report = "");

/// As parse_cells of a file: its folder is the network, and the report lies beside X.json as
/// X.report.json. Throws Error(io) if it cannot be read.
std::vector<Cell> read_cells(const std::string& path);

}  // namespace pat::regret
