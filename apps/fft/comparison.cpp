// The interleaved comparison, with the annotated loop of seed 001 (Fig. 4) in its middle.

#include "apps/fft/comparison.hpp"

#include <pat/pat.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "core/errors.hpp"
#include "measure/shared_clock.hpp"

namespace pat::fft {
namespace {

void require(int result, const char* call) {
  if (result != MPI_SUCCESS)
    throw Error(ErrorKind::internal, std::string(call) + " failed: " + PAT_Error_string());
}

void sleep_for(double seconds) {
  if (seconds > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

class Comparison {
 public:
  Comparison(MPI_Comm comm, const Options& options, int threads, std::size_t blocks)
      : comm_(comm),
        options_(options),
        blocks_(blocks),
        clock_(comm),
        fft_(comm, options.size, threads) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  std::vector<Call> run(const Blocks* source, const OnSpectrum& on_spectrum) {
    std::vector<float> block(is_master() ? options_.size : 0);
    const std::size_t algorithms = options_.algorithms.size();
    for (std::size_t index = 0; index < blocks_; ++index) {
      if (is_master()) source->fill(index, block);
      for (std::size_t k = 0; k < algorithms; ++k) {
        transform(index, (index + k) % algorithms, block);
        if (is_master()) on_spectrum(index, block, spectrum_);
      }
    }
    return collect();
  }

 private:
  bool is_master() const { return rank_ == 0; }

  // A number below blocks_; with `index`, each algorithm passes through all of them.
  std::size_t pattern_of(std::size_t index, std::size_t algorithm) const {
    const std::size_t stride = std::max<std::size_t>(1, blocks_ / options_.algorithms.size());
    return (index + algorithm * stride) % blocks_;
  }

  void transform(std::size_t index, std::size_t algorithm, std::span<const float> block) {
    const std::size_t pattern = pattern_of(index, algorithm);
    const double delay = delay_s(options_.imbalance, options_.seed, pattern, rank_, ranks_);
    require(PAT_UseAlgName("gather", options_.algorithms[algorithm].c_str()), "PAT_UseAlgName");
    MPI_Barrier(comm_);
    const double begin_s = clock_.now_s();
    fft_.distribute(block);
    compute_and_gather(delay);
    if (is_master()) {
      spectrum_ = fft_.finish();
      calls_.push_back({static_cast<int>(algorithm), pattern, clock_.now_s() - begin_s, {}});
    }
  }

  void compute_and_gather(double delay) {
    Times times;
    require(PAT_ProcessingStart(), "PAT_ProcessingStart");
    times.start_s = clock_.now_s();
    fft_.compute(0.0, 0.5);
    sleep_for(0.5 * delay);
    require(PAT_Edge(0.5), "PAT_Edge");
    times.edge_s = clock_.now_s();
    fft_.compute(0.5, 1.0);
    sleep_for(0.5 * delay);
    times.end_s = clock_.now_s();
    require(PAT_ProcessingEnd(), "PAT_ProcessingEnd");
    times.arrival_s = clock_.now_s();
    fft_.gather();
    times.exit_s = clock_.now_s();
    times_.push_back(times);
  }

  std::vector<Call> collect() {
    static_assert(sizeof(Times) == 5 * sizeof(double));
    const std::size_t n = times_.size();
    const int values = static_cast<int>(5 * n);
    std::vector<Times> all(is_master() ? n * static_cast<std::size_t>(ranks_) : 0);
    MPI_Gather(times_.data(), values, MPI_DOUBLE, all.data(), values, MPI_DOUBLE, 0, comm_);
    for (std::size_t i = 0; i < calls_.size(); ++i)
      for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r)
        calls_[i].ranks.push_back(all[r * n + i]);
    return std::move(calls_);
  }

  MPI_Comm comm_;
  const Options& options_;
  std::size_t blocks_;
  int rank_ = 0;
  int ranks_ = 1;
  measure::SharedClock clock_;
  ParallelFft fft_;
  std::span<const Complex> spectrum_;
  std::vector<Times> times_;
  std::vector<Call> calls_;
};

}  // namespace

std::vector<Call> compare_algorithms(MPI_Comm comm, const Options& options, int threads,
                                     std::size_t blocks, const Blocks* source,
                                     const OnSpectrum& on_spectrum) {
  return Comparison(comm, options, threads, blocks).run(source, on_spectrum);
}

}  // namespace pat::fft
