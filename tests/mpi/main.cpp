// Runs the GoogleTest cases on every rank. Rank 0 prints; the others print only their failures. The
// thread level comes from PAT_TEST_THREADS (single, funneled, multiple; default multiple).

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>

namespace {

class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "rank %d: %s:%d\n%s\n", rank_, result.file_name(), result.line_number(),
                   result.summary());
  }

 private:
  int rank_;
};

int wanted_level() {
  const char* text = std::getenv("PAT_TEST_THREADS");
  if (text != nullptr && std::strcmp(text, "single") == 0) return MPI_THREAD_SINGLE;
  if (text != nullptr && std::strcmp(text, "funneled") == 0) return MPI_THREAD_FUNNELED;
  return MPI_THREAD_MULTIPLE;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, wanted_level(), &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  testing::InitGoogleTest(&argc, argv);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly(rank));
  }
  int failed = RUN_ALL_TESTS(), failed_anywhere = 0;
  MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed_anywhere;
}
