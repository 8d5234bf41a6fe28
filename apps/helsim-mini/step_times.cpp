#include "apps/helsim-mini/step_times.hpp"

#include <algorithm>
#include <ctime>

#include "apps/helsim-mini/mpi_error.hpp"

namespace helsim {

double cpu_seconds(int threads) {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec)) / threads;
}

std::vector<std::vector<StepTimes>> gather_times(MPI_Comm comm, const std::vector<StepTimes>& own) {
  int rank = 0, ranks = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const std::size_t steps = own.size(), processes = static_cast<std::size_t>(ranks);
  std::vector<StepTimes> all(rank == 0 ? steps * processes : 0);
  const int bytes = static_cast<int>(steps * sizeof(StepTimes));
  check_mpi(MPI_Gather(own.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, comm),
            "MPI_Gather");
  std::vector<std::vector<StepTimes>> by_step;
  if (rank != 0) return by_step;
  for (std::size_t step = 0; step < steps; ++step) {
    by_step.emplace_back();
    for (std::size_t r = 0; r < processes; ++r) by_step.back().push_back(all[r * steps + step]);
  }
  return by_step;
}

pat::Trace render_trace(const std::vector<std::vector<StepTimes>>& times, RenderClock clock,
                        const std::string& origin) {
  pat::Trace trace;
  trace.ranks = times.empty() ? 0 : static_cast<int>(times.front().size());
  trace.region = "render";
  trace.origin = origin;
  trace.clock = clock == RenderClock::wall ? "wall clock of rank 0"
                                           : "processor time over threads; starts taken as equal";
  pat::Trace::Hint particles{"particles", {}};
  for (const auto& step : times) {
    double first = step.front().start_s;
    for (const StepTimes& t : step) first = std::min(first, t.start_s);
    for (const StepTimes& t : step) {
      trace.computing_s.push_back(t.computing_s);
      trace.arrival_s.push_back(clock == RenderClock::wall ? t.arrival_s - first : t.computing_s);
      particles.value.push_back(t.particles);
    }
  }
  trace.hints.push_back(std::move(particles));
  return trace;
}

double accumulated_run_time_s(const std::vector<std::vector<StepTimes>>& times) {
  double sum = 0.0;
  for (const auto& step : times) {
    double first = step.front().arrival_s, last = step.front().exit_s;
    for (const StepTimes& t : step) {
      first = std::min(first, t.arrival_s);
      last = std::max(last, t.exit_s);
    }
    sum += last - first;
  }
  return sum;
}

}  // namespace helsim
