// solver.c in C++: phases are scopes, and what goes wrong is thrown.
//
//     mpicxx -std=c++17 -O2 solver.cpp $(pkg-config --cflags --libs pat) -o solver
//     PAT_REPORT=stderr mpirun -n 4 ./solver 200

#include <cstdio>
#include <cstdlib>
#include <pat/pat.hpp>
#include <vector>

namespace {

class Solver {
 public:
  Solver(int n, MPI_Comm comm) : n_(n), comm_(comm), matrix_(comm, "matrix"), update_(comm, "update") {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    rows_ = rows_of(rank_);
    x_.resize((rows_ + 2) * n);
    r_ = p_ = q_ = x_;
  }

  int solve() {
    for (int i = n_; i < (rows_ + 1) * n_; ++i) p_[i] = r_[i] = 1.0 / ((n_ + 1.0) * (n_ + 1.0));
    double mine = 0;
    for (const double r : r_) mine += r * r;
    double rr = sum_over_all(mine);
    const double first = rr;
    int iteration = 0;
    for (; iteration < 10 * n_ && rr > 1e-16 * first; ++iteration) {
      const double alpha = rr / sum_over_all(multiply());
      const double before = rr;
      rr = sum_over_all(advance(alpha));
      for (int i = n_; i < (rows_ + 1) * n_; ++i) p_[i] = r_[i] + rr / before * p_[i];
    }
    return iteration;
  }

  /// The solution in the middle, at rank 0.
  double middle() {
    std::vector<int> counts, starts;
    for (int r = 0, at = 0; r < ranks_; at += counts[r++]) {
      counts.push_back(rows_of(r) * n_);
      starts.push_back(at);
    }
    std::vector<double> whole(rank_ == 0 ? n_ * n_ : 0);
    pat::gatherv(x_.data() + n_, rows_ * n_, MPI_DOUBLE, whole.data(), counts.data(), starts.data(), MPI_DOUBLE, 0,
                 comm_);
    return rank_ == 0 ? whole[n_ / 2 * n_ + n_ / 2] : 0.0;
  }

 private:
  int rows_of(int rank) const { return n_ / ranks_ + (rank < n_ % ranks_); }

  void exchange_halo() {
    const int above = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL, below = rank_ < ranks_ - 1 ? rank_ + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&p_[n_], n_, MPI_DOUBLE, above, 0, &p_[(rows_ + 1) * n_], n_, MPI_DOUBLE, below, 0, comm_,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p_[rows_ * n_], n_, MPI_DOUBLE, below, 1, &p_[0], n_, MPI_DOUBLE, above, 1, comm_, MPI_STATUS_IGNORE);
  }

  double multiply() {
    auto phase = matrix_.processing();  // until the end of the function
    {
      const auto pause = phase.pause();  // messages are no computing
      exchange_halo();
    }
    double dot = 0;
    for (int i = 1; i <= rows_; ++i) {
      for (int j = 0; j < n_; ++j) {
        const double* u = &p_[i * n_ + j];
        q_[i * n_ + j] = 4 * u[0] - u[-n_] - u[n_] - (j > 0 ? u[-1] : 0) - (j < n_ - 1 ? u[1] : 0);
        dot += u[0] * q_[i * n_ + j];
      }
      if (i == rows_ / 2) phase.edge(0.5);  // half of it is done
    }
    return dot;
  }

  double advance(double alpha) {
    const auto phase = update_.processing();
    double mine = 0;
    for (int i = n_; i < (rows_ + 1) * n_; ++i) {
      x_[i] += alpha * p_[i];
      r_[i] -= alpha * q_[i];
      mine += r_[i] * r_[i];
    }
    return mine;
  }

  double sum_over_all(double mine) {
    double sum = 0;
    pat::allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return sum;
  }

  int n_, rank_ = 0, ranks_ = 1, rows_ = 0;
  MPI_Comm comm_;
  pat::Region matrix_, update_;
  std::vector<double> x_, r_, p_, q_;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const pat::Session session;
    const int n = argc > 1 ? std::atoi(argv[1]) : 64;
    Solver solver(n, MPI_COMM_WORLD);
    const int iterations = solver.solve();
    const double middle = solver.middle();
    if (rank == 0) std::printf("%d x %d points: %d iterations\nu = %.6f in the middle\n", n, n, iterations, middle);
  } catch (const pat::Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
