#include "tools/bench/report.hpp"

#include <iostream>
#include <sstream>

#include "core/whole_file.hpp"
#include "tools/plot_figure.hpp"

namespace pat::bench {
namespace {

void write_report(const Results& results, const Options& options, Format format) {
  const ReportOptions report{format, options.diagnostics, options.samples};
  if (options.output.empty()) {
    write(results, report, std::cout);
    std::cout.flush();
  } else {
    std::ostringstream text;
    write(results, report, text);
    write_whole_file(options.output, text.str());
  }
  if (!options.plot.empty()) plot_figure({to_json(results, false)}, {}, options.plot);
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
