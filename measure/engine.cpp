#include "measure/engine.hpp"

#include <algorithm>
#include <utility>

namespace pat::measure {

Hooks::Collected Engine::measure(const Entry& entry, std::uint64_t iteration) {
  RankTimes times;
  hooks_.prepare(entry, iteration);
  hooks_.synchronise();
  hooks_.compute(entry, iteration, times);
  times.arrival_s = hooks_.now_s();
  hooks_.operate(entry);
  times.exit_s = hooks_.now_s();
  return hooks_.collect(times, hooks_.check(entry, iteration));
}

void Engine::keep(const std::vector<RankTimes>& ranks, std::uint64_t iteration, std::size_t entry) {
  if (ranks.empty()) return;
  Sample sample = evaluate(ranks);
  sample.iteration = iteration;
  const std::lock_guard lock(mutex_);
  Measured& measured = measured_[entry];
  if (sample.lateness_s > plan_.lateness_limit_s)
    ++measured.dropped;
  else
    measured.samples.push_back(std::move(sample));
}

std::vector<Measured> Engine::measured() const {
  const std::lock_guard lock(mutex_);
  return measured_;
}

/// One iteration of one entry.
void Engine::run(std::size_t e, int iteration) {
  const Entry& entry = plan_.entries[e];
  const auto collected = measure(entry, static_cast<std::uint64_t>(iteration));
  if (collected.wrong)
    throw WrongResult("Algorithm '" + entry.algorithm + "', iteration " +
                      std::to_string(iteration) + ": " + *collected.wrong);
  if (iteration >= plan_.warmup) keep(collected.ranks, static_cast<std::uint64_t>(iteration), e);
  if (hooks_.progress) hooks_.progress(++done_);
  stopped_ = collected.stop;
}

std::vector<Measured> Engine::run() {
  const int iterations = plan_.warmup + plan_.iterations,
            entries = static_cast<int>(plan_.entries.size());
  for (int first = 0; first < iterations; first += plan_.block)
    for (int k = 0; k < entries; ++k)
      for (int i = first; i < std::min(first + plan_.block, iterations); ++i) {
        run(static_cast<std::size_t>((k + first / plan_.block) % entries), i);
        if (stopped_) return measured();
      }
  return measured();
}

}  // namespace pat::measure
