#pragma once

#include <cstdint>
#include <string>

namespace pat {

/// Monotonic time in nanoseconds, the time base of every record. Thread-safe; about the cost of one
/// clock_gettime. PAPI's own clock (PAPI_get_real_nsec) is used where it is the cheaper one;
/// elsewhere stamps come from CLOCK_MONOTONIC and PAPI calibrates them once (see ClockInfo).
std::int64_t now_ns();

/// Processor time of the calling thread, in nanoseconds. A system call on most machines.
std::int64_t thread_cpu_ns();

/// What the clock of this process is made of.
struct ClockInfo {
  std::string source;        ///< "papi" or "clock_gettime": where stamps come from
  bool papi_available;       ///< PAPI could be initialised
  double papi_cost_ns;       ///< median cost of PAPI_get_real_nsec; 0 without PAPI
  double monotonic_cost_ns;  ///< median cost of clock_gettime(CLOCK_MONOTONIC)
  double papi_rate;          ///< PAPI nanoseconds per CLOCK_MONOTONIC nanosecond; 1 is perfect
  int hardware_counters;     ///< how many hardware counters PAPI offers; 0 on most virtual machines
  std::string papi_version;  ///< "7.0.0", or "" without PAPI
};

/// Measured on first use (about a millisecond), then constant. Thread-safe.
const ClockInfo& clock_info();

/// Instructions and cycles of the calling thread between start() and stop(), through PAPI.
/// Where there are no hardware counters every call does nothing and available() is false.
class HardwareCounters {
 public:
  HardwareCounters();
  ~HardwareCounters();
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;

  bool available() const { return event_set_ >= 0; }
  /// Starts counting on the calling thread. Not thread-safe: one object a thread.
  void start();
  /// Stops; the totals of this interval are then in instructions() and cycles().
  void stop();
  std::int64_t instructions() const { return values_[0]; }
  std::int64_t cycles() const { return values_[1]; }

 private:
  int event_set_ = -1;
  bool running_ = false;
  long long values_[2] = {0, 0};
};

}  // namespace pat
