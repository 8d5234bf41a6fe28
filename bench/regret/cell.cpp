#include "bench/regret/cell.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/json_number.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"

namespace pat::regret {

using measure::Sample;
using measure::Series;
using nlohmann::json;

namespace {

std::string knowledge_of(const json& settings) {
  if (settings.value("knowledge", "predicted") != "predicted")
    return settings.at("knowledge").get<std::string>();
  std::vector<std::string> edges;
  for (const json& edge : settings.at("edges")) edges.push_back(edge.dump());
  return edges.empty() ? "history" : join(edges, "+");
}

Series series_of(const json& result) {
  Series series;
  series.algorithm = result.at("algorithm").get<std::string>();
  const json& iteration = result.at("samples").at("iteration");
  const auto run_s = result.at("samples").at("run_s").get<std::vector<double>>();
  if (iteration.size() != run_s.size())
    throw Error(ErrorKind::argument, "the samples of '" + series.algorithm + "' are not all there");
  for (std::size_t i = 0; i < run_s.size(); ++i) {
    if (!(run_s[i] > 0.0) || !std::isfinite(run_s[i]))
      throw Error(ErrorKind::argument, "a run time of '" + series.algorithm + "' is no time");
    Sample& sample = series.samples.emplace_back();
    sample.iteration = whole_number(iteration[i]);
    sample.run_s = run_s[i];
  }
  return series;
}

Cell setting_of(const json& result) {
  Cell cell;
  cell.operation = result.at("operation").get<std::string>();
  cell.pattern = result.at("pattern").get<std::string>();
  if (const auto folder = cell.pattern.rfind('/');
      cell.pattern.starts_with("trace:") && folder != std::string::npos)
    cell.pattern.erase(6, folder + 1 - 6);
  cell.bytes = whole_number(result.at("bytes"));
  cell.ranks = static_cast<int>(whole_number(result.at("ranks"), std::numeric_limits<int>::max()));
  const auto parts = split(cell.pattern, ':');
  if (parts[0] == "change" && parts.size() > 2)
    cell.every = std::strtoull(parts[1].c_str(), nullptr, 10);
  return cell;
}

bool same_setting(const Cell& a, const Cell& b) {
  return a.operation == b.operation && a.pattern == b.pattern && a.bytes == b.bytes &&
         a.ranks == b.ranks;
}

/// "bsls 20, mpi 4; mostly: ...", of the calls that `auto` decided.
std::string chosen_in(const json& report, const std::string& operation) {
  std::vector<std::string> all;
  for (const json& process : report.at("process"))
    for (const json& stream : process.at("streams")) {
      if (stream.at("operation") != operation || stream.at("choice") != "auto") continue;
      if (process.at("rank") != stream.at("leader")) continue;
      std::vector<std::string> taken;
      for (const auto& [algorithm, calls] : stream.at("calls_by_algorithm").items())
        taken.push_back(algorithm + " " + calls.dump());
      all.push_back(join(taken, ", "));
      const json& reasons = stream.at("reasons");
      if (!reasons.empty()) all.back() += ": " + reasons.at(0).at("reason").get<std::string>();
    }
  return join(all, "; ");
}

/// The calls of one state of a pattern that changes.
Cell in_state(const Cell& cell, bool changed) {
  Cell part = cell;
  part.changed = changed;
  for (Series& way : part.ways)
    std::erase_if(way.samples, [&](const Sample& sample) {
      return (sample.iteration / cell.every % 2 == 1) != changed;
    });
  return part;
}

std::vector<Cell> cells_of(const json& document) {
  if (document.at("format") != "pat-bench 1")
    throw json::other_error::create(501, "format", nullptr);
  std::vector<Cell> cells;
  for (const json& result : document.at("results")) {
    Cell cell = setting_of(result);
    if (cells.empty() || !same_setting(cells.back(), cell)) {
      cell.knowledge = knowledge_of(document.at("settings"));
      cell.warmup = whole_number(document.at("settings").at("warmup"));
      cells.push_back(cell);
    }
    cells.back().ways.push_back(series_of(result));
  }
  return cells;
}

void require_ways(const std::vector<Cell>& cells) {
  if (cells.empty()) throw Error(ErrorKind::argument, "it holds no results");
  for (const Cell& cell : cells)
    for (const char* needed : {"mpi", "auto"})
      if (cell.way(needed) == nullptr)
        throw Error(ErrorKind::argument, cell.title() + " has no '" + std::string(needed) +
                                             "', measure it with --alg all --plain");
}

}  // namespace

const Series* Cell::way(const std::string& name) const {
  const auto found = std::find_if(ways.begin(), ways.end(),
                                  [&](const Series& one) { return one.algorithm == name; });
  return found != ways.end() ? &*found : nullptr;
}

std::string Cell::title() const {
  std::string text = operation + " " + format_bytes(bytes) + ", " + std::to_string(ranks) +
                     " ranks, " + pattern + ", ";
  text += knowledge == "history" ? "history alone" : "edge at " + knowledge;
  if (changed) text += *changed ? ", changed" : ", as before";
  return text;
}

std::vector<Cell> parse_cells(const std::string& text, const std::string& name,
                              const std::string& network, const std::string& report) {
  try {
    std::vector<Cell> cells = cells_of(json::parse(text));
    require_ways(cells);
    std::vector<Cell> all;
    for (Cell& cell : cells) {
      cell.network = network;
      if (!report.empty() && cells.size() == 1)  // it does not tell settings apart
        cell.chosen = chosen_in(json::parse(report), cell.operation);
      if (cell.every > 0)
        for (const bool changed : {false, true}) all.push_back(in_state(cell, changed));
      else
        all.push_back(cell);
    }
    return all;
  } catch (const json::exception&) {
    throw Error(
        ErrorKind::argument,
        "'" + name + "' or its report is not what `pat bench --format json --samples` writes.");
  } catch (const Error& error) {
    throw Error(ErrorKind::argument, "'" + name + "' cannot be used: " + error.what() + ".");
  }
}

std::vector<Cell> read_cells(const std::string& path) {
  const auto text = read_whole_file(path);
  if (!text) throw Error(ErrorKind::io, "'" + path + "' cannot be read.");
  std::filesystem::path report(path);
  report.replace_extension(".report.json");
  return parse_cells(*text, path, std::filesystem::absolute(path).parent_path().filename().string(),
                     read_whole_file(report.string()).value_or(""));
}

}  // namespace pat::regret
