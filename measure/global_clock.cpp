#include "measure/global_clock.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/inference.hpp"

namespace pat::measure {
namespace {

constexpr int exchanges_a_point = 8;
constexpr int points = 12;
constexpr double pause_s = 2e-3;  ///< between points, so that a drift can be seen
constexpr int tag = 4711;

double own_now_s() {
  return 1e-9 * static_cast<double>(now_ns());
}

void pause_for(double seconds) {
  timespec wait{static_cast<time_t>(seconds),
                static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
  nanosleep(&wait, nullptr);
}

struct Reading {
  double own_s = 0.0;     ///< when, on the asking rank's own clock
  double offset_s = 0.0;  ///< own clock minus the partner's global time
  double error_s = 1e9;   ///< half the round trip
};

/// The fastest of several round trips; the partner answers with what `answer` gives.
Reading ask(int partner, MPI_Comm comm) {
  Reading best;
  for (int i = 0; i < exchanges_a_point; ++i) {
    double global = 0.0;
    const double sent = own_now_s();
    MPI_Sendrecv(&sent, 1, MPI_DOUBLE, partner, tag, &global, 1, MPI_DOUBLE, partner, tag, comm,
                 MPI_STATUS_IGNORE);
    const double back = own_now_s();
    const double error = (back - sent) / 2;
    if (error < best.error_s) best = {(sent + back) / 2, (sent + back) / 2 - global, error};
  }
  return best;
}

void answer(int partner, MPI_Comm comm, const GlobalClock& clock) {
  for (int i = 0; i < exchanges_a_point; ++i) {
    double asked = 0.0;
    MPI_Recv(&asked, 1, MPI_DOUBLE, partner, tag, comm, MPI_STATUS_IGNORE);
    const double global = clock.now_s();
    MPI_Send(&global, 1, MPI_DOUBLE, partner, tag, comm);
  }
}

ClockModel learn(int partner, MPI_Comm comm) {
  std::vector<double> own, offset;
  for (int i = 0; i < points; ++i) {
    const Reading reading = ask(partner, comm);
    own.push_back(reading.own_s);
    offset.push_back(reading.offset_s);
    pause_for(pause_s);
  }
  const Trend line = linear_trend(own, offset);
  return {line.intercept, line.slope};
}

bool one_kernel(MPI_Comm comm) {
  char id[64] = {};
  std::ifstream("/proc/sys/kernel/random/boot_id").read(id, sizeof id - 1);
  char first[64];
  std::memcpy(first, id, sizeof id);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
  int same = id[0] != '\0' && std::memcmp(first, id, sizeof id) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, comm);
  return same != 0;
}

}  // namespace

GlobalClock::GlobalClock(MPI_Comm comm, bool always_learn) {
  shared_ = one_kernel(comm) && !always_learn;
  if (shared_) return;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int step = 1;
  while (step < ranks) step *= 2;
  for (step /= 2; step >= 1; step /= 2) {
    if (rank % (2 * step) == 0 && rank + step < ranks)
      for (int i = 0; i < points; ++i) answer(rank + step, comm, *this);
    else if (rank % (2 * step) == step)
      model_ = learn(rank - step, comm);
  }
}

double GlobalClock::now_s() const {
  const double own = own_now_s();
  return own - (model_.offset_s + model_.drift * own);
}

double GlobalClock::to_own(double global_s) const {
  return (global_s + model_.offset_s) / (1.0 - model_.drift);
}

void GlobalClock::sleep_until(double until_s, bool (*interrupted)()) const {
  for (;;) {
    if (interrupted != nullptr && interrupted()) return;
    const double remaining = to_own(until_s) - own_now_s();
    if (remaining <= 0.0) return;
    pause_for(std::min(remaining, 0.2));
  }
}

GlobalClock::Skew GlobalClock::measure_skew(MPI_Comm comm) const {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Skew skew;
  for (int other = 1; other < ranks; ++other) {
    if (rank == 0) answer(other, comm, *this);
    if (rank != other) continue;
    const Reading reading = ask(0, comm);
    const double offset = reading.offset_s - (model_.offset_s + model_.drift * reading.own_s);
    skew = {std::abs(offset), reading.error_s};
  }
  double mine[2] = {skew.largest_s, skew.precision_s};
  double all[2] = {0.0, 0.0};
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
  return {all[0], all[1]};
}

}  // namespace pat::measure
