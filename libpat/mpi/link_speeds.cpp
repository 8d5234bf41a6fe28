#include "libpat/mpi/link_speeds.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "collectives/links.hpp"
#include "core/clock.hpp"
#include "core/seconds.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

constexpr int link_tag = 1;
constexpr std::size_t fewest_machines = 4;
/// How often: it is looked at closely where something is this much slower at first sight.
constexpr int once = 1, closely = 3;
constexpr double suspicious = 1.5;

std::size_t hash_of_machine() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  check(PMPI_Get_processor_name(name, &length));
  return std::hash<std::string>{}({name, static_cast<std::size_t>(length)});
}

/// Per process the number of its machine, in the order of their first processes. Collective.
std::vector<int> machines(MPI_Comm comm, int ranks) {
  const std::uint64_t mine = hash_of_machine();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  check(PMPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm));
  std::unordered_map<std::uint64_t, int> known;
  std::vector<int> machine;
  for (const std::uint64_t one : all)
    machine.push_back(known.try_emplace(one, static_cast<int>(known.size())).first->second);
  return machine;
}

double exchange_s(MPI_Comm comm, int peer, int bytes, std::vector<char>& data) {
  const std::int64_t start_ns = now_ns();
  check(PMPI_Sendrecv(data.data(), bytes, MPI_CHAR, peer, link_tag, data.data() + bytes, bytes,
                      MPI_CHAR, peer, link_tag, comm, MPI_STATUS_IGNORE));
  return seconds(now_ns() - start_ns);
}

/// Of the rounds of one process, seconds; 0: it has none.
std::array<double, link_rounds> measure(MPI_Comm comm, int own, const std::vector<int>& leaders,
                                        int bytes, int times) {
  std::array<double, link_rounds> taken{};
  std::vector<char> data(2 * static_cast<std::size_t>(bytes));
  const auto count = static_cast<int>(leaders.size());
  for (int round = 0; round < link_rounds; ++round) {
    const int other = link_partner(own, round, count);
    if (other < 0) continue;
    const int peer = leaders[static_cast<std::size_t>(other)];
    exchange_s(comm, peer, 1, data);  // opens the connection
    double least_s = exchange_s(comm, peer, bytes, data);
    for (int i = 1; i < times; ++i)
      least_s = std::min(least_s, exchange_s(comm, peer, bytes, data));
    taken[static_cast<std::size_t>(round)] = least_s;
  }
  return taken;
}

/// What the first processes of all machines measure, the same on all processes. Collective.
std::vector<LinkTime> measure_all(MPI_Comm comm, int own, const std::vector<int>& leaders,
                                  int bytes, int times) {
  int rank = 0, ranks = 1;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &ranks));
  std::array<double, link_rounds> taken{};
  if (leaders[static_cast<std::size_t>(own)] == rank)
    taken = measure(comm, own, leaders, bytes, times);
  std::vector<double> all(static_cast<std::size_t>(link_rounds * ranks));
  check(PMPI_Allgather(taken.data(), link_rounds, MPI_DOUBLE, all.data(), link_rounds, MPI_DOUBLE,
                       comm));
  const auto count = static_cast<int>(leaders.size());
  std::vector<LinkTime> found;
  for (int one = 0; one < count; ++one)
    for (int round = 0; round < link_rounds; ++round) {
      const int partner = link_partner(one, round, count);
      const int place = leaders[static_cast<std::size_t>(one)] * link_rounds + round;
      if (partner >= 0) found.push_back({one, partner, all[static_cast<std::size_t>(place)]});
    }
  return found;
}

}  // namespace

std::vector<double> link_speeds(MPI_Comm comm, const LinkCost& usual,
                                std::size_t longest_measured) {
  int rank = 0, ranks = 1;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &ranks));
  const std::vector<int> machine = machines(comm, ranks);
  std::vector<int> leaders;
  for (int r = 0; r < ranks; ++r)
    if (machine[static_cast<std::size_t>(r)] == static_cast<int>(leaders.size()))
      leaders.push_back(r);
  if (leaders.size() < fewest_machines) return {};

  const auto bytes = static_cast<int>(link_message_bytes(usual, longest_measured));
  const int own = machine[static_cast<std::size_t>(rank)];
  const auto count = static_cast<int>(leaders.size());
  std::vector<LinkTime> times = measure_all(comm, own, leaders, bytes, once);
  std::vector<double> slowdown = link_slowdown(count, times, usual.alpha_s, suspicious);
  if (!slowdown.empty()) {  // a processor that was busy elsewhere looks the same, but not each time
    const std::vector<LinkTime> again = measure_all(comm, own, leaders, bytes, closely);
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i].time_s = std::min(times[i].time_s, again[i].time_s);
    slowdown = link_slowdown(count, times, usual.alpha_s);
  }
  if (slowdown.empty()) return {};
  std::vector<double> of_ranks;
  for (int r = 0; r < ranks; ++r) {
    of_ranks.push_back(slowdown[static_cast<std::size_t>(machine[static_cast<std::size_t>(r)])]);
    if (rank == 0 && of_ranks.back() > 1.0)
      spdlog::info("the link of rank {} takes {:.1f} times as long as the others'", r,
                   of_ranks.back());
  }
  return of_ranks;
}

}  // namespace pat::detail
