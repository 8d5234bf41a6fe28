#include "libpat/mpi/quick_calibration.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/seconds.hpp"
#include "core/statistics.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/eager_limit.hpp"
#include "libpat/mpi/incast.hpp"
#include "libpat/mpi/likely_limits.hpp"

namespace pat::detail {
namespace {

constexpr int message_tag = 1;
/// What is measured of a link: messages of so many bytes, so often after one to warm up.
struct Step {
  std::int64_t bytes;
  int times;
};
constexpr std::array<Step, 6> steps = {
    {{8, 4}, {4096, 3}, {65536, 1}, {262144, 1}, {1 << 20, 1}, {1 << 22, 1}}};
constexpr std::int64_t the_end = -1;
/// What of the time ping-pongs may take; what is left is for the eager limit. With less a gigabit
/// Ethernet would be known by messages of 4 KiB, which say little of large ones.
constexpr double links_share = 0.8;
/// And at least, which is enough to confirm a limit that the library is known to have.
constexpr double least_eager_share = 0.1;
/// Of the ping-pongs' time, the first link.
constexpr double first_share = 0.7;
/// From so much time on half of it is for what blocks hinder each other.
constexpr double much_time_s = 0.1;
/// How often what blocks hinder each other is measured, after once to warm up.
constexpr int incast_times = 3;

struct Sized {
  std::size_t bytes;
  double time_s, least_s;
};

using Seconds = std::chrono::duration<double>;
/// Whoever waits for others to measure leaves the core to them, which he may have to share.
constexpr Seconds nap(200e-6);

void sleep_until_asked(MPI_Comm comm) {
  for (int came = 0; !came; std::this_thread::sleep_for(nap))
    check(PMPI_Iprobe(0, MPI_ANY_TAG, comm, &came, MPI_STATUS_IGNORE));
}

/// Sends back what comes, of the sizes that are announced.
void echo(MPI_Comm comm) {
  sleep_until_asked(comm);
  std::vector<char> data;
  for (;;) {
    std::array<std::int64_t, 2> order{};  // bytes, how often
    check(PMPI_Recv(order.data(), 2, MPI_INT64_T, 0, message_tag, comm, MPI_STATUS_IGNORE));
    if (order[0] == the_end) return;
    data.resize(static_cast<std::size_t>(order[0]));
    for (std::int64_t i = 0; i < order[1]; ++i) {
      check(PMPI_Recv(data.data(), static_cast<int>(order[0]), MPI_CHAR, 0, message_tag, comm,
                      MPI_STATUS_IGNORE));
      check(PMPI_Send(data.data(), static_cast<int>(order[0]), MPI_CHAR, 0, message_tag, comm));
    }
  }
}

Sized one_way(MPI_Comm comm, int peer, const Step& step) {
  const std::array<std::int64_t, 2> order = {step.bytes, step.times + 1};
  check(PMPI_Send(order.data(), 2, MPI_INT64_T, peer, message_tag, comm));
  std::vector<char> data(static_cast<std::size_t>(step.bytes));
  std::vector<double> times_s;
  for (int i = 0; i <= step.times; ++i) {
    const std::int64_t start_ns = now_ns();
    check(PMPI_Send(data.data(), static_cast<int>(step.bytes), MPI_CHAR, peer, message_tag, comm));
    check(PMPI_Recv(data.data(), static_cast<int>(step.bytes), MPI_CHAR, peer, message_tag, comm,
                    MPI_STATUS_IGNORE));
    if (i > 0) times_s.push_back(0.5 * seconds(now_ns() - start_ns));
  }
  return {static_cast<std::size_t>(step.bytes), median(times_s),
          *std::ranges::min_element(times_s)};
}

/// At the first process. A step is left out when it would take longer than what is left.
std::vector<Sized> measure_link(MPI_Comm comm, int peer, double budget_s) {
  const std::int64_t start_ns = now_ns();
  std::vector<Sized> found;
  for (const Step& step : steps) {
    if (!found.empty()) {
      const double growth =
          static_cast<double>(step.bytes) / static_cast<double>(found.back().bytes);
      const double start_s = 0.5 * found.front().least_s,  // the rest of it may grow
          at_most_s = 2.0 * (step.times + 1) *
                      (start_s + growth * std::max(0.0, found.back().least_s - start_s));
      const bool certain = found.back().bytes >= 4096;  // small ones say nothing of large ones
      if (certain && seconds(now_ns() - start_ns) + at_most_s > budget_s) break;
    }
    found.push_back(one_way(comm, peer, step));
  }
  const std::array<std::int64_t, 2> end = {the_end, 0};
  check(PMPI_Send(end.data(), 2, MPI_INT64_T, peer, message_tag, comm));
  return found;
}

/// Seconds a byte that adding doubles takes.
double combining_s_per_byte() {
  constexpr int count = 4096;
  std::vector<double> in(count, 1.0), inout(in);
  std::vector<double> times_s;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start_ns = now_ns();
    check(PMPI_Reduce_local(in.data(), inout.data(), count, MPI_DOUBLE, MPI_SUM));
    times_s.push_back(seconds(now_ns() - start_ns));
  }
  return *std::min_element(times_s.begin(), times_s.end()) / (count * sizeof(double));
}

/// The links that are measured, the most telling one first.
std::vector<int> peers_of(int size) {
  if (size < 3) return {1};
  return {size - 1, 1};
}

/// At the first process: of each size that was measured of the first peer the slowest link.
std::vector<Sized> slowest_links(MPI_Comm comm, const std::vector<int>& peers, double budget_s) {
  const std::int64_t start_ns = now_ns();
  std::vector<Sized> slowest;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const double share = i + 1 < peers.size() ? first_share : 1.0;
    const std::vector<Sized> link =
        measure_link(comm, peers[i], share * budget_s - seconds(now_ns() - start_ns));
    if (i == 0) slowest = link;
    for (std::size_t n = 0; n < std::min(link.size(), slowest.size()); ++n)
      if (link[n].time_s > slowest[n].time_s) slowest[n] = link[n];
  }
  return slowest;
}

std::vector<Calibration::Message> messages_of(const std::vector<Sized>& link) {
  std::vector<Calibration::Message> messages;
  const double alpha_s = link.front().time_s, gamma = combining_s_per_byte();
  for (const Sized& one : link) {
    const double beyond_s = std::max(0.0, one.time_s - alpha_s);
    messages.push_back({one.bytes, {alpha_s, beyond_s / static_cast<double>(one.bytes), gamma}});
  }
  if (messages.size() > 1)  // a message of a few bytes is all start-up time
    messages.front().cost.beta_s_per_byte = messages[1].cost.beta_s_per_byte;
  return messages;
}

/// What a message of so many bytes takes, seconds.
double time_of_message_s(const Calibration& calibration, std::size_t bytes) {
  return calibration.link(bytes, {}).message_s(static_cast<double>(bytes));
}

/// Blocks of which there is time to measure what they hinder each other, smallest first; decided by
/// rank 0. Collective.
std::vector<std::int64_t> incast_sizes(MPI_Comm comm, const Calibration& calibration,
                                       double budget_s) {
  constexpr std::array<std::int64_t, 3> sizes = {1 << 10, 1 << 14, 1 << 16};
  int rank = 0, ranks = 1, count = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &ranks));
  if (rank == 0 && ranks > 2)
    for (const std::int64_t bytes : sizes) {
      const double block_s = time_of_message_s(calibration, static_cast<std::size_t>(bytes)),
                   empty_s = time_of_message_s(calibration, 0);
      budget_s -= (incast_times + 1) * ranks * 2.0 * (block_s + empty_s);
      if (budget_s < 0.0) break;
      ++count;
    }
  check(PMPI_Bcast(&count, 1, MPI_INT, 0, comm));
  return {sizes.begin(), sizes.begin() + count};
}

}  // namespace

Calibration quick_calibration(MPI_Comm comm, double budget_s) {
  int rank = 0, size = 1;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &size));
  Calibration calibration;
  if (size < 2) return calibration;
  const std::vector<int> peers = peers_of(size);
  const std::int64_t start_ns = now_ns();
  const auto left_s = [&](double of_s) { return of_s - seconds(now_ns() - start_ns); };
  const double for_pairs_s = budget_s < much_time_s ? budget_s : 0.5 * budget_s;
  if (rank == 0) {
    const std::vector<Sized> slowest = slowest_links(comm, peers, for_pairs_s * links_share);
    calibration.messages = messages_of(slowest);
    for (const Sized& one : slowest)
      spdlog::debug("a message of {} bytes takes {:.1f} us", one.bytes, 1e6 * one.time_s);
    calibration.eager_bytes = eager_limit(
        comm, peers.front(), likely_eager_limits(),
        [&](std::size_t bytes) { return time_of_message_s(calibration, bytes); },
        std::max(left_s(for_pairs_s), for_pairs_s * least_eager_share));
    if (calibration.eager_bytes > 0)
      spdlog::debug("messages of up to {} bytes leave unasked", calibration.eager_bytes);
    else
      spdlog::debug("of no message of 8 KiB or more is it known that it leaves unasked");
  } else if (std::find(peers.begin(), peers.end(), rank) != peers.end()) {
    echo(comm);
  }
  if (rank == peers.front()) {
    sleep_until_asked(comm);
    answer_eager_probes(comm, 0);
  } else if (rank != 0) {
    std::this_thread::sleep_for(Seconds(left_s(for_pairs_s)));
  }
  const double for_many_s = budget_s > for_pairs_s ? left_s(budget_s) : 0.0;
  for (const std::int64_t bytes : incast_sizes(comm, calibration, for_many_s))
    calibration.incast.push_back(
        measure_incast(comm, static_cast<std::size_t>(bytes), incast_times, 1));
  std::string text = rank == 0 ? to_json(calibration) : std::string();
  broadcast_text(comm, text);
  return parse_calibration(text);
}

void take_in_links(const std::vector<double>& slowdown, Calibration& calibration) {
  calibration.link_slowdown = slowdown;
  if (slowdown.empty()) return;
  double measured = slowdown.front();
  for (const int peer : peers_of(static_cast<int>(slowdown.size())))
    measured = std::max(measured, slowdown[static_cast<std::size_t>(peer)]);
  for (Calibration::Message& one : calibration.messages) one.cost.beta_s_per_byte /= measured;
}

}  // namespace pat::detail
