// What an annotation call costs the application's thread: PAT_Edge beside the clocks it could use.
// Run alone or under mpirun; PAT_DAEMON=off measures the calls without a background thread.
//
//   build/release/bin/edge_bench

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <papi.h>
#include <pat/pat.h>
#include <time.h>

#include "core/clock.hpp"

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
