#include <pat/pat.hpp>
#include <utility>
#include <vector>
int main(int argc, char** argv) {
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int wrong = 0;
  {
    pat::Session session(MPI_COMM_WORLD, "log=warn");
    pat::Region region(MPI_COMM_WORLD, "solver"), other = std::move(region);
    std::vector<double> mine(1000, rank), sum(1000);
    for (int i = 0; i < 5; ++i) {
      {
        auto scope = other.processing();
        scope.edge(0.5);
        scope.hint("elements", 1000);
        const auto pause = scope.pause();
      }
      pat::require(
          PAT_Reduce(mine.data(), sum.data(), 1000, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    }
    const auto ranks = static_cast<std::size_t>(size);
    const std::vector<int> counts(ranks, 1);
    std::vector<int> places(ranks), bytes(ranks), to(ranks), from(ranks, -1);
    const std::vector<MPI_Datatype> types(ranks, MPI_INT);
    for (int r = 0; r < size; ++r) {
      const auto at = static_cast<std::size_t>(r);
      places[at] = r;
      bytes[at] = r * static_cast<int>(sizeof(int));
      to[at] = rank * size + r;
    }
    const auto exchanged = [&] {
      bool all = true;
      for (int r = 0; r < size; ++r)
        all &= std::exchange(from[static_cast<std::size_t>(r)], -1) == r * size + rank;
      return all;
    };
    pat::alltoallv(to.data(), counts.data(), places.data(), MPI_INT, from.data(), counts.data(),
                   places.data(), MPI_INT, MPI_COMM_WORLD);
    if (!exchanged()) wrong = 8;
    pat::alltoallw(to.data(), counts.data(), bytes.data(), types.data(), from.data(), counts.data(),
                   bytes.data(), types.data(), MPI_COMM_WORLD);
    if (!exchanged()) wrong = 9;
    {
      auto request =
          pat::ialltoallw(to.data(), counts.data(), bytes.data(), types.data(), from.data(),
                          counts.data(), bytes.data(), types.data(), MPI_COMM_WORLD);
      request.wait();
    }
    if (!exchanged()) wrong = 10;
    // On a ring what goes to the left lands as the block of the right.
    const int periodic = 1;
    int left = 0, right = 0;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Cart_shift(ring, 0, 1, &left, &right);
    const int ones[] = {1, 1}, two[] = {0, 1}, sides[] = {2 * rank, 2 * rank + 1};
    const MPI_Aint far[] = {0, sizeof(int)};
    int around[] = {-1, -1};
    const auto came = [&](int from_left, int from_right) {
      return std::exchange(around[0], -1) == from_left &&
             std::exchange(around[1], -1) == from_right;
    };
    pat::neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, ring);
    if (!came(left, right)) wrong = 11;
    pat::neighbor_allgatherv(&rank, 1, MPI_INT, around, ones, two, MPI_INT, ring);
    if (!came(left, right)) wrong = 12;
    pat::neighbor_alltoall(sides, 1, MPI_INT, around, 1, MPI_INT, ring);
    if (!came(2 * left + 1, 2 * right)) wrong = 13;
    pat::neighbor_alltoallv(sides, ones, two, MPI_INT, around, ones, two, MPI_INT, ring);
    if (!came(2 * left + 1, 2 * right)) wrong = 14;
    const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
    pat::ineighbor_alltoallw(sides, ones, far, ints, around, ones, far, ints, ring).wait();
    if (!came(2 * left + 1, 2 * right)) wrong = 15;
    {
      auto call =
          pat::neighbor_alltoallw_init(sides, ones, far, ints, around, ones, far, ints, ring);
      call.start();
      call.ready();
      call.wait();
    }
    if (!came(2 * left + 1, 2 * right)) wrong = 16;
    MPI_Comm_free(&ring);
    if (rank == 0 && sum[7] != size * (size - 1) / 2.0) wrong = 3;
    if (other.forecast().mean_s < 0.0) wrong = 4;
    if (other.pattern(size).first.size() != static_cast<std::size_t>(size)) wrong = 5;
    try {
      pat::require(PAT_Edge(0.5));
      wrong = 6;
    } catch (const pat::Failure& failure) {
      if (failure.code() != MPI_ERR_OTHER) wrong = 7;
    }
  }
  MPI_Finalize();
  return wrong;
}
