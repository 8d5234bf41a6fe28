// How long it takes to ask at a slot who is there, as `tree-dyn` does (seed 002 Section 3.2): by
// one atomic operation on the keeper's memory (MPI_Fetch_and_op), or by a letter and its answer.
// The keeper waits inside MPI, computes and looks at MPI now and then, or computes while a thread
// of its own looks, as PAT's daemon does.
//
//   mpirun -n P build/release/bin/meeting_bench [--single]
//
// Rank 0 keeps the slot, the last rank asks; --single: MPI is started without threads.

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <string>
#include <thread>
#include <vector>

#include "core/statistics.hpp"

namespace {

constexpr int asked = 200, question = 1, answer = 2, over = 3;
constexpr auto look_of_thread = std::chrono::microseconds(50);
constexpr auto slice_of_computing = std::chrono::milliseconds(2);

double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// One look: answers a letter, if there is one, and lets MPI do what it has to. True: all is over.
bool look(int asker) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(asker, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (!there) return false;
  int who = 0;
  MPI_Recv(&who, 1, MPI_INT, asker, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (status.MPI_TAG == over) return true;
  MPI_Send(&who, 1, MPI_INT, asker, answer, MPI_COMM_WORLD);
  return false;
}

void keep_waiting(int asker) {
  while (!look(asker)) std::this_thread::yield();
}
/// Asleep in place of computing, so that cores which are shared do not distort it.
void keep_computing(int asker) {
  while (!look(asker)) std::this_thread::sleep_for(slice_of_computing);
}
void keep_by_thread(int asker) {
  std::atomic<bool> done = false;
  std::thread looking([&] {
    while (!look(asker)) std::this_thread::sleep_for(look_of_thread);
    done = true;
  });
  while (!done) std::this_thread::sleep_for(slice_of_computing);
  looking.join();
}

void ask_by_letter(MPI_Win) {
  int who = 0;
  MPI_Sendrecv(&who, 1, MPI_INT, 0, question, &who, 1, MPI_INT, 0, answer, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
void ask_by_atomic(MPI_Win window) {
  const int who = 1;
  int before = 0;
  MPI_Fetch_and_op(&who, &before, MPI_INT, 0, 0, MPI_REPLACE, window);
  MPI_Win_flush(0, window);
}

struct Row {
  double median_us = 0.0, worst_us = 0.0, keeper_cpu_us = 0.0;
};

Row measure(int rank, int asker, MPI_Win window, void (*keep)(int), void (*ask)(MPI_Win)) {
  std::vector<double> took_us;
  MPI_Barrier(MPI_COMM_WORLD);
  const double before_s = cpu_s();
  double used_s = 0.0;
  if (rank == 0) {
    keep(asker);
    used_s = cpu_s() - before_s;
  } else if (rank == asker) {
    for (int i = 0; i < asked; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(300 + 37 * (i % 11)));
      const double start_s = MPI_Wtime();
      ask(window);
      took_us.push_back(1e6 * (MPI_Wtime() - start_s));
    }
    const int nobody = 0;
    MPI_Send(&nobody, 1, MPI_INT, 0, over, MPI_COMM_WORLD);
  }
  Row row;
  if (rank == asker)
    row = {pat::median(took_us), *std::max_element(took_us.begin(), took_us.end()), 0.0};
  MPI_Bcast(&row, sizeof row, MPI_BYTE, asker, MPI_COMM_WORLD);
  row.keeper_cpu_us = 1e6 * used_s / asked;
  return row;
}

/// A window with one slot; null where the library cannot make one.
MPI_Win make_window(int rank, int* slot) {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Win_create(slot, rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
                                  MPI_COMM_WORLD, &window);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (code == MPI_SUCCESS) return window;
  if (rank == 0) std::printf("atomics: MPI cannot make a window here\n");
  return MPI_WIN_NULL;
}

}  // namespace

int main(int argc, char** argv) {
  const bool single = argc == 2 && std::strcmp(argv[1], "--single") == 0;
  int level = MPI_THREAD_SINGLE, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2 || (argc > 1 && !single)) {
    if (rank == 0)
      std::fprintf(stderr, "usage: mpirun -n P meeting_bench [--single], P at least 2\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int slot = 0;
  MPI_Win window = make_window(rank, &slot);
  struct {
    const char* name;
    void (*keep)(int);
  } const keepers[] = {{"waits in MPI", keep_waiting},
                       {"computes, looks every 2 ms", keep_computing},
                       {"computes, a thread looks", keep_by_thread}};
  if (rank == 0)
    std::printf("%-28s %-8s %10s %10s %18s\n", "the keeper", "by", "median us", "worst us",
                "keeper's CPU us");
  for (const auto& [name, keep] : keepers) {
    if (keep == keep_by_thread && level != MPI_THREAD_MULTIPLE) continue;
    for (const bool atomic : {false, true}) {
      if (atomic && window == MPI_WIN_NULL) continue;
      if (atomic) MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
      const Row row =
          measure(rank, ranks - 1, window, keep, atomic ? ask_by_atomic : ask_by_letter);
      if (atomic) MPI_Win_unlock_all(window);
      if (rank == 0)
        std::printf("%-28s %-8s %10.1f %10.1f %18.1f\n", name, atomic ? "atomic" : "letter",
                    row.median_us, row.worst_us, row.keeper_cpu_us);
    }
  }
  if (window != MPI_WIN_NULL) MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
