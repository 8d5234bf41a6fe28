// What an annotation call costs the application's thread: PAT_Edge beside the clocks it could use;
// and what a call does under a decision whose pattern has not changed.
// Run alone or under mpirun; PAT_DAEMON=off measures the calls without a background thread.
//
//   build/release/bin/edge_bench

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <papi.h>
#include <pat/pat.h>
#include <time.h>

#include "core/clock.hpp"
#include "libpat/agreement/kept_program.hpp"

namespace {

/// Edges a phase: fewer than the event queue holds, as in a real program.
constexpr int edges_per_phase = 256;

void edge(benchmark::State& state) {
  int edges = 0;
  PAT_ProcessingStart();
  for (auto _ : state) {
    benchmark::DoNotOptimize(PAT_Edge(0.5));
    if (++edges < edges_per_phase) continue;
    state.PauseTiming();  // a new phase; and the daemon takes what has queued up
    edges = 0;
    PAT_ProcessingEnd();
    double forecast_s = 0.0;
    PAT_GetForecast(PAT_REGION_DEFAULT, &forecast_s, nullptr, nullptr);
    PAT_ProcessingStart();
    state.ResumeTiming();
  }
  PAT_ProcessingEnd();
}
BENCHMARK(edge)->Name("PAT_Edge");

void start_and_end(benchmark::State& state) {
  for (auto _ : state) {
    PAT_ProcessingStart();
    PAT_ProcessingEnd();
  }
}
BENCHMARK(start_and_end)->Name("PAT_ProcessingStart+End");

void own_clock(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(pat::now_ns());
}
BENCHMARK(own_clock)->Name("pat::now_ns");

void monotonic_clock(benchmark::State& state) {
  timespec t;
  for (auto _ : state) {
    clock_gettime(CLOCK_MONOTONIC, &t);
    benchmark::DoNotOptimize(t);
  }
}
BENCHMARK(monotonic_clock)->Name("clock_gettime");

void papi_clock(benchmark::State& state) {
  pat::clock_info();
  for (auto _ : state) benchmark::DoNotOptimize(PAPI_get_real_nsec());
}
BENCHMARK(papi_clock)->Name("PAPI_get_real_nsec");

/// What an unchanged pattern of so many processes costs before a schedule that is kept for it.
void kept_program(benchmark::State& state) {
  const int ranks = static_cast<int>(state.range(0));
  pat::ArrivalPattern pattern = pat::ArrivalPattern::flat(ranks);
  for (int r = 0; r < ranks; ++r)
    pattern.offset_s[static_cast<std::size_t>(r)] = 1e-4 * ((r * 37) % 101);
  pat::detail::Decision decision;
  pat::detail::set_pattern(decision, pattern);
  decision.choose(pat::get_algorithm(pat::Operation::reduce, "clairvoyant"));
  decision.segments = 16;
  decision.variant = 1;
  pat::Problem problem;
  problem.operation = pat::Operation::reduce;
  problem.ranks = ranks;
  problem.units = 1 << 16;
  problem.segments = 16;
  problem.variant = 1;
  problem.only_rank = 0;
  pat::detail::KeptProgram kept;
  kept.get(problem, decision, nullptr);
  const pat::detail::Decision next = decision;
  for (auto _ : state) benchmark::DoNotOptimize(kept.find(next, nullptr));
}
BENCHMARK(kept_program)->Arg(8)->Arg(512)->Arg(4096);

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  PAT_Init();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  PAT_Finalize();
  MPI_Finalize();
}
