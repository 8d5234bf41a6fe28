// Measures the emulated cluster and compares it with what was asked for: ping-pong latency and
// bandwidth, incast on one node, agreement of the clocks, and how late sleeping ranks wake up.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"

namespace {

struct Asked {
  double rate_bps = 1e9;             ///< of a link, as on the label
  double latency_ns = 0;             ///< one way
  std::string latency_added = "no";  ///< "yes" if the links delay packets
  double tolerance = 0.1;
};

/// Payload per byte on the wire: 1448 of 1538 with TCP time stamps in Ethernet frames of 1500
/// bytes.
constexpr double payload_share = 1448.0 / 1538.0;

double now_s() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double payload_bytes_per_s(const Asked& asked) {
  return asked.rate_bps / 8.0 * payload_share;
}

/// Duration of one exchange of `bytes` there and back between ranks 0 and 1, on rank 0, seconds.
double exchange_s(std::vector<char>& buffer, int bytes, int rank) {
  const double start = now_s();
  if (rank == 0) {
    MPI_Send(buffer.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(buffer.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  return now_s() - start;
}

std::vector<double> exchanges_s(int bytes, int repetitions, int rank) {
  std::vector<char> buffer(bytes);
  std::vector<double> result;
  for (int i = 0; i < repetitions + 1; ++i) {
    const double duration = exchange_s(buffer, bytes, rank);
    if (i > 0) result.push_back(duration);  // the first opens the connection
  }
  return result;
}

/// All other ranks send `bytes` to rank 0 at once; durations on rank 0, seconds.
std::vector<double> incasts_s(int bytes, int repetitions, int rank, int ranks) {
  std::vector<char> buffer(rank == 0 ? static_cast<std::size_t>(bytes) * ranks : bytes);
  std::vector<double> result;
  for (int i = 0; i < repetitions + 1; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = now_s();
    if (rank == 0) {
      std::vector<MPI_Request> requests(ranks - 1);
      for (int r = 1; r < ranks; ++r)
        MPI_Irecv(buffer.data() + static_cast<std::size_t>(bytes) * r, bytes, MPI_CHAR, r, 0,
                  MPI_COMM_WORLD, &requests[r - 1]);
      MPI_Waitall(ranks - 1, requests.data(), MPI_STATUSES_IGNORE);
    } else {
      MPI_Send(buffer.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    if (i > 0) result.push_back(now_s() - start);
  }
  return result;
}

struct ClockOffset {
  double offset_s = 0;  ///< the other rank's clock minus rank 0's
  double error_s = 0;   ///< half the fastest round trip: the offset is known to this
};

/// Offset of `other` against rank 0 from the fastest of several round trips; valid on rank 0.
ClockOffset clock_offset(int other, int rank) {
  ClockOffset best{0, 1e9};
  for (int i = 0; i < 20; ++i) {
    double remote = 0;
    if (rank == 0) {
      const double sent = now_s();
      MPI_Send(&remote, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
      MPI_Recv(&remote, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const double back = now_s();
      if ((back - sent) / 2 < best.error_s) best = {remote - (sent + back) / 2, (back - sent) / 2};
    } else if (rank == other) {
      MPI_Recv(&remote, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      remote = now_s();
      MPI_Send(&remote, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
  }
  return best;
}

/// How late this rank wakes from sleeps of 5 ms; all ranks' values on rank 0, seconds.
std::vector<double> lateness_s(int repetitions, int rank, int ranks) {
  std::vector<double> own;
  for (int i = 0; i < repetitions; ++i) {
    const double due = now_s() + 5e-3;
    timespec wait{0, 5000000};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, nullptr);
    own.push_back(now_s() - due);
  }
  std::vector<double> all(rank == 0 ? own.size() * ranks : 0);
  MPI_Gather(own.data(), repetitions, MPI_DOUBLE, all.data(), repetitions, MPI_DOUBLE, 0,
             MPI_COMM_WORLD);
  return all;
}

class Report {
 public:
  Report() { std::printf("%-34s %14s %14s  %s\n", "", "asked", "measured", "verdict"); }
  void line(const char* what, double asked, double measured, const char* unit, bool good) {
    std::printf("%-34s %14.3f %14.3f  %s (%s)\n", what, asked, measured, good ? "good" : "BAD",
                unit);
    all_good_ = all_good_ && good;
  }
  void note(const char* what, double measured, const char* unit) {
    std::printf("%-34s %14s %14.3f  (%s)\n", what, "", measured, unit);
  }
  bool all_good() const { return all_good_; }

 private:
  bool all_good_ = true;
};

double minimum(const std::vector<double>& sample) {
  return *std::min_element(sample.begin(), sample.end());
}

int check(const Asked& asked, int rank, int ranks) {
  // Long enough that the burst a link lets through at once does not count.
  const int bulk_bytes = static_cast<int>(std::min(64e6, payload_bytes_per_s(asked) / 16));
  const int incast_bytes = std::max(1, bulk_bytes / (ranks - 1));
  const auto small = exchanges_s(1, 200, rank);
  const auto bulk = exchanges_s(bulk_bytes, 5, rank);
  const auto incast = incasts_s(incast_bytes, 7, rank, ranks);
  double worst_excess_s = 0;
  double worst_offset_s = 0;
  for (int other = 1; other < ranks; ++other) {
    const ClockOffset offset = clock_offset(other, rank);
    worst_offset_s = std::max(worst_offset_s, std::abs(offset.offset_s));
    worst_excess_s = std::max(worst_excess_s, std::abs(offset.offset_s) - offset.error_s);
  }
  const auto lateness = lateness_s(20, rank, ranks);

  int good = 1;
  if (rank == 0) {
    Report report;
    const double goodput = payload_bytes_per_s(asked) * 8e-6;
    const double bandwidth = 2.0 * bulk_bytes * 8e-6 / minimum(bulk);
    report.line("bandwidth, fastest", goodput, bandwidth, "Mbit/s of payload",
                std::abs(bandwidth / goodput - 1) <= asked.tolerance);
    report.note("bandwidth, median", 2.0 * bulk_bytes * 8e-6 / pat::median(bulk),
                "Mbit/s of payload");
    const double latency_us = 0.5e6 * pat::median(small);
    if (asked.latency_added == "yes" && asked.latency_ns > 0)
      report.line("one-way latency, median", asked.latency_ns * 1e-3, latency_us, "us",
                  latency_us >= asked.latency_ns * 1e-3);
    else
      report.note("one-way latency, median", latency_us, "us; none can be or was added");
    const double floor_ms = 1e3 * incast_bytes * (ranks - 1) / payload_bytes_per_s(asked);
    report.line("incast on rank 0, fastest", floor_ms, 1e3 * minimum(incast), "ms",
                std::abs(1e3 * minimum(incast) / floor_ms - 1) <= asked.tolerance);
    report.note("incast on rank 0, median", 1e3 * pat::median(incast), "ms");
    report.note("incast on rank 0, slowest", 1e3 * pat::quantile(incast, 1), "ms");
    report.line("clock offset beyond its error", 0, 1e6 * std::max(0.0, worst_excess_s), "us",
                worst_excess_s <= 1e-6);
    report.note("largest estimated clock offset", 1e6 * worst_offset_s, "us");
    report.note("waking late, median", 1e3 * pat::median(lateness), "ms");
    report.note("waking late, 99 %", 1e3 * pat::quantile(lateness, 0.99), "ms");
    good = report.all_good();
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Asked asked;
  CLI::App app("Compares the cluster with what was asked for", "pat-cluster-check");
  pat::measure::HelpFormatter::use(app);
  app.add_option("--rate-bps", asked.rate_bps, "Rate of a link, bit/s")->check(CLI::PositiveNumber);
  app.add_option("--latency-ns", asked.latency_ns, "One-way latency, ns");
  app.add_option("--latency-added", asked.latency_added, "Whether links delay packets: yes or no");
  app.add_option("--tolerance", asked.tolerance,
                 "Largest relative deviation of bandwidth and incast");
  int code = 0;
  try {
    app.parse(argc, argv);
    code = ranks < 2 ? 2 : check(asked, rank, ranks);
    if (ranks < 2) std::fprintf(stderr, "pat-cluster-check: start at least two ranks.\n");
  } catch (const CLI::Success& help) {
    if (rank == 0) app.exit(help);
  } catch (const CLI::ParseError& error) {
    code = 2;
    if (rank == 0)
      std::fprintf(stderr, "pat-cluster-check: %s\n", pat::measure::complaint(app, error).c_str());
  }
  MPI_Finalize();
  return code;
}
