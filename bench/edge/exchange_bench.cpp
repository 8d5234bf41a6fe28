// What it takes when two processes send to each other at once, over one of them sending alone: 1
// where links carry both directions at once, 2 where one direction waits for the other. Beside it a
// ring, in which each sends to the next and receives from the one before: as many bytes each way,
// but between other partners. Vectors go in one message or in pieces that are all under way at
// once.
//
//   mpirun -n 4 build/release/bin/exchange_bench [BYTES [ROUNDS]]

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/statistics.hpp"

namespace {

struct Partners {
  int to, from;  ///< MPI_PROC_NULL: none
};

class Vectors {
 public:
  Vectors(std::size_t bytes, std::size_t piece) : piece_(piece), sent_(bytes, 1), received_(bytes) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  /// From a barrier until the last process has all.
  double exchange_s(Partners partners) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start_s = MPI_Wtime();
    std::vector<MPI_Request> requests;
    for (std::size_t at = 0; at < sent_.size(); at += piece_)
      MPI_Irecv(&received_[at], length(at), MPI_CHAR, partners.from, 0, MPI_COMM_WORLD,
                &requests.emplace_back());
    for (std::size_t at = 0; at < sent_.size(); at += piece_)
      MPI_Isend(&sent_[at], length(at), MPI_CHAR, partners.to, 0, MPI_COMM_WORLD,
                &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    const double own_s = MPI_Wtime() - start_s;
    double last_s = 0.0;
    MPI_Allreduce(&own_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last_s;
  }

  /// The even ones send, the odd ones receive.
  Partners one_way() const {
    const int other = partner();
    return rank_ % 2 == 0 ? Partners{other, MPI_PROC_NULL} : Partners{MPI_PROC_NULL, other};
  }
  Partners both_ways() const { return {partner(), partner()}; }
  Partners ring() const { return {(rank_ + 1) % ranks_, (rank_ + ranks_ - 1) % ranks_}; }

 private:
  int partner() const { return (rank_ ^ 1) < ranks_ ? rank_ ^ 1 : MPI_PROC_NULL; }
  int length(std::size_t at) const { return static_cast<int>(std::min(piece_, sent_.size() - at)); }

  std::size_t piece_;
  std::vector<char> sent_, received_;
  int rank_ = 0, ranks_ = 1;
};

/// A line of the table; the three in turn.
void measure(std::size_t bytes, std::size_t piece, int rounds, bool speaks) {
  Vectors vectors(bytes, piece);
  std::vector<double> one_s, both_s, ring_s;
  vectors.exchange_s(vectors.both_ways());  // connections open
  vectors.exchange_s(vectors.ring());
  for (int round = 0; round < rounds; ++round) {
    one_s.push_back(vectors.exchange_s(vectors.one_way()));
    both_s.push_back(vectors.exchange_s(vectors.both_ways()));
    ring_s.push_back(vectors.exchange_s(vectors.ring()));
  }
  if (!speaks) return;
  const double one = pat::median(one_s);
  std::printf("%10zu %10.2f %10.2f %10.2f\n", piece, 1e3 * one, pat::median(both_s) / one,
              pat::median(ring_s) / one);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long bytes = argc > 1 ? std::atol(argv[1]) : 4L << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (ranks < 2 || bytes < 1 || bytes > (1L << 30) || rounds < 1) {
    if (rank == 0)
      std::fprintf(
          stderr,
          "usage: mpirun -n 2 or more exchange_bench [BYTES [ROUNDS]], bytes up to 1 GiB\n");
    MPI_Finalize();
    return 2;
  }
  if (rank == 0)
    std::printf("%ld bytes\n%10s %10s %10s %10s\n", bytes, "piece", "one way ms", "both ways",
                "ring");
  std::vector<std::size_t> pieces = {static_cast<std::size_t>(bytes)};
  for (const std::size_t piece : {1048576, 262144, 131072, 65536, 64000, 32768, 16384})
    if (piece < pieces.front()) pieces.push_back(piece);
  for (const std::size_t piece : pieces)
    measure(static_cast<std::size_t>(bytes), piece, rounds, rank == 0);
  MPI_Finalize();
}
