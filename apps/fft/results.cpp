#include "apps/fft/results.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

namespace pat::fft {
namespace {

std::string full_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

std::string source_of(const Options& options) {
  if (options.inputs.empty()) return "random data";
  if (options.inputs.size() == 1) return options.inputs.front();
  return fmt::format("{} recordings", options.inputs.size());
}

std::string size_text(std::size_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

void print_head(std::ostream& out, const Options& options, const Results& results) {
  out << fmt::format("{} blocks of {} samples ({}), {} {}, {} {} each\n", results.blocks,
                     options.size, source_of(options), results.processes,
                     results.processes == 1 ? "process" : "processes", results.threads,
                     results.threads == 1 ? "thread" : "threads");
  out << fmt::format("delays {} (seed {}), a gather of {} after each block\n",
                     to_string(options.imbalance), options.seed, size_text(results.gathered_bytes));
  if (results.processes_on_node > results.cores)
    out << fmt::format("{} processes share {} cores here: the times hold the waiting for a core\n",
                       results.processes_on_node, results.cores);
}

void print_comparison(std::ostream& out, const std::vector<Summary>& rows) {
  std::size_t width = 9;
  for (const Summary& row : rows) width = std::max(width, row.algorithm.size());
  out << fmt::format("\n{:<{}} {:>10} {:>13} {:>12} {:>11} {:>9}   {}\n", "algorithm", width,
                     "total s", "computing ms", "run time ms", "elapsed ms", "added ms",
                     "run time / " + rows.front().algorithm + " (95 %)");
  for (const Summary& row : rows) {
    out << fmt::format("{:<{}} {:>10.3f} {:>13.3f} {:>12.3f} {:>11.3f} {:>9.3f}   ", row.algorithm,
                       width, row.total_s, row.computing_s * 1e3, row.run_time_s * 1e3,
                       row.elapsed_s * 1e3, row.added_s * 1e3);
    if (&row == &rows.front())
      out << "1\n";
    else
      out << fmt::format("{:.3f} ({:.3f} to {:.3f})\n", row.ratio, row.ratio_low, row.ratio_high);
  }
  out << "run time: last exit minus first arrival; elapsed: exit minus arrival; means over the "
         "calls\n"
         "added: last exit minus last arrival, and run time / "
      << rows.front().algorithm << ": of the medians over the calls\n";
}

void print_scores(std::ostream& out, const std::vector<Score>& scores) {
  out << fmt::format("\n{:<9} {:>16} {:>22}\n", "model", "mean error ms", "last arriver right %");
  for (const Score& score : scores)
    out << fmt::format("{:<9} {:>16.3f} {:>22.1f}\n", score.model,
                       score.mean_absolute_error_s * 1e3, score.last_arriver_share * 100.0);
  out << "what each model says of the computing time when half of the work is done, all on the "
         "same calls\n";
}

void print_rest(std::ostream& out, const Options& options, const Results& results) {
  const auto line = [&out](const char* label, const std::string& value) {
    out << fmt::format("{:<13} {}\n", label, value);
  };
  out << "\n";
  if (results.worst_error)
    line("FFTW", fmt::format("relative error at most {:.1e}", *results.worst_error));
  if (results.daemon)
    line("daemon", fmt::format("{:.2f} % of one core predicts and agrees, {:.2f} % moves data "
                               "(means over the processes)",
                               results.daemon->predicting * 100.0, results.daemon->moving * 100.0));
  else
    line("daemon", "none, PAT worked inside its calls");
  if (!options.spectrogram.empty()) line("spectrogram", full_path(options.spectrogram));
  if (!results.trace.empty()) line("trace", full_path(results.trace));
}

}  // namespace

void print_tables(std::ostream& out, const Options& options, const Results& results) {
  print_head(out, options, results);
  print_comparison(out, results.rows);
  print_scores(out, results.scores);
  print_rest(out, options, results);
}

void print_json(std::ostream& out, const Options& options, const Results& results) {
  nlohmann::ordered_json json = {{"processes", results.processes},
                                 {"threads", results.threads},
                                 {"cores", results.cores},
                                 {"processes_on_node", results.processes_on_node},
                                 {"inputs", options.inputs},
                                 {"blocks", results.blocks},
                                 {"block_samples", options.size},
                                 {"gathered_bytes", results.gathered_bytes},
                                 {"imbalance", to_string(options.imbalance)},
                                 {"seed", options.seed}};
  for (const Summary& row : results.rows)
    json["algorithms"].push_back({{"algorithm", row.algorithm},
                                  {"calls", row.calls},
                                  {"total_s", row.total_s},
                                  {"computing_s", row.computing_s},
                                  {"run_time_s", row.run_time_s},
                                  {"elapsed_s", row.elapsed_s},
                                  {"added_median_s", row.added_s},
                                  {"run_time_ratio", row.ratio},
                                  {"run_time_ratio_low", row.ratio_low},
                                  {"run_time_ratio_high", row.ratio_high}});
  for (const Score& score : results.scores)
    json["models"].push_back({{"model", score.model},
                              {"mean_absolute_error_s", score.mean_absolute_error_s},
                              {"forecasts", score.forecasts},
                              {"last_arriver_share", score.last_arriver_share},
                              {"orders", score.orders}});
  if (results.worst_error) json["fftw_relative_error"] = *results.worst_error;
  if (results.daemon)
    json["daemon"] = {{"predicting_share_of_core", results.daemon->predicting},
                      {"moving_share_of_core", results.daemon->moving}};
  if (!options.spectrogram.empty()) json["spectrogram"] = full_path(options.spectrogram);
  if (!results.trace.empty()) json["trace"] = full_path(results.trace);
  out << json.dump(2) << "\n";
}

}  // namespace pat::fft
