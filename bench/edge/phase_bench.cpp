// What watching costs: processor time of an annotated phase that ends in a collective, over that of
// the same phase and the library's collective without PAT, in turn. The phases are loops of a fixed
// length, so that a busy machine stretches the wall clock and not what is measured.
//
//   build/release/bin/phase_bench [SECONDS]             # alone: nothing but PAT's own cost
//   mpirun -n 2 build/release/bin/phase_bench [SECONDS]  # the application's part holds waiting,
//   too

#include <mpi.h>
#include <pat/pat.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/statistics.hpp"

namespace {

constexpr int turns = 15;
constexpr double lengths_s[] = {1e-6, 1e-5, 1e-4, 1e-3};

double clock_s(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// What a stretch of the program took, seconds.
struct Cost {
  double wall = 0.0, thread = 0.0, process = 0.0;
  static Cost now() {
    return {clock_s(CLOCK_MONOTONIC), clock_s(CLOCK_THREAD_CPUTIME_ID),
            clock_s(CLOCK_PROCESS_CPUTIME_ID)};
  }
  Cost operator-(const Cost& other) const {
    return {wall - other.wall, thread - other.thread, process - other.process};
  }
};

void compute(long steps) {
  for (long i = 0; i < steps; ++i) asm volatile("" : : "r"(i));
}

double steps_a_second() {
  constexpr long steps = 10'000'000;
  std::vector<double> rates;
  for (int i = 0; i < 9; ++i) {
    const double before = clock_s(CLOCK_THREAD_CPUTIME_ID);
    compute(steps);
    rates.push_back(steps / (clock_s(CLOCK_THREAD_CPUTIME_ID) - before));
  }
  return pat::median(rates);
}

/// The collective that ends a phase.
struct Collective {
  const char* name;
  int bytes;
  void library() {
    if (bytes == 0)
      MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Gather(block.data(), bytes, MPI_CHAR, whole.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  void watched() {
    if (bytes == 0)
      PAT_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
      PAT_Gather(block.data(), bytes, MPI_CHAR, whole.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  double one = 1.0, sum = 0.0;
  std::vector<char> block{}, whole{};
};

void plain_phase(Collective& collective, long steps) {
  compute(steps);
  collective.library();
}

void watched_phase(Collective& collective, long steps) {
  PAT_ProcessingStart();
  compute(steps / 2);
  PAT_Edge(0.5);
  compute(steps / 2);
  PAT_ProcessingEnd();
  collective.watched();
}

template <class Phase>
Cost cost_of(const Phase& phase, Collective& collective, long steps, int phases) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Cost before = Cost::now();
  for (int i = 0; i < phases; ++i) phase(collective, steps);
  return Cost::now() - before;
}

double in_us(const std::vector<double>& sample, double q) {
  return 1e6 * pat::quantile(sample, q);
}

void measure(Collective& collective, const char* setting, double length_s, double rate,
             double turn_s, bool prints) {
  const long steps = std::max(2L, static_cast<long>(length_s * rate));
  const int phases = std::max(50, static_cast<int>(turn_s / (length_s + 2e-6)));
  std::vector<double> thread, process, daemon;
  for (int turn = -1; turn < turns; ++turn) {  // the first one warms up
    const Cost plain = cost_of(plain_phase, collective, steps, phases);
    const Cost watched = cost_of(watched_phase, collective, steps, phases);
    if (turn < 0) continue;
    thread.push_back((watched.thread - plain.thread) / phases);
    process.push_back((watched.process - plain.process) / phases);
    daemon.push_back((watched.process - watched.thread) / watched.wall);
  }
  if (!prints) return;
  std::printf("%-12s %-30s %7.0f %9.2f (%6.2f to %6.2f) %9.2f (%6.2f to %6.2f) %8.2f\n",
              collective.name, setting, 1e6 * length_s, in_us(thread, 0.5), in_us(thread, 0.25),
              in_us(thread, 0.75), in_us(process, 0.5), in_us(process, 0.25), in_us(process, 0.75),
              100.0 * pat::median(daemon));
  std::fflush(stdout);
}

void measure_with(const char* setting, double rate, double turn_s, int ranks, bool prints) {
  // The library does all calls, as decided: nothing gains twice the time that there is.
  const std::string config = std::string("gain=1;min_bytes=4096;") + setting;
  if (PAT_Init_comm(MPI_COMM_WORLD, config.c_str()) != MPI_SUCCESS) {
    std::fprintf(stderr, "phase_bench: %s\n", PAT_Error_string());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Collective sum{.name = "allreduce", .bytes = 0};
  Collective gather{.name = "gather", .bytes = 4096};
  gather.block.resize(4096);
  gather.whole.resize(4096 * static_cast<std::size_t>(ranks));
  for (const double length_s : lengths_s) measure(sum, setting, length_s, rate, turn_s, prints);
  for (const double length_s : lengths_s)
    if (ranks > 1) measure(gather, setting, length_s, rate, turn_s, prints);
  PAT_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  const double turn_s = argc > 1 ? std::atof(argv[1]) : 0.1;
  int level = MPI_THREAD_SINGLE, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double rate = steps_a_second();
  if (rank == 0)
    std::printf(
        "%d ranks; medians of %d turns of %g s, quartiles; microseconds a phase over the "
        "same phase without PAT\n%-12s %-30s %7s %28s %28s %8s\n",
        ranks, turns, turn_s, "collective", "setting", "us", "application's thread",
        "whole process", "daemon %");
  for (const char* setting :
       {"daemon=on", "daemon=on;predictor=last", "daemon=off", "daemon=off;predictor=last"})
    measure_with(setting, rate, turn_s, ranks, rank == 0);
  MPI_Finalize();
  return 0;
}
