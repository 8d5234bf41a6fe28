#include "measure/engine.hpp"

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

std::vector<Measured> Engine::run() {
  const int rounds = plan_.warmup + plan_.iterations;
  long done = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < plan_.entries.size(); ++k) {
      const std::size_t e = (k + static_cast<std::size_t>(round)) % plan_.entries.size();
      const Entry& entry = plan_.entries[e];
      const auto collected = measure(entry, static_cast<std::uint64_t>(round));
      if (collected.wrong)
        throw WrongResult("Algorithm '" + entry.algorithm + "', iteration " +
                          std::to_string(round) + ": " + *collected.wrong);
      if (round >= plan_.warmup) keep(collected.ranks, static_cast<std::uint64_t>(round), e);
      if (hooks_.progress) hooks_.progress(++done);
      if (collected.stop) {
        stopped_ = true;
        return measured();
      }
    }
  }
  return measured();
}

}  // namespace pat::measure
