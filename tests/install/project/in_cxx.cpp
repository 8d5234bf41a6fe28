#include <pat/pat.hpp>
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
