#include "tools/bench/link_costs.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/statistics.hpp"

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

// ---- eager messages ----

namespace {

/// Whether a message of that size leaves its sender although nobody has asked for it yet; known at
/// rank 0, which sends it to a process that sleeps first.
bool leaves_unasked(const Group& group, std::size_t bytes) {
  constexpr std::chrono::milliseconds sleep(10);
  constexpr int trials = 3;
  std::vector<char> data(bytes);
  int at_once = 0;
  for (int i = 0; i < trials; ++i) {
    MPI_Barrier(group.comm);
    if (group.rank == group.ranks - 1) {
      std::this_thread::sleep_for(sleep);
      MPI_Recv(data.data(), static_cast<int>(bytes), MPI_CHAR, 0, tag, group.comm,
               MPI_STATUS_IGNORE);
    } else if (group.rank == 0) {
      const double start_s = MPI_Wtime();
      MPI_Send(data.data(), static_cast<int>(bytes), MPI_CHAR, group.ranks - 1, tag, group.comm);
      at_once += MPI_Wtime() - start_s < 0.5 * std::chrono::duration<double>(sleep).count();
    }
  }
  int eager = 2 * at_once > trials;
  MPI_Bcast(&eager, 1, MPI_INT, 0, group.comm);
  return eager != 0;
}

}  // namespace

std::size_t measure_eager_bytes(const Group& group) {
  constexpr std::size_t least = 64, most = std::size_t{1} << 22;
  if (group.ranks < 2 || !leaves_unasked(group, least)) return 0;
  std::size_t eager = least, not_eager = 2 * least;
  while (not_eager <= most && leaves_unasked(group, not_eager)) {
    eager = not_eager;
    not_eager *= 2;
  }
  while (not_eager <= most && not_eager - eager > eager / 16) {
    const std::size_t middle = (eager + not_eager) / 2;
    (leaves_unasked(group, middle) ? eager : not_eager) = middle;
  }
  return eager;
}

// ---- incast ----

namespace {

/// One block of `data` goes from each process to rank 0: at once, or one after the other, each when
/// rank 0 says so. Seconds at rank 0.
double many_to_one_s(const Group& group, std::vector<char>& data, bool paced) {
  const int count = static_cast<int>(data.size()) / std::max(1, group.ranks - 1);
  std::vector<MPI_Request> requests;
  MPI_Barrier(group.comm);
  const double start_s = MPI_Wtime();
  if (group.rank != 0) {
    if (paced) MPI_Recv(nullptr, 0, MPI_CHAR, 0, tag, group.comm, MPI_STATUS_IGNORE);
    MPI_Send(data.data(), count, MPI_CHAR, 0, tag, group.comm);
    return 0.0;
  }
  for (int r = 1; r < group.ranks; ++r) {
    requests.emplace_back();
    MPI_Irecv(data.data() + static_cast<std::ptrdiff_t>(r - 1) * count, count, MPI_CHAR, r, tag,
              group.comm, &requests.back());
    if (!paced) continue;
    MPI_Send(nullptr, 0, MPI_CHAR, r, tag, group.comm);
    MPI_Wait(&requests.back(), MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return MPI_Wtime() - start_s;
}

/// All but the last of the transfers have another one that waits for the port. What they take
/// longer than one after the other, the go-aheads aside, is the stall.
Calibration::Incast measure_incast(const Group& group, std::size_t block, int repetitions) {
  const auto others = static_cast<std::size_t>(group.ranks - 1);
  std::vector<char> data(block * others);
  std::vector<double> longer_s;
  for (int i = -2; i < repetitions; ++i) {
    const double paced_s = many_to_one_s(group, data, true);
    const double at_once_s = many_to_one_s(group, data, false);
    if (i >= 0) longer_s.push_back(at_once_s - paced_s);
  }
  const std::vector<double> empty_s = one_way_times_s(group, 0, repetitions);
  const double go_ahead_s = empty_s.empty() ? 0.0 : 2.0 * median(empty_s);
  MPI_Barrier(group.comm);
  const double excess_s = median(longer_s) + static_cast<double>(others) * go_ahead_s;
  return {block, std::max(0.0, excess_s / static_cast<double>(others - 1))};
}

}  // namespace

std::vector<Calibration::Incast> measure_incasts(const Group& group,
                                                 const std::vector<std::size_t>& sizes,
                                                 int repetitions) {
  std::vector<Calibration::Incast> incast;
  if (group.ranks > 2)
    for (const std::size_t size : sizes)
      incast.push_back(measure_incast(
          group, std::max<std::size_t>(1, size / static_cast<std::size_t>(group.ranks)),
          repetitions));
  return incast;
}

}  // namespace pat::bench
