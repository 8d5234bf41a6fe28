// Several communicators: processes stand in a grid, and each computes a row sum and a column sum of its
// block again and again. The regions of rows and of columns are foretold apart, as their phases differ, and
// each call is decided in its own communicator. Two calls overlap: the rows' results are asked for while the
// columns compute.
//
//     mpicxx -std=c++17 -O2 communicators.cpp $(pkg-config --cflags --libs pat) -o communicators
//     PAT_REPORT=stderr mpirun -n 6 ./communicators

#include <cstdio>
#include <numeric>
#include <pat/pat.hpp>
#include <vector>

int main(int argc, char** argv) {
  int provided = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int shape[2] = {0, 0};
  MPI_Dims_create(ranks, 2, shape);
  const int my_row = rank / shape[1], my_column = rank % shape[1];
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, my_row, my_column, &row);
  MPI_Comm_split(MPI_COMM_WORLD, my_column, my_row, &column);
  try {
    const pat::Session session;
    pat::Region in_rows(row, "rows"), in_columns(column, "columns");
    constexpr int n = 300, iterations = 10;
    std::vector<double> block(n * n, rank + 1.0), row_sums(n), column_sums(n), row_totals(n), column_totals(n);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      pat::Request rows_are_summed;
      {
        auto phase = in_rows.processing();
        for (int i = 0; i < n; ++i) {
          row_sums[i] = std::accumulate(&block[i * n], &block[i * n] + n, 0.0);
          if (i == n / 2) phase.edge(0.5);
        }
      }
      rows_are_summed = pat::ireduce(row_sums.data(), row_totals.data(), n, MPI_DOUBLE, MPI_SUM, 0, row);
      {
        auto phase = in_columns.processing();
        column_sums.assign(n, 0.0);
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) column_sums[j] += block[i * n + j];
          if (i == n / 2) phase.edge(0.5);
        }
      }
      pat::reduce(column_sums.data(), column_totals.data(), n, MPI_DOUBLE, MPI_SUM, 0, column);
      rows_are_summed.wait();
    }
    // Rank 0 is the first of its row and of its column.
    double everything = my_column == 0 ? std::accumulate(row_totals.begin(), row_totals.end(), 0.0) : 0.0, total = 0.0;
    pat::reduce(&everything, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%d x %d processes: the sum is %.0f, and should be %.0f\n", shape[0], shape[1], total,
                  0.5 * ranks * (ranks + 1.0) * n * n);
  } catch (const pat::Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Finalize();
}
