#include "libpat/mpi/eager_limit.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/seconds.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

constexpr int order_tag = 2, probe_tag = 3;
/// What the other end is to do: sleep, then receive so many bytes.
struct Probe {
  std::int64_t bytes, sleep_ns;
};
constexpr std::int64_t no_more_probes = -1;
/// Limits are powers of two, with or without the library's own header. Shorter messages than the
/// least may find room that is there once (a ring of a few KiB between two processes that share
/// memory), which says nothing of the next one.
constexpr std::size_t header = 512;
constexpr int least_power = 13, most_power = 22;
/// What a process may be held up for besides.
constexpr double held_up_s = 50e-6;

std::size_t below_power(int power) {
  return (std::size_t{1} << power) - header;
}

void order(MPI_Comm comm, int peer, const Probe& probe) {
  check(PMPI_Send(&probe, 2, MPI_INT64_T, peer, order_tag, comm));
}

/// Whether a message leaves while the other end sleeps for so long.
bool leaves_a_sleeper(MPI_Comm comm, int peer, std::size_t bytes, double sleep_s) {
  const std::vector<char> data(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  int has_left = 0;
  const std::int64_t start_ns = now_ns();
  const auto sleeps = [&] { return seconds(now_ns() - start_ns) < sleep_s; };
  order(comm, peer, {static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(1e9 * sleep_s)});
  check(
      PMPI_Isend(data.data(), static_cast<int>(bytes), MPI_CHAR, peer, probe_tag, comm, &request));
  do check(PMPI_Test(&request, &has_left, MPI_STATUS_IGNORE));
  while (!has_left && sleeps());
  const bool in_time = has_left != 0 && sleeps();
  check(PMPI_Wait(&request, MPI_STATUS_IGNORE));
  return in_time;
}

/// The probes of one search.
class Search {
 public:
  Search(MPI_Comm comm, int peer, const std::function<double(std::size_t)>& message_s,
         double budget_s)
      : comm_(comm), peer_(peer), message_s_(message_s), budget_s_(budget_s) {}

  bool is_affordable(std::size_t bytes) const {
    return seconds(now_ns() - start_ns_) + 2.0 * sleep_s(bytes) < budget_s_;
  }
  bool leaves(std::size_t bytes) const {
    return leaves_a_sleeper(comm_, peer_, bytes, sleep_s(bytes));
  }
  /// Who was held up sees a message wait that would have left. Nothing: there is no time to look.
  std::optional<bool> leaves_after_all(std::size_t bytes) const {
    constexpr int attempts = 3;
    for (int i = 0; i < attempts; ++i) {
      if (!is_affordable(bytes)) return i == 0 ? std::nullopt : std::optional(false);
      if (leaves(bytes)) return true;
    }
    return false;
  }

 private:
  double sleep_s(std::size_t bytes) const { return message_s_(bytes) + held_up_s; }

  const MPI_Comm comm_;
  const int peer_;
  const std::function<double(std::size_t)>& message_s_;
  const double budget_s_;
  const std::int64_t start_ns_ = now_ns();
};

/// The one of these limits that is of the way that the library takes: a message that just exceeds
/// the next smaller one leaves. Nothing: it is of none of them.
std::optional<std::size_t> likely_limit(const Search& search,
                                        const std::vector<std::size_t>& likely) {
  for (std::size_t i = likely.size(); i-- > 0;) {
    const std::size_t beyond =
        std::max(below_power(least_power), i > 0 ? likely[i - 1] + header : 0);
    if (likely[i] < beyond + header || !search.leaves_after_all(beyond).value_or(false)) continue;
    const std::size_t limit = likely[i] - header;
    if (search.leaves_after_all(limit).value_or(true)) return limit;
    return std::nullopt;
  }
  return std::nullopt;
}

std::size_t bisected_limit(const Search& search) {
  int eager_power = least_power - 1, waiting_power = most_power + 1;
  while (waiting_power - eager_power > 1) {
    const int power = (eager_power + waiting_power) / 2;
    if (!search.is_affordable(below_power(power)))
      waiting_power = power;  // whether it waits nobody knows
    else
      (search.leaves(below_power(power)) ? eager_power : waiting_power) = power;
  }
  std::size_t eager = eager_power < least_power ? 0 : below_power(eager_power);
  std::size_t waiting = below_power(waiting_power);
  while (eager > 0 && waiting_power <= most_power && waiting - eager > eager / 16) {
    const std::size_t middle = eager + (waiting - eager) / 2;
    if (!search.is_affordable(middle)) break;
    (search.leaves(middle) ? eager : waiting) = middle;
  }
  return eager;
}

}  // namespace

std::size_t eager_limit(MPI_Comm comm, int peer, const std::vector<std::size_t>& likely,
                        const std::function<double(std::size_t)>& message_s, double budget_s) {
  const Search search(comm, peer, message_s, budget_s);
  const std::optional<std::size_t> limit = likely_limit(search, likely);
  const std::size_t eager = limit ? *limit : bisected_limit(search);
  order(comm, peer, {no_more_probes, 0});
  return eager;
}

void answer_eager_probes(MPI_Comm comm, int sender) {
  std::vector<char> data;
  for (;;) {
    Probe probe{};
    check(PMPI_Recv(&probe, 2, MPI_INT64_T, sender, order_tag, comm, MPI_STATUS_IGNORE));
    if (probe.bytes == no_more_probes) return;
    data.resize(static_cast<std::size_t>(probe.bytes));
    std::this_thread::sleep_for(std::chrono::nanoseconds(probe.sleep_ns));
    check(PMPI_Recv(data.data(), static_cast<int>(probe.bytes), MPI_CHAR, sender, probe_tag, comm,
                    MPI_STATUS_IGNORE));
  }
}

}  // namespace pat::detail
