#include "tools/bench/link_costs.hpp"

#include <mpi.h>

#include <algorithm>

#include "core/statistics.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/crowding.hpp"
#include "libpat/mpi/eager_limit.hpp"
#include "libpat/mpi/incast.hpp"
#include "libpat/mpi/likely_limits.hpp"
#include "libpat/mpi/shared_cost.hpp"

namespace pat::bench {
namespace {

constexpr int tag = 1;

/// One-way times in seconds between rank 0 and the last rank; none on the others.
std::vector<double> one_way_times_s(const Group& group, std::size_t bytes, int repetitions) {
  const int last = group.ranks - 1;
  std::vector<double> times_s;
  if (group.rank != 0 && group.rank != last) return times_s;
  std::vector<char> data(bytes);
  const int count = static_cast<int>(bytes), peer = group.rank == 0 ? last : 0;
  for (int i = -2; i < repetitions; ++i) {  // two to warm up
    const double start_s = MPI_Wtime();
    if (group.rank == 0) {
      MPI_Send(data.data(), count, MPI_CHAR, peer, tag, group.comm);
      MPI_Recv(data.data(), count, MPI_CHAR, peer, tag, group.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(data.data(), count, MPI_CHAR, peer, tag, group.comm, MPI_STATUS_IGNORE);
      MPI_Send(data.data(), count, MPI_CHAR, peer, tag, group.comm);
    }
    if (i >= 0) times_s.push_back((MPI_Wtime() - start_s) / 2);
  }
  return times_s;
}

/// Median seconds a byte that this process needs to add doubles.
double combining_s_per_byte(std::size_t bytes, int repetitions) {
  const int count = static_cast<int>(std::max<std::size_t>(1, bytes / sizeof(double)));
  std::vector<double> in(static_cast<std::size_t>(count), 1.0), inout(in);
  std::vector<double> times_s;
  const int inner = std::max(1, 65536 / count);
  for (int i = -1; i < repetitions; ++i) {
    const double start_s = MPI_Wtime();
    for (int k = 0; k < inner; ++k)
      MPI_Reduce_local(in.data(), inout.data(), count, MPI_DOUBLE, MPI_SUM);
    if (i >= 0) times_s.push_back((MPI_Wtime() - start_s) / inner);
  }
  return median(times_s) / (static_cast<double>(count) * sizeof(double));
}

/// Alpha and beta near size i: beta is the slope between the neighbours, alpha what is left.
LinkCost local_cost(const std::vector<std::size_t>& bytes, const std::vector<double>& time_s,
                    std::size_t i) {
  const std::size_t below = i == 0 ? 0 : i - 1, above = std::min(i + 1, bytes.size() - 1);
  LinkCost cost{time_s[i], 0.0, 0.0};
  if (above == below) return cost;
  const auto size = [&](std::size_t k) { return static_cast<double>(bytes[k]); };
  cost.beta_s_per_byte =
      std::max(0.0, (time_s[above] - time_s[below]) / (size(above) - size(below)));
  // A slope that noise made too steep.
  const double least_s = std::min(0.5 * time_s.front(), time_s[i]);
  cost.alpha_s = time_s[i] - size(i) * cost.beta_s_per_byte;
  if (cost.alpha_s < least_s) {
    cost.alpha_s = least_s;
    cost.beta_s_per_byte = (time_s[i] - least_s) / size(i);
  }
  return cost;
}

}  // namespace

std::vector<Calibration::Message> measure_messages(const Group& group,
                                                   const std::vector<std::size_t>& bytes,
                                                   int repetitions, int& noisy,
                                                   const std::function<void()>& step) {
  std::vector<double> time_s;
  for (const std::size_t size : bytes) {
    const std::vector<double> times_s = one_way_times_s(group, size, repetitions);
    if (group.rank == 0) {
      time_s.push_back(median(times_s));
      noisy += is_noisy(times_s);
    }
    step();
  }
  MPI_Barrier(group.comm);
  std::vector<Calibration::Message> messages;
  if (group.rank != 0) return messages;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    LinkCost cost = local_cost(bytes, time_s, i);
    cost.gamma_s_per_byte = combining_s_per_byte(bytes[i], repetitions);
    messages.push_back({bytes[i], cost});
  }
  return messages;
}

std::size_t measure_eager_bytes(const Group& group, const Calibration& costs) {
  constexpr double most_s = 2.0;
  const int last = group.ranks - 1;
  const auto message_s = [&](std::size_t bytes) {
    return costs.link(bytes, {}).message_s(static_cast<double>(bytes));
  };
  if (group.ranks > 1 && group.rank == last) detail::answer_eager_probes(group.comm, 0);
  if (group.ranks < 2 || group.rank != 0) return 0;
  return detail::eager_limit(group.comm, last, detail::likely_eager_limits(), message_s, most_s);
}

SharedCost measure_shared(const Group& group, const Calibration& costs) {
  constexpr double most_s = 2.0;
  std::string known = group.rank == 0 ? to_json(costs) : std::string();
  detail::broadcast_text(group.comm, known);
  return detail::measure_shared_cost(group.comm, parse_calibration(known),
                                     detail::processes_per_core(group.comm), most_s);
}

std::vector<Calibration::Incast> measure_incasts(const Group& group,
                                                 const std::vector<std::size_t>& sizes,
                                                 int repetitions) {
  std::vector<Calibration::Incast> incast;
  if (group.ranks > 2)
    for (const std::size_t size : sizes)
      incast.push_back(detail::measure_incast(
          group.comm, std::max<std::size_t>(1, size / static_cast<std::size_t>(group.ranks)),
          repetitions, 2));
  return incast;
}

}  // namespace pat::bench
