// The parallel transform against FFTW, and what its processes do together.

#include <bit>
#include <cmath>
#include <random>

#include "apps/fft/agreement.hpp"
#include "apps/fft/comparison.hpp"
#include "apps/fft/parallel_fft.hpp"
#include "apps/fft/reference.hpp"
#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "tests/mpi/registered.hpp"
#include "tests/mpi/session.hpp"

namespace pat::fft {
namespace {

using test::rank;
using test::size;

class ParallelTransform : public test::Running {};

double error_of_one_block(std::size_t samples, int threads, unsigned seed) {
  std::vector<float> block(rank() == 0 ? samples : 0);
  std::mt19937 generator(seed);
  for (float& x : block) x = std::uniform_real_distribution<float>(-1.0f, 1.0f)(generator);
  ParallelFft fft(MPI_COMM_WORLD, samples, threads);
  fft.distribute(block);
  PAT_ProcessingStart();
  fft.compute(0.0, 0.5);
  PAT_Edge(0.5);
  fft.compute(0.5, 1.0);
  PAT_ProcessingEnd();
  fft.gather();
  return rank() == 0 ? Reference(samples).relative_error(block, fft.finish()) : 0.0;
}

TEST_F(ParallelTransform, MatchesFftwWithEveryGather) {
  for (const std::string& name : test::registered(Operation::gather)) {
    ASSERT_EQ(PAT_UseAlgName("gather", name.c_str()), MPI_SUCCESS);
    for (const std::size_t samples : {32u, 512u, 65536u})
      EXPECT_LT(error_of_one_block(samples, 1, 3), 1e-5) << name << ", " << samples << " samples";
  }
}

TEST_F(ParallelTransform, MatchesFftwForEverySizeFromTheSmallest) {
  ASSERT_EQ(PAT_UseAlgName("gather", "auto"), MPI_SUCCESS);
  const auto processes = static_cast<std::size_t>(size());
  for (std::size_t samples = 2 * std::bit_ceil(processes); samples <= 1u << 14; samples *= 2)
    EXPECT_LT(error_of_one_block(samples, 1, 5), 1e-5) << samples << " samples";
}

TEST_F(ParallelTransform, RefusesMoreProcessesThanPoints) {
  const std::size_t too_small = std::bit_ceil(static_cast<std::size_t>(size()));
  EXPECT_THROW(ParallelFft(MPI_COMM_WORLD, too_small, 1), Error);
  EXPECT_THROW(ParallelFft(MPI_COMM_WORLD, 48, 1), Error);
}

Options small_options() {
  Options options;
  options.size = 256;
  options.algorithms = {"mpi", "bsls", "ls"};
  options.imbalance = {Imbalance::Shape::uniform, 1e-3};
  return options;
}

TEST_F(ParallelTransform, ComparesEveryAlgorithmOnEveryBlock) {
  const Options options = small_options();
  const auto source = random_blocks(9);
  std::vector<std::vector<Complex>> spectra(7);
  Reference reference(options.size);
  const auto on_spectrum = [&](std::size_t index, std::span<const float> block,
                               std::span<const Complex> spectrum) {
    EXPECT_EQ(rank(), 0);
    EXPECT_LT(reference.relative_error(block, spectrum), 1e-5);
    std::vector<Complex>& before = spectra[index];
    const bool same = std::equal(before.begin(), before.end(), spectrum.begin());
    EXPECT_TRUE(before.empty() || same) << "the algorithm changes nothing in the result";
    before.assign(spectrum.begin(), spectrum.end());
  };
  const std::vector<Call> calls =
      compare_algorithms(MPI_COMM_WORLD, options, 1, 7, source.get(), on_spectrum);
  if (rank() != 0) {
    EXPECT_TRUE(calls.empty());
    return;
  }
  ASSERT_EQ(calls.size(), 21u);
  std::vector<int> count(3, 0);
  for (const Call& call : calls) {
    ++count[static_cast<std::size_t>(call.algorithm)];
    ASSERT_EQ(call.ranks.size(), static_cast<std::size_t>(size()));
    for (const Times& times : call.ranks) {
      EXPECT_LE(times.start_s, times.edge_s);
      EXPECT_LE(times.edge_s, times.end_s);
      EXPECT_LE(times.end_s, times.arrival_s);
      EXPECT_LE(times.arrival_s, times.exit_s);
    }
  }
  EXPECT_EQ(count, std::vector<int>(3, 7));
  EXPECT_NE(calls[0].algorithm, calls[3].algorithm) << "another one begins each block";
  EXPECT_NE(spectra[0], spectra[1]) << "each block has its own data";
}

TEST_F(ParallelTransform, InjectsTheDelaysThatTheSeedSays) {
  Options options = small_options();
  options.algorithms = {"mpi"};
  options.imbalance = {Imbalance::Shape::uniform, 20e-3};
  const auto source = random_blocks(9);
  const auto ignore = [](std::size_t, std::span<const float>, std::span<const Complex>) {};
  const std::vector<Call> calls =
      compare_algorithms(MPI_COMM_WORLD, options, 1, 3, source.get(), ignore);
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (int r = 0; r < size(); ++r) {
      const Times& times = calls[i].ranks[static_cast<std::size_t>(r)];
      const double delay = delay_s(options.imbalance, options.seed, i, r, size());
      EXPECT_GE(times.edge_s - times.start_s, 0.5 * delay);
      EXPECT_GE(times.end_s - times.edge_s, 0.5 * delay);
    }
}

TEST(Agreement, OneComplaintIsEnoughAndAllLeave) {
  EXPECT_TRUE(all_well(MPI_COMM_WORLD, ""));
  EXPECT_FALSE(all_well(MPI_COMM_WORLD, rank() == size() - 1 ? "this line is expected" : ""));
  EXPECT_EQ(sentence_of([] { throw Error(ErrorKind::io, "no"); }), "no");
  EXPECT_EQ(sentence_of([] {}), "");
}

}  // namespace
}  // namespace pat::fft
