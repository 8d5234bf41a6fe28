// Nobody is named in healthy calls: all recorded traces once more, with what the model foretells of
// them, as PAT_WATCHDOG=auto sees them just before each process comes.
//
// LATE_CALLS: how many calls (2,000), and a tenth of that, but not fewer than 2,000, slowed down;
// LATE_SEED (1): draws where the recordings begin, each time that they are through.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analysis/forecasts.hpp"
#include "core/config.hpp"
#include "core/trace.hpp"
#include "libpat/agreement/fed_model.hpp"
#include "libpat/report/late.hpp"

namespace pat::detail {
namespace {

/// The latest phases whose longest a process remembers.
constexpr int remembered = FedModel::most_waiting;

long from_environment(const char* name, long fallback) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : fallback;
}

std::vector<Trace> corpus() {
  std::vector<std::string> paths;
  for (const std::string folder : {PAT_TRACES, PAT_TRACES "/hinted"})
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".trace") paths.push_back(file.path().string());
  std::ranges::sort(paths);
  std::vector<Trace> all;
  for (const std::string& path : paths) all.push_back(read_trace(path));
  return all;
}

/// `calls` iterations of the trace from `first` on, beyond its end from its beginning on, each
/// `times` as long.
Trace part(const Trace& trace, int first, long calls, double times) {
  Trace made;
  made.ranks = trace.ranks;
  for (long i = 0; i < std::min<long>(calls, trace.iterations()); ++i)
    for (int r = 0; r < trace.ranks; ++r) {
      const int from = static_cast<int>((first + i) % trace.iterations());
      made.arrival_s.push_back(times * trace.arrival(from, r));
      made.computing_s.push_back(times * trace.computing(from, r));
    }
  return made;
}

std::int64_t nanoseconds(double time_s) {
  return static_cast<std::int64_t>(time_s * 1e9);
}

double longest_before(const Trace& trace, int iteration, int rank) {
  double longest_s = 0.0;
  for (int i = std::max(0, iteration - remembered); i < iteration; ++i)
    longest_s = std::max(longest_s, trace.computing(i, rank));
  return longest_s;
}

/// Before its call of that number, which it computes for.
Neighbour computing(const Trace& trace, int iteration, int rank, const Forecast& arrival) {
  const double start_s = trace.arrival(iteration, rank) - trace.computing(iteration, rank);
  LiveState state;
  state.rank = rank;
  state.ranks = trace.ranks;
  state.entered = {{0, 1, static_cast<std::uint32_t>(iteration)}};
  state.phase = {"solve", false, nanoseconds(start_s), std::nullopt, std::nullopt, std::nullopt};
  if (arrival.known) {
    state.phase->lasts_s = arrival.mean_s - start_s;
    state.phase->half_width_s = arrival.half_width_s();
    state.phase->longest_s = longest_before(trace, iteration, rank);
  }
  return {rank, 1000 + rank, Neighbour::Condition::answers, std::move(state)};
}

void arrive(LiveState& state, double now_s) {
  state.phase.reset();
  ++state.entered.front().number;
  state.present = {"PAT_Gather", nanoseconds(now_s), "gather", "", state.entered.front(), {}};
}

struct Found {
  bool at_once = false;  ///< somebody would have been named, were others asked all the time
  bool in_time = false;  ///< after a second of waiting, before which nobody is asked
};

/// What the process that has waited longest says of the others just before each of them comes.
Found play(const Trace& trace, int iteration, const std::vector<ForetoldRank>& foretold) {
  std::vector<Neighbour> others;
  std::vector<int> order(foretold.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int rank) { return trace.arrival(iteration, rank); });
  for (const int rank : order)
    others.push_back(computing(trace, iteration, rank,
                               foretold[static_cast<std::size_t>(rank)].forecast[iteration]));
  LiveState own = *others.front().state;
  others.erase(others.begin());
  const double begin_s = trace.arrival(iteration, own.rank);
  arrive(own, begin_s);
  Found found;
  for (Neighbour& next : others) {  // in the order in which they come
    const double now_s = trace.arrival(iteration, next.rank);
    own.now_ns = nanoseconds(now_s);
    for (Neighbour& other : others) other.state->now_ns = own.now_ns;
    const bool named = who_is_late(own, others, 0.0).has_value();
    found.at_once = found.at_once || named;
    found.in_time = found.in_time || (named && now_s - begin_s >= late_at_least_s);
    arrive(*next.state, now_s);
  }
  return found;
}

struct Counted {
  long calls = 0, at_once = 0, in_time = 0;
};

Counted replay(const std::vector<Trace>& traces, double times, long calls) {
  std::mt19937 draw(static_cast<unsigned>(from_environment("LATE_SEED", 1)));
  long recorded = 0;
  for (const Trace& trace : traces) recorded += trace.iterations();
  Counted counted;
  while (counted.calls < calls)
    for (const Trace& whole : traces) {
      const auto first = static_cast<int>(draw() % static_cast<unsigned>(whole.iterations()));
      // Of each as much as it has of all.
      const long share = std::max<long>(20, calls * whole.iterations() / recorded);
      const Trace trace = part(whole, first, std::min(share, calls - counted.calls), times);
      std::vector<ForetoldRank> foretold;
      for (int rank = 0; rank < trace.ranks; ++rank)
        foretold.push_back(foretell(trace, rank, {.model = Config{}.predictor}));
      for (int i = 0; i < trace.iterations(); ++i) {
        const Found found = play(trace, i, foretold);
        counted.at_once += found.at_once;
        counted.in_time += found.in_time;
      }
      counted.calls += trace.iterations();
    }
  std::printf("%ld healthy calls, each %g times as long: somebody is named in %ld\n", counted.calls,
              times, counted.in_time);
  return counted;
}

TEST(LateCorpus, NobodyIsNamedAtTheSpeedThatWasRecorded) {
  const Counted counted = replay(corpus(), 1.0, from_environment("LATE_CALLS", 2'000));
  EXPECT_EQ(counted.at_once, 0);
}

/// Calls of 2 to 380 ms last 0.2 to 380 s then: a second is little, and the width of the intervals
/// decides. docs/watchdog.md tells the rates.
TEST(LateCorpus, FewAreNamedWhereASecondIsLittle) {
  const auto traces = corpus();
  const long calls = std::max(2'000L, from_environment("LATE_CALLS", 2'000) / 10);
  EXPECT_LE(replay(traces, 100.0, calls).in_time, calls / 500);
  EXPECT_LE(replay(traces, 1000.0, calls).in_time, calls / 100);
}

}  // namespace
}  // namespace pat::detail
