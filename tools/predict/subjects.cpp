#include "tools/predict/subjects.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "core/errors.hpp"
#include "core/printable.hpp"
#include "core/units.hpp"

namespace pat::predict {
namespace {

/// The file itself, or the traces in the folder in the order of their names.
std::vector<std::string> traces_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  const fs::directory_iterator entries(path, error);
  if (error) throw Error(ErrorKind::io, "the folder '" + path + "' cannot be read");
  std::vector<std::string> files;
  for (const auto& entry : entries)
    if (entry.path().extension() == ".trace") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty()) throw Error(ErrorKind::io, "the folder '" + path + "' holds no .trace file");
  return files;
}

/// What is simulated of a trace.
study::GainOptions gain_options(const Options& options, const Trace& trace) {
  const auto operation = find_operation(options.operation);
  if (!options.operation.empty() && !operation)
    throw Error(ErrorKind::argument, "--operation is '" + options.operation + "', choose " +
                                         study::operations_to_study());
  const auto bytes = parse_bytes(options.bytes);
  if (!options.bytes.empty() && (!bytes || *bytes == 0))
    throw Error(ErrorKind::argument, "--bytes is '" + options.bytes + "', write 16M or 4096");
  study::GainOptions gain = options.gain;
  study::choose_call(gain, operation, bytes, trace);
  if (gain.segments < 1)
    throw Error(ErrorKind::argument,
                "--segments is " + std::to_string(gain.segments) + ", give at least 1");
  const CostModel& m = gain.model;
  for (const double cost : {m.alpha_s, m.beta_s_per_byte, m.gamma_s_per_byte})
    if (!(cost >= 0.0 && cost < 1e6))
      throw Error(ErrorKind::argument, "--alpha, --beta and --gamma must be finite and at least 0");
  study::choose_algorithms(gain, trace.ranks);
  return gain;
}

/// Iterations between a forecast and its arrival, at most.
int longest_horizon(const Options& options) {
  return std::max(options.replay.horizon, options.plot_horizon.empty() ? 1 : options.horizon_max);
}

bool computes(const Trace& trace) {
  return trace.computing_s.empty() ||
         std::any_of(trace.computing_s.begin(), trace.computing_s.end(),
                     [](double time_s) { return time_s > 0.0; });
}

/// The places of a trace are studied apart; those with too few iterations, without a computing
/// phase or of an operation that cannot be studied are left out, and said.
void add_subjects(const Options& options, const std::string& file, std::vector<Subject>& subjects) {
  const Trace whole = read_trace(file);
  const std::string name = std::filesystem::path(file).stem().string();
  const auto long_enough = [&](const Trace& trace) {
    return trace.iterations() >= options.skip + longest_horizon(options);
  };
  std::vector<std::string> left_out;
  std::optional<Error> refused;
  const std::size_t before = subjects.size();
  int most = 0;
  for (const Trace& trace : by_place(whole)) {
    if (!whole.places.empty() && !computes(trace)) {
      left_out.push_back(trace.region + ", no computing phase");
      continue;
    }
    most = std::max(most, trace.iterations());
    if (!long_enough(trace)) {
      left_out.push_back(trace.region + ", " + std::to_string(trace.iterations()) + " iterations");
      continue;
    }
    try {
      subjects.push_back({whole.places.empty() ? name : name + ": " + trace.region, trace,
                          options.no_gain ? study::GainOptions{} : gain_options(options, trace)});
    } catch (const Error& error) {
      if (!refused) refused = error;
      left_out.push_back(trace.region + ", " + error.what());
    }
  }
  if (subjects.size() == before && refused) throw *refused;
  if (subjects.size() == before)
    throw Error(
        ErrorKind::argument,
        whole.places.empty()
            ? "the trace '" + file + "' has " + std::to_string(whole.iterations()) +
                  " iterations, --skip must be less, and the longest horizon fit in after it"
        : most == 0
            ? "no computing phase precedes the calls of the trace '" + file +
                  "', so that there is nothing to foretell: annotate one with PAT_ProcessingStart"
            : "no place of the trace '" + file + "' has more than " + std::to_string(most) +
                  " iterations, --skip must be less, and the longest horizon fit in after "
                  "it");
  for (const std::string& what : left_out)
    std::cerr << "pat: left out of " << printable("'" + file + "': " + what) << "\n";
}

}  // namespace

std::string title_of(const Subject& subject) {
  const std::string& region = subject.trace.region;
  return subject.name.ends_with(region) ? subject.name : subject.name + ", " + region;
}

std::vector<Subject> subjects_of(const Options& options) {
  std::vector<Subject> subjects;
  std::vector<Error> left_out;
  for (const std::string& file : traces_of(options.path)) try {
      add_subjects(options, file, subjects);
    } catch (const Error& error) {
      left_out.push_back(error);
    }
  if (subjects.empty()) throw left_out.front();
  for (const Error& error : left_out)
    std::cerr << "pat: left out: " << printable(error.what()) << "\n";
  return subjects;
}

}  // namespace pat::predict
