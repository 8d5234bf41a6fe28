#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "measure/sample.hpp"

namespace pat::measure {

/// How an algorithm is called: plainly, in the persistent form, or in the persistent form with data
/// handed over piece by piece while the phase computes.
enum class Form { plain, persistent, parts };

/// One of the things measured in turn: an algorithm in one form, under the pattern or without
/// delays.
struct Entry {
  std::string algorithm;
  bool balanced = false;
  Form form = Form::plain;
  /// As it appears in the report: "bsls", "bsls+p", "bsls+parts".
  std::string label() const {
    if (form == Form::plain) return algorithm;
    return algorithm + (form == Form::persistent ? "+p" : "+parts");
  }
};

/// An algorithm that gave a wrong result; the sentence names the rank and the index.
class WrongResult : public Error {
 public:
  explicit WrongResult(const std::string& sentence) : Error(ErrorKind::internal, sentence) {}
};

/// What the engine needs from the program around it, on each rank.
struct Hooks {
  /// Chooses the algorithm and fills the buffers with the data of this iteration.
  std::function<void(const Entry&, std::uint64_t iteration)> prepare;
  /// Brings all ranks to one point in time; returns when this rank may start.
  std::function<void()> synchronise;
  /// Computes (sleeps) as long as this iteration asks for; fills start, planned and forecast.
  std::function<void(const Entry&, std::uint64_t iteration, RankTimes&)> compute;
  /// The operation itself; nothing else lies between arrival and exit.
  std::function<void(const Entry&)> operate;
  /// Nothing if this rank's result is right, else a sentence that names the index.
  std::function<std::optional<std::string>(const Entry&, std::uint64_t iteration)> check;
  /// The common clock, seconds.
  std::function<double()> now_s;

  /// What all ranks learn from each other after an iteration.
  struct Collected {
    std::vector<RankTimes> ranks;      ///< on the reporting rank; empty elsewhere
    bool stop = false;                 ///< some rank was asked to stop; the same on all ranks
    std::optional<std::string> wrong;  ///< some rank's result is wrong; the same on all ranks
  };
  std::function<Collected(const RankTimes&, const std::optional<std::string>& wrong)> collect;
  /// Called after each measurement with the number done so far.
  std::function<void(long done)> progress;
};

struct Plan {
  std::vector<Entry> entries;
  int warmup = 2;
  int iterations = 20;
  int block = 1;                   ///< iterations of an entry in a row before the next has its turn
  double lateness_limit_s = 5e-3;  ///< iterations in which a rank woke up later are dropped
};

/// Samples of one entry, on the reporting rank.
struct Measured {
  std::vector<Sample> samples;
  int dropped = 0;
};

/// Measures the entries in turn, so many iterations of each in a row, starting with another one
/// each time. An iteration has the same delays for all. Stops early, and keeps what it has, when
/// any rank asks for it. Throws WrongResult on all ranks alike. Collective over the ranks behind
/// `hooks`.
class Engine {
 public:
  Engine(Plan plan, Hooks hooks)
      : plan_(std::move(plan)), hooks_(std::move(hooks)), measured_(plan_.entries.size()) {}
  /// Returns measured().
  std::vector<Measured> run();
  /// What there is so far: one Measured per entry, in their order. Thread-safe.
  std::vector<Measured> measured() const;
  /// Whether run() ended before all iterations were done.
  bool stopped() const { return stopped_; }
  /// Measurements that run() makes in all, warm-up included.
  static long measurements(const Plan& plan) {
    return static_cast<long>(plan.entries.size()) * (plan.warmup + plan.iterations);
  }

 private:
  Hooks::Collected measure(const Entry& entry, std::uint64_t iteration);
  void run(std::size_t entry, int iteration);
  void keep(const std::vector<RankTimes>& ranks, std::uint64_t iteration, std::size_t entry);

  Plan plan_;
  Hooks hooks_;
  mutable std::mutex mutex_;
  std::vector<Measured> measured_;  ///< under mutex_
  long done_ = 0;
  bool stopped_ = false;
};

}  // namespace pat::measure
