#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include "tools/bench/options.hpp"
#include "tools/bench/results.hpp"
#include "tools/bench/scenario.hpp"

namespace pat::bench {

/// The results on rank 0 and their report, which is written once: when all is measured or, before
/// that, when a signal asks for what there is. Thread-safe.
class Report {
 public:
  Report(const Options& options, Format format, Results results)
      : options_(options), format_(format), results_(std::move(results)) {}

  /// The scenario that is being measured; its results count from the beginning.
  class Present {
   public:
    Present(Report& report, const Scenario& scenario) : report_(report) {
      const std::lock_guard lock(report_.mutex_);
      report_.present_ = &scenario;
    }
    ~Present() {
      const std::lock_guard lock(report_.mutex_);
      report_.take_present();
    }
    Present(const Present&) = delete;
    Present& operator=(const Present&) = delete;

   private:
    Report& report_;
  };

  /// Throws Error(io); also if write_at_once() could not write.
  void write(bool stopped);
  /// What there is so far; a failure waits for write().
  void write_at_once();

 private:
  void take_present();           ///< with the lock held
  void write_now(bool stopped);  ///< with the lock held

  const Options& options_;
  Format format_;
  std::mutex mutex_;
  Results results_;
  const Scenario* present_ = nullptr;
  bool written_ = false;
  std::exception_ptr failure_;
};

}  // namespace pat::bench
