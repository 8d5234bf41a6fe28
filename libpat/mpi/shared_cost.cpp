#include "libpat/mpi/shared_cost.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "core/seconds.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

constexpr int shift_tag = 6;
/// How often all send in a row, and how many such rows there are after one to warm up, of empty
/// messages, which hardly take time, and of others.
constexpr int in_a_row = 2, empty_rows = 4, full_rows = 2;
/// All messages of one time together, and each at most and at least.
constexpr std::size_t most_in_all = std::size_t{1} << 19, most_bytes = std::size_t{1} << 16,
                      least_bytes = std::size_t{1} << 10;
/// Messages hinder each other from so many times on what one takes alone; less may be chance.
constexpr double telling = 1.1;

struct Ring {
  MPI_Comm comm;
  int rank = 0, ranks = 1;
};

void shift(const Ring& ring, std::vector<char>& out, std::vector<char>& in) {
  const int count = static_cast<int>(out.size());
  const int next = (ring.rank + 1) % ring.ranks, before = (ring.rank + ring.ranks - 1) % ring.ranks;
  check(PMPI_Sendrecv(out.data(), count, MPI_CHAR, next, shift_tag, in.data(), count, MPI_CHAR,
                      before, shift_tag, ring.comm, MPI_STATUS_IGNORE));
}

/// Until this process has its message, seconds, a time of each row.
void time_rows(const Ring& ring, std::size_t bytes, std::span<double> times_s) {
  std::vector<char> out(bytes), in(bytes);
  shift(ring, out, in);
  for (double& time_s : times_s) {  // no barrier: processes leave one long after each other
    const std::int64_t start_ns = now_ns();
    for (int i = 0; i < in_a_row; ++i) shift(ring, out, in);
    time_s = seconds(now_ns() - start_ns) / in_a_row;
  }
}

/// Until a process has its message, of no bytes and of `bytes`, seconds: the least of each, as
/// others may have had the cores meanwhile. The same everywhere. Collective.
MessageTimes all_at_once(const Ring& ring, std::size_t bytes) {
  std::array<double, empty_rows + full_rows> times_s{};
  const auto empty = std::span(times_s).first<empty_rows>();
  const auto full = std::span(times_s).last<full_rows>();
  time_rows(ring, 0, empty);  // first: behind long ones they take longer
  time_rows(ring, bytes, full);
  check(PMPI_Allreduce(MPI_IN_PLACE, times_s.data(), static_cast<int>(times_s.size()), MPI_DOUBLE,
                       MPI_SUM, ring.comm));
  return {*std::ranges::min_element(empty) / ring.ranks,
          *std::ranges::min_element(full) / ring.ranks};
}

/// By what the next longer message costs that was measured: shorter ones may be through at once (a
/// bucket of tokens lets them).
double alone_s(const Calibration& calibration, std::size_t bytes) {
  const auto longer = std::ranges::find_if(calibration.messages,
                                           [&](const auto& one) { return one.bytes >= bytes; });
  const Calibration::Message& next =
      longer == calibration.messages.end() ? calibration.messages.back() : *longer;
  return next.cost.message_s(static_cast<double>(bytes));
}

/// For which there is time, even if all messages of a round go one after the other; 0: none.
std::size_t bytes_of(const Ring& ring, const Calibration& calibration, double budget_s) {
  constexpr double rounds = 1 + full_rows * in_a_row;
  for (std::size_t bytes = most_bytes; bytes >= least_bytes; bytes /= 2)
    if (bytes * static_cast<std::size_t>(ring.ranks) <= most_in_all &&
        2.0 * rounds * alone_s(calibration, bytes) <= budget_s)
      return bytes;
  return 0;
}

}  // namespace

SharedCost shared_cost(int ranks, double cores, double bytes, const MessageTimes& at_once,
                       const MessageTimes& alone) {
  constexpr double ends = 2.0;
  SharedCost shared;
  if (at_once.empty_s > telling * alone.empty_s) {  // the first one takes its time in any case
    const double each_s = (at_once.empty_s - alone.empty_s) / (ranks - 1);
    shared.message_s = std::min(each_s, ends * alone.empty_s / cores);
  }
  if (at_once.full_s > telling * alone.full_s) {
    const double each_s = std::min(at_once.full_s / ranks, ends * alone.full_s / cores);
    shared.s_per_byte = std::max(0.0, each_s - shared.message_s) / bytes;
  }
  return shared;
}

SharedCost measure_shared_cost(MPI_Comm comm, const Calibration& calibration, double crowd,
                               double budget_s) {
  Ring ring{comm};
  check(PMPI_Comm_rank(comm, &ring.rank));
  check(PMPI_Comm_size(comm, &ring.ranks));
  if (ring.ranks < 3 || calibration.messages.empty() || crowd <= 1.0) return {};
  const std::size_t bytes = bytes_of(ring, calibration, budget_s);
  if (bytes == 0) return {};
  const MessageTimes times = all_at_once(ring, bytes);
  const SharedCost found =
      shared_cost(ring.ranks, ring.ranks / crowd, static_cast<double>(bytes), times,
                  {alone_s(calibration, 0), alone_s(calibration, bytes)});
  if (ring.rank == 0)
    spdlog::debug(
        "{} processes send at once: {:.1f} us without bytes, {:.1f} us with {}; of what they share "
        "a message takes {:.2f} us and a byte {:.3f} ns",
        ring.ranks, 1e6 * times.empty_s, 1e6 * times.full_s, bytes, 1e6 * found.message_s,
        1e9 * found.s_per_byte);
  return found;
}

}  // namespace pat::detail
