// unchanged_cpp: a C++ program that knows nothing of PAT: exceptions that pass between its own
// calls of MPI and out of an error handler's way, objects that call MPI in their destructors, also
// static ones, a callback that is a lambda, and buffers given by MPI_BOTTOM. Ends with 3 where
// something is wrong.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Mpi {
  Mpi() { MPI_Init(nullptr, nullptr); }
  ~Mpi() { MPI_Finalize(); }
};

/// Meets the others when it goes, also while an exception passes.
struct Meeting {
  MPI_Comm comm;
  ~Meeting() { MPI_Barrier(comm); }
};

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 3);
  throw std::logic_error(what);
}

void must(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(std::string(text, static_cast<std::size_t>(length)));
}

/// A mistake becomes an exception, and the next call is right again.
void exceptions(int rank, int size) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<double> mine(2000, rank), all(mine.size() * static_cast<std::size_t>(size));
  const int n = static_cast<int>(mine.size());
  for (int i = 0; i < 10; ++i) {
    int caught = 0;
    try {
      const Meeting meeting{MPI_COMM_WORLD};
      must(MPI_Gather(mine.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, size + 1,
                      MPI_COMM_WORLD));
    } catch (const std::runtime_error&) {
      ++caught;
    }
    if (caught != 1) wrong("a wrong root is no exception");
    must(MPI_Gather(mine.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    if (rank == 0 && sum != n * (size * (size - 1) / 2.0)) wrong("gather after an exception");
  }
}

/// Whoever passes exceptions through MPI's functions has an operator that throws none.
void own_operator(int rank, int size) {
  MPI_Op longest;
  MPI_Op_create(
      +[](void* in, void* out, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<int*>(out)[i] = std::max(static_cast<int*>(in)[i], static_cast<int*>(out)[i]);
      },
      1, &longest);
  std::vector<int> mine(3000, rank), most(3000);
  must(MPI_Allreduce(mine.data(), most.data(), 3000, MPI_INT, longest, MPI_COMM_WORLD));
  must(MPI_Reduce(rank == 0 ? MPI_IN_PLACE : mine.data(), mine.data(), 3000, MPI_INT, longest, 0,
                  MPI_COMM_WORLD));
  MPI_Op_free(&longest);
  if (most[2999] != size - 1 || (rank == 0 && mine[2999] != size - 1)) wrong("operator");
}

/// Both buffers by their addresses in memory.
void from_the_bottom(int rank, int size) {
  const auto absolute = [](const void* place, int count) {
    MPI_Aint address = 0;
    MPI_Get_address(place, &address);
    MPI_Datatype type;
    MPI_Type_create_hindexed(1, &count, &address, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
  };
  constexpr int n = 1500;
  std::vector<double> mine(n, rank + 1), all(static_cast<std::size_t>(n * size), -1.0);
  MPI_Datatype from = absolute(mine.data(), n);
  must(MPI_Gather(MPI_BOTTOM, 1, from, all.data(), n, MPI_DOUBLE, size - 1, MPI_COMM_WORLD));
  for (int r = 0; rank == size - 1 && r < size; ++r)
    if (all[static_cast<std::size_t>(r * n + n - 1)] != r + 1) wrong("gather from the bottom");
  must(MPI_Scatter(all.data(), n, MPI_DOUBLE, MPI_BOTTOM, 1, from, size - 1, MPI_COMM_WORLD));
  if (mine.back() != rank + 1) wrong("scatter to the bottom");
  must(MPI_Allgather(MPI_BOTTOM, 1, from, all.data(), n, MPI_DOUBLE, MPI_COMM_WORLD));
  if (all.back() != size) wrong("allgather from the bottom");
  must(MPI_Bcast(MPI_BOTTOM, 1, from, 0, MPI_COMM_WORLD));
  if (mine.front() != 1) wrong("bcast from the bottom");
  MPI_Type_free(&from);
}

const Mpi mpi;  // ends MPI after main()

}  // namespace

int main() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exceptions(rank, size);
  own_operator(rank, size);
  from_the_bottom(rank, size);
}
