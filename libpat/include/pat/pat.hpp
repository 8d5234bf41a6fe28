/// \file
/// PAT for C++: RAII over pat.h. Errors are thrown as pat::Failure; a program that wants their
/// sentence instead of std::terminate catches it where it catches its own:
/// Errors of collectives and requests go to the communicator's error handler before, as MPI's own
/// do, and MPI's default one ends the program: only with MPI_ERRORS_RETURN are they thrown.
///
///     MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
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
///         {
///           auto pause = scope.pause();         // pause ... resume
///           exchange_halos();
///         }
///         second_half();
///       }
///       pat::gather(...);                         // PAT_Gather; igather and gather_init besides
///     }
#pragma once

#include <pat/pat.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pat {

/// A PAT function returned an MPI error code.
class Failure : public std::runtime_error {
 public:
  explicit Failure(int code) : std::runtime_error(PAT_Error_string()), code_(code) {}
  /// The MPI error code, for MPI_Error_class().
  int code() const { return code_; }

 private:
  int code_;
};

/// Throws Failure unless `code` is MPI_SUCCESS.
inline void require(int code) {
  if (code != MPI_SUCCESS) throw Failure(code);
}

/// PAT_Init_comm to PAT_Finalize. Collective; main thread. When an exception unwinds it,
/// PAT_Finalize, which would wait for all other processes, is left out: it says so on standard
/// error, and the program's handler can abort as above. The report and the trace are not written
/// then.
class Session {
 public:
  explicit Session(MPI_Comm comm = MPI_COMM_WORLD, const std::string& config = "") {
    require(PAT_Init_comm(comm, config.c_str()));
  }
  ~Session() {
    if (std::uncaught_exceptions() == exceptions_)
      PAT_Finalize();
    else
      std::fputs(
          "pat: an exception ends the session without PAT_Finalize, where the other processes may "
          "be waiting; call MPI_Abort where you catch it\n",
          stderr);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  const int exceptions_ = std::uncaught_exceptions();
};

/// A pause of a computing phase: the phase goes on when this goes out of scope. Local.
class Pause {
 public:
  explicit Pause(PAT_Region region) : region_(region) { require(PAT_Region_pause(region)); }
  ~Pause() { PAT_Region_resume(region_); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  PAT_Region region_;
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
  /// What is done until the returned object goes out of scope is no computing. Not thread-safe.
  [[nodiscard]] Pause pause() { return Pause(region_); }
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
  /// PAT_Region_predictor. Local.
  void use_predictor(const std::string& predictor) {
    require(PAT_Region_predictor(handle_, predictor.c_str()));
  }
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
  /// PAT_GetPatternAge; throws Failure (MPI_ERR_PENDING) while there is none.
  std::uint64_t pattern_age() const {
    std::uint64_t calls = 0;
    require(PAT_GetPatternAge(handle_, &calls));
    return calls;
  }
  /// For the functions of pat.h; PAT_REGION_DEFAULT for the default region. The object keeps it:
  /// do not free it.
  PAT_Region handle() const { return handle_; }

 private:
  PAT_Region handle_ = PAT_REGION_DEFAULT;
};

/// The MPI datatype of a C++ type, for the typed calls.
template <class T>
MPI_Datatype datatype_of();
template <>
inline MPI_Datatype datatype_of<char>() {
  return MPI_CHAR;
}
template <>
inline MPI_Datatype datatype_of<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype datatype_of<long>() {
  return MPI_LONG;
}
template <>
inline MPI_Datatype datatype_of<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype datatype_of<double>() {
  return MPI_DOUBLE;
}

/// A non-blocking call on its way, as igather() and its kin return it. It waits when it goes out of
/// scope, but for exceptions, after which the other processes may not come.
class Request {
 public:
  /// No call.
  Request() = default;
  /// Takes over a request of a non-blocking call of pat.h.
  explicit Request(PAT_Request handle) : handle_(handle) {}
  ~Request() {
    if (handle_ != PAT_REQUEST_NULL && std::uncaught_exceptions() == exceptions_) PAT_Wait(handle_);
  }
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, PAT_REQUEST_NULL)) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  /// PAT_Wait: returns when the call has ended here; at once if there is none.
  void wait() {
    if (handle_ != PAT_REQUEST_NULL) require(PAT_Wait(std::exchange(handle_, PAT_REQUEST_NULL)));
  }
  /// PAT_Test: whether the call has ended here; moves data where no daemon does. Never waits.
  bool test() {
    if (handle_ == PAT_REQUEST_NULL) return true;
    int flag = 0;
    require(PAT_Test(handle_, &flag));
    if (flag != 0) handle_ = PAT_REQUEST_NULL;
    return flag != 0;
  }
  /// For the functions of pat.h, which must not end the call: the object does.
  PAT_Request handle() const { return handle_; }

 private:
  PAT_Request handle_ = PAT_REQUEST_NULL;
  int exceptions_ = std::uncaught_exceptions();
};

/// A persistent call, as gather_init() and its kin return it; pat.h says who owns which buffer
/// when. Construction and destruction are collective over the communicator; wait before the latter.
class PersistentCall {
 public:
  /// Takes over a persistent request of pat.h.
  explicit PersistentCall(PAT_Request handle) : handle_(handle) {}
  /// PAT_Gather_init: `recv` has room for one block a process, at the root.
  template <class T>
  static PersistentCall gather(const T* send, T* recv, int count, int root, MPI_Comm comm) {
    PersistentCall call;
    const MPI_Datatype type = datatype_of<T>();
    require(PAT_Gather_init(send, count, type, recv, count, type, root, comm, &call.handle_));
    return call;
  }
  /// PAT_Scatter_init: `send` has one block a process, at the root.
  template <class T>
  static PersistentCall scatter(const T* send, T* recv, int count, int root, MPI_Comm comm) {
    PersistentCall call;
    const MPI_Datatype type = datatype_of<T>();
    require(PAT_Scatter_init(send, count, type, recv, count, type, root, comm, &call.handle_));
    return call;
  }
  ~PersistentCall() {
    if (handle_ != PAT_REQUEST_NULL && std::uncaught_exceptions() == 0) PAT_Request_free(&handle_);
  }
  PersistentCall(PersistentCall&& other) noexcept
      : handle_(std::exchange(other.handle_, PAT_REQUEST_NULL)) {}
  PersistentCall& operator=(PersistentCall&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  /// PAT_Request_parts: cuts the send buffer into `count` pieces, 1 to 65536, from the next start
  /// on. Local; throws Failure while the call is active.
  void parts(int count) { require(PAT_Request_parts(handle_, count)); }
  /// PAT_Start: hands over the receive buffer. Never waits for other processes.
  void start() { require(PAT_Start(handle_)); }
  /// PAT_Pready: hands over piece `part` of the send buffer, from 0, once between start() and
  /// ready(). Local; thread-safe with MPI_THREAD_MULTIPLE.
  void part_ready(int part) { require(PAT_Pready(handle_, part)); }
  /// PAT_Ready: hands over the rest of the send buffer, the process has arrived. Never waits for
  /// other processes.
  void ready() { require(PAT_Ready(handle_)); }
  /// PAT_Test: whether the call has ended here or is not active; false before ready(). Never waits.
  bool test() {
    int flag = 0;
    require(PAT_Test(handle_, &flag));
    return flag != 0;
  }
  /// PAT_Wait: returns when the call has ended here. Throws Failure between start() and ready().
  void wait() { require(PAT_Wait(handle_)); }
  /// For the functions of pat.h. The object keeps it: do not free it.
  PAT_Request handle() const { return handle_; }

 private:
  PersistentCall() = default;
  PAT_Request handle_ = PAT_REQUEST_NULL;
};

}  // namespace pat

#include <pat/calls.hpp>
