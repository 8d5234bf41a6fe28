#include "tools/bench/schedule_time.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include "collectives/algorithm.hpp"
#include "core/statistics.hpp"
#include "libpat/agreement/choice.hpp"

namespace pat::bench {

using namespace measure;

namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

double schedule_time_s(Problem problem, const std::string& algorithm, const Delays& delays,
                       const Config& config, const Calibration& calibration) {
  const Algorithm* fixed =
      algorithm == "auto" ? nullptr : &get_algorithm(problem.operation, algorithm);
  if (fixed != nullptr && (fixed->build == nullptr || fixed->protocol != nullptr)) return -1.0;
  problem.window = config.window;
  problem.rounds = detail::measured_rounds(config, calibration);
  problem.cost = detail::link_cost(config, calibration, problem);
  std::optional<Prices> prices;
  std::vector<double> times_s;
  double spent_s = 0.0;
  for (std::uint64_t i = 0; i < 9 && spent_s < 0.5; ++i) {
    const ArrivalPattern pattern{delays.at(i), {}, i};
    const double begin_s = now_s();
    Problem decided = problem;
    const Algorithm* chosen = fixed;
    if (fixed == nullptr) {
      const Selection selection =
          detail::choose(problem, pattern, config, calibration, nullptr, true, prices);
      chosen = selection.algorithm;
      decided.segments = selection.segments;
      decided.window = selection.window;
    }
    decided.only_rank = problem.root;
    if (chosen->tune != nullptr && config.segments > 0) decided.segments = config.segments;
    if (chosen->build != nullptr) build_schedule(*chosen, decided, pattern);
    times_s.push_back(now_s() - begin_s);
    spent_s += times_s.back();
  }
  return median(times_s);
}

}  // namespace pat::bench
