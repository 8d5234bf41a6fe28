/// \file
/// PAT for C++: RAII over pat.h. Errors are thrown as pat::Failure; a program that wants their
/// sentence instead of std::terminate catches it where it catches its own:
///
///     try { solve(); } catch (const pat::Failure& failure) {
///       std::cerr << failure.what() << '\n';
///       MPI_Abort(MPI_COMM_WORLD, 1);          // the other processes may be waiting
///     }
///
///     pat::Session session;                       // after MPI_Init_thread, before MPI_Finalize
///     pat::Region region(MPI_COMM_WORLD, "solver");
///     for (...) {
///       {
///         auto scope = region.processing();       // start ... end
///         first_half();
///         scope.edge(0.5);
///         second_half();
///       }
///       PAT_Gather(...);
///     }
#pragma once

#include <pat/pat.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pat {

/// A PAT function returned an MPI error code.
class Failure : public std::runtime_error {
 public:
  explicit Failure(int code) : std::runtime_error(PAT_Error_string()), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

/// Throws Failure unless `code` is MPI_SUCCESS.
inline void require(int code) {
  if (code != MPI_SUCCESS) throw Failure(code);
}

/// PAT_Init_comm to PAT_Finalize. Collective; main thread.
class Session {
 public:
  explicit Session(MPI_Comm comm = MPI_COMM_WORLD, const std::string& config = "") {
    require(PAT_Init_comm(comm, config.c_str()));
  }
  ~Session() { PAT_Finalize(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// One computing phase: ends when it goes out of scope. Local.
class Processing {
 public:
  explicit Processing(PAT_Region region) : region_(region) { require(PAT_Region_start(region)); }
  ~Processing() { PAT_Region_end(region_); }
  Processing(const Processing&) = delete;
  Processing& operator=(const Processing&) = delete;
  /// PAT_Region_edge; thread-safe.
  void edge(double fraction) { require(PAT_Region_edge(region_, fraction)); }
  /// PAT_Region_hint; thread-safe.
  void hint(const std::string& name, double value) {
    require(PAT_Region_hint(region_, name.c_str(), value));
  }

 private:
  PAT_Region region_;
};

/// A predicted computing time in seconds with its 90 % interval.
struct ComputingTime {
  double mean_s, lower_s, upper_s;
};

/// A place that computes and then communicates: the default region, or one of its own.
class Region {
 public:
  /// The default region of the session. Local.
  Region() = default;
  /// PAT_Region_create. Collective over `comm`.
  Region(MPI_Comm comm, const std::string& name) {
    require(PAT_Region_create(comm, name.c_str(), &handle_));
  }
  ~Region() {
    if (handle_ != PAT_REGION_DEFAULT) PAT_Region_free(&handle_);
  }
  Region(Region&& other) noexcept : handle_(std::exchange(other.handle_, PAT_REGION_DEFAULT)) {}
  Region& operator=(Region&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  /// Begins a computing phase that lasts as long as the returned object.
  [[nodiscard]] Processing processing() { return Processing(handle_); }
  /// PAT_GetForecast; throws Failure (MPI_ERR_PENDING) while nothing is known.
  ComputingTime forecast() const {
    ComputingTime time{};
    require(PAT_GetForecast(handle_, &time.mean_s, &time.lower_s, &time.upper_s));
    return time;
  }
  /// PAT_GetPattern for a communicator of `ranks` processes; the epoch is 0 before the first
  /// decision.
  std::pair<std::vector<double>, std::uint64_t> pattern(int ranks) const {
    std::vector<double> offsets_s(static_cast<std::size_t>(ranks));
    std::uint64_t epoch = 0;
    require(PAT_GetPattern(handle_, offsets_s.data(), ranks, &epoch));
    return {std::move(offsets_s), epoch};
  }
  PAT_Region handle() const { return handle_; }

 private:
  PAT_Region handle_ = PAT_REGION_DEFAULT;
};

}  // namespace pat
