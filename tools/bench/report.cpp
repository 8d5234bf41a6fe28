#include "tools/bench/report.hpp"

#include <filesystem>
#include <iostream>
#include <sstream>

#include "core/whole_file.hpp"
#include "tools/plot_figure.hpp"

namespace pat::bench {
namespace {

/// Where a run that was stopped writes what `path` was meant for: "times.partial.json" beside
/// "times.json", links followed.
std::string partial_place(const std::string& path) {
  std::filesystem::path place = whole_file_place(path);
  const std::string ending = place.extension().string();
  place.replace_filename(place.stem().string() + ".partial" + ending);
  return place.string();
}

/// The name of a file to write: `path`, but of a stopped run, which then says where its results
/// are. What is there already may be complete.
std::string output_of(const Results& results, const std::string& path) {
  if (!results.stopped) return path;
  const std::string partial = partial_place(path);
  std::cerr << "pat bench: stopped, what was measured is in '" << partial << "'" << std::endl;
  return partial;
}

void write_report(const Results& results, const Options& options, Format format) {
  const ReportOptions report{format, options.diagnostics, options.samples};
  if (options.output.empty()) {
    write(results, report, std::cout);
    std::cout.flush();
  } else {
    std::ostringstream text;
    write(results, report, text);
    write_whole_file(output_of(results, options.output), text.str());
  }
  if (!options.plot.empty())
    plot_figure({to_json(results, false)}, {}, output_of(results, options.plot));
}

}  // namespace

void Report::write(bool stopped) {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (!written_) write_now(stopped);
}

void Report::write_at_once() {
  const std::lock_guard lock(mutex_);
  try {
    take_present();
    if (!written_) write_now(true);
  } catch (const std::exception&) {
    failure_ = std::current_exception();
  }
}

void Report::take_present() {
  if (present_ != nullptr) present_->append_to(results_.series);
  present_ = nullptr;
}

void Report::write_now(bool stopped) {
  results_.stopped = stopped;
  if (stopped) results_.effort = measure::quick_effort(results_.series);
  write_report(results_, options_, format_);
  written_ = true;
}

}  // namespace pat::bench
