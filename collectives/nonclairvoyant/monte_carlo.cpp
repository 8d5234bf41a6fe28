#include "collectives/nonclairvoyant/monte_carlo.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <cstddef>
#include <memory>

namespace pat::nonclairvoyant {
namespace {

/// Runs that share a stream of random numbers, and are summed up in their order.
constexpr std::uint64_t block_runs = 256;
/// Blocks that are done side by side before their sums are added in order.
constexpr std::uint64_t round_blocks = 64;

int threads_to_use() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

int this_thread() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

/// What a thread needs for itself.
class Worker {
 public:
  explicit Worker(const Setting& setting)
      : setting_(setting),
        communication_(static_cast<std::size_t>(setting.processors)),
        computation_(communication_.size()),
        quantiles_(setting.methods.size()) {
    for (const std::string& name : setting.methods)
      methods_.push_back(get_method(name).make(setting.processors));
  }

  /// The times of each method in `runs` runs.
  std::vector<Moments> run_block(std::uint64_t block, std::uint64_t runs) {
    RandomStream random(setting_.seed, block);
    std::vector<Moments> times(methods_.size());
    const Costs costs{communication_, computation_, setting_.platform};
    for (std::uint64_t run = 0; run < runs; ++run) {
      random.draw(setting_.communication, communication_);
      random.draw(setting_.computation, computation_);
      for (std::size_t m = 0; m < methods_.size(); ++m) {
        const double time = methods_[m]->run(costs);
        times[m].add(time);
        quantiles_[m].add(time);
      }
    }
    return times;
  }

  const QuantileSketch& quantiles(std::size_t method) const { return quantiles_[method]; }

 private:
  const Setting& setting_;
  std::vector<double> communication_, computation_;
  std::vector<std::unique_ptr<Method>> methods_;
  std::vector<QuantileSketch> quantiles_;
};

}  // namespace

std::vector<Outcome> simulate(const Setting& setting, const Watch& watch) {
  std::vector<Outcome> outcomes;
  for (const std::string& name : setting.methods) outcomes.push_back({name, {}, {}});
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < threads_to_use(); ++i) workers.push_back(std::make_unique<Worker>(setting));
  std::vector<std::vector<Moments>> round(round_blocks);
  const std::uint64_t blocks = (setting.runs + block_runs - 1) / block_runs;
  for (std::uint64_t first = 0; first < blocks; first += round_blocks) {
    const std::uint64_t end = std::min(blocks, first + round_blocks);
#pragma omp parallel for schedule(dynamic)
    for (std::uint64_t block = first; block < end; ++block)
      round[block - first] = workers[static_cast<std::size_t>(this_thread())]->run_block(
          block, std::min(block_runs, setting.runs - block * block_runs));
    for (std::uint64_t block = first; block < end; ++block)
      for (std::size_t m = 0; m < outcomes.size(); ++m)
        outcomes[m].time.merge(round[block - first][m]);
    if (watch && !watch(std::min(setting.runs, end * block_runs))) break;
  }
  for (std::size_t m = 0; m < outcomes.size(); ++m)
    for (const std::unique_ptr<Worker>& worker : workers)
      outcomes[m].quantiles.merge(worker->quantiles(m));
  return outcomes;
}

}  // namespace pat::nonclairvoyant
