#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>

#include "core/clock.hpp"
#include "libpat/execution/arguments.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/lifetime.hpp"
#include "libpat/preload/phases.hpp"
#include "libpat/session/passed_on.hpp"
#include "libpat/session/waits_in.hpp"

namespace pat::detail {

/// Where the program called from, while its call is on its way through other layers: another tool,
/// or the MPI library's Fortran.
class CallSite {
 public:
  explicit CallSite(const void* caller) : before_(here()) {
    if (before_ == nullptr) here() = caller;
  }
  ~CallSite() { here() = before_; }
  CallSite(const CallSite&) = delete;
  CallSite& operator=(const CallSite&) = delete;

  /// Where the program called from, if the caller may be a layer: the place that is kept, which is
  /// then the call's alone; else the caller. Null: this library itself calls. (A layer may leave
  /// its own frame before it calls on, and then the caller is who called it.)
  static const void* take(const void* caller) {
    if (here() != nullptr) return std::exchange(here(), nullptr);
    return is_own(caller) ? nullptr : caller;
  }

 private:
  static const void*& here() {
    thread_local constinit const void* caller = nullptr;
    return caller;
  }
  const void* const before_;
};

/// A collective of the program that PAT has: goes the way of PAT's own function. What PAT would
/// refuse is left to MPI, which says so in its own words.
int call_of_program(const Arguments& arguments, const void* caller);

/// A call that begins something: counted.
class CountedCall {
 public:
  explicit CountedCall(PassedOn& count)
      : count_(count), since_ns_(is_watching() && !Phases::mine().inside ? now_ns() : 0) {
    if (since_ns_ != 0) Phases::mine().inside = true;
  }
  ~CountedCall() {
    if (since_ns_ == 0) return;
    Phases::mine().inside = false;
    count_.add(now_ns() - since_ns_);
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

 private:
  PassedOn& count_;
  const std::int64_t since_ns_;
};

/// A call that may wait for other processes: its time is no computing.
class WaitingCall {
 public:
  WaitingCall(WaitsFor what, const char* function) : what_(what) {
    if (!is_watching()) return;
    Phases& phases = Phases::mine();
    if (phases.inside) return;
    phases.inside = true;
    phases_ = &phases;
    since_ns_ = now_ns();
    // What all do with files and the like lasts by itself.
    WaitsIn::enter(function, what == WaitsFor::message ? since_ns_ : 0);
  }
  ~WaitingCall() {
    if (phases_ == nullptr) return;
    WaitsIn::leave();
    phases_->inside = false;
    if (is_watching()) phases_->waited(what_, since_ns_, now_ns());
  }
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;

 private:
  const WaitsFor what_;
  Phases* phases_ = nullptr;
  std::int64_t since_ns_ = 0;
};

}  // namespace pat::detail
