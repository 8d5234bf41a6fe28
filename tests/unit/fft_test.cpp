// The transform and its partition, against FFTW.

#include <fftw3.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "apps/fft/partition.hpp"
#include "apps/fft/transform.hpp"
#include "core/errors.hpp"

namespace pat::fft {
namespace {

constexpr double tolerance = 1e-5;
constexpr int largest_exponent = 18;

std::vector<Complex> random_points(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<Complex> points(n);
  for (Complex& z : points) z = {uniform(generator), uniform(generator)};
  return points;
}

fftwf_complex* raw(std::vector<Complex>& v) {
  return reinterpret_cast<fftwf_complex*>(v.data());
}

std::vector<Complex> reference_transform(std::vector<Complex> points) {
  const fftwf_plan plan = fftwf_plan_dft_1d(static_cast<int>(points.size()), raw(points),
                                            raw(points), FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
  return points;
}

std::vector<Complex> reference_spectrum(std::vector<float> samples) {
  std::vector<Complex> spectrum(samples.size() / 2 + 1);
  const fftwf_plan plan = fftwf_plan_dft_r2c_1d(static_cast<int>(samples.size()), samples.data(),
                                                raw(spectrum), FFTW_ESTIMATE);
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
  return spectrum;
}

// The largest difference over the largest magnitude.
double relative_error(const std::vector<Complex>& result, const std::vector<Complex>& reference) {
  double difference = 0.0;
  double magnitude = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double apart = std::abs(result[i] - reference[i]);
    if (std::isnan(apart)) return INFINITY;
    difference = std::max(difference, apart);
    magnitude = std::max<double>(magnitude, std::abs(reference[i]));
  }
  return difference / magnitude;
}

// What the processes do together, without MPI between them.
std::vector<Complex> shared_transform(std::vector<Complex> points, int processes, int threads) {
  const Partition partition(points.size(), processes);
  const Twiddles twiddles(points.size());
  const Decimation split{points.size(), log2_exact(partition.parts())};
  decimate(points, split, 0.0, 1.0, twiddles, threads);
  const std::size_t slot = partition.slot_points();
  std::vector<Complex> gathered(slot * static_cast<std::size_t>(processes), {NAN, NAN});
  for (int process = 0; process < processes; ++process) {
    const std::size_t n = partition.part_points();
    const std::span<Complex> mine(gathered.data() + slot * static_cast<std::size_t>(process),
                                  partition.count(process) * n);
    std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(partition.first(process) * n),
                mine.size(), mine.begin());
    const Decimation rest{n, log2_exact(n)};
    decimate(mine, rest, 0.0, 0.5, twiddles, threads);
    decimate(mine, rest, 0.5, 1.0, twiddles, threads);
  }
  std::vector<Complex> ordered(points.size());
  partition.order(gathered, ordered);
  return ordered;
}

TEST(Fft, MatchesFftwForEverySizeAndProcessCount) {
  for (int exponent = 0; exponent <= largest_exponent; ++exponent) {
    const std::size_t n = std::size_t{1} << exponent;
    const std::vector<Complex> points = random_points(n, 7);
    const std::vector<Complex> reference = reference_transform(points);
    for (const int processes : {1, 2, 3, 5, 7, 8}) {
      if (n < static_cast<std::size_t>(processes)) continue;
      EXPECT_LT(relative_error(shared_transform(points, processes, 1), reference), tolerance)
          << n << " points, " << processes << " processes";
    }
  }
}

TEST(Fft, ThreadsChangeNothing) {
  for (const std::size_t n : {2u, 8u, 4096u, 65536u}) {
    const std::vector<Complex> points = random_points(n, 11);
    const std::vector<Complex> alone = shared_transform(points, 2, 1);
    for (const int threads : {2, 3, 5}) EXPECT_EQ(shared_transform(points, 2, threads), alone);
  }
}

TEST(Fft, RealSpectrumMatchesFftwForEverySize) {
  std::mt19937 generator(3);
  std::normal_distribution<float> normal;
  for (int exponent = 1; exponent <= largest_exponent; ++exponent) {
    std::vector<float> samples(std::size_t{1} << exponent);
    for (float& x : samples) x = normal(generator);
    std::vector<Complex> packed(samples.size() / 2);
    for (std::size_t i = 0; i < packed.size(); ++i)
      packed[i] = {samples[2 * i], samples[2 * i + 1]};
    std::vector<Complex> spectrum(packed.size() + 1);
    real_spectrum(shared_transform(packed, 1, 1), Twiddles(samples.size()), spectrum);
    EXPECT_LT(relative_error(spectrum, reference_spectrum(samples)), tolerance) << samples.size();
  }
}

TEST(Fft, AnySplitIntoSharesDoesTheSame) {
  const std::vector<Complex> points = random_points(512, 5);
  const Twiddles twiddles(512);
  std::vector<Complex> whole = points;
  decimate(whole, {512, 9}, 0.0, 1.0, twiddles, 1);
  for (const double at : {0.001, 0.25, 0.5, 0.77}) {
    std::vector<Complex> shares = points;
    decimate(shares, {512, 9}, 0.0, at, twiddles, 2);
    EXPECT_NE(shares, whole) << "half the work must not be all of it";
    decimate(shares, {512, 9}, at, 1.0, twiddles, 2);
    EXPECT_EQ(shares, whole) << at;
  }
}

TEST(Partition, GivesEveryPartToOneProcess) {
  for (int processes = 1; processes <= 33; ++processes) {
    const Partition partition(1 << 12, processes);
    std::size_t parts = 0;
    for (int process = 0; process < processes; ++process) {
      EXPECT_EQ(partition.first(process), parts);
      EXPECT_GE(partition.count(process), 1u);
      EXPECT_LE(partition.count(process) * partition.part_points(), partition.slot_points());
      parts += partition.count(process);
    }
    EXPECT_EQ(parts, partition.parts());
    EXPECT_EQ(parts * partition.part_points(), partition.points());
  }
}

TEST(Partition, PadsLittle) {
  for (int processes = 2; processes <= 33; ++processes) {
    const Partition partition(1 << 12, processes);
    const double sent = static_cast<double>(partition.slot_points()) * processes;
    EXPECT_LE(sent / static_cast<double>(partition.points()), 1.25) << processes;
  }
}

TEST(Partition, RefusesWhatCannotBeShared) {
  EXPECT_THROW(Partition(100, 2), Error);
  EXPECT_THROW(Partition(0, 1), Error);
  EXPECT_THROW(Partition(4, 5), Error);
  EXPECT_NO_THROW(Partition(8, 5));
}

}  // namespace
}  // namespace pat::fft
