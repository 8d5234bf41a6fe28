#include "analysis/played.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "analysis/forecasts.hpp"
#include "collectives/cost/reading.hpp"
#include "collectives/cost/select.hpp"
#include "collectives/operation_row.hpp"

namespace pat {
namespace {

constexpr int fewest_calls = 8, most_calls = 64, first_look = 8;
constexpr long most_operations = 20'000;  // of all ranks in a call
constexpr std::size_t most_bytes = std::size_t{1} << 34;
constexpr int warm_up = 32;           // calls from which a model learns before it is believed
constexpr long most_phases = 60'000;  // that models see, of all ranks
constexpr int most_exact = 32;        // ranks that are simulated one by one
constexpr std::size_t finalists = 3;  // algorithms that are played with all calls

/// One call: how its processes came, and what was known of that beforehand.
struct Sampled {
  int iteration = 0;
  ArrivalPattern truth, forecast;
};

void count_from_the_first(ArrivalPattern& pattern) {
  const double first_s = std::ranges::min(pattern.offset_s);
  for (double& offset_s : pattern.offset_s) offset_s -= first_s;
}

/// Calls of one stretch of the run, `count` of them evenly after the model's first ones.
void sample_stretch(const Trace& trace, const std::string& predictor, int first, int until,
                    int count, std::vector<Sampled>& calls) {
  const int from = first + std::min(warm_up, (until - first) / 2);
  const std::size_t begin = calls.size();
  for (int k = 0; k < std::min(count, until - from); ++k) {
    const int i = from + static_cast<int>(static_cast<long>(k) * (until - from) /
                                          std::min(count, until - from));
    const std::span<const double> row = trace.row(i);
    calls.push_back({i, {{row.begin(), row.end()}, {}, 0}, {}});
    count_from_the_first(calls.back().truth);
  }
  std::vector<bool> known(calls.size(), has_computing(trace));
  for (int rank = 0; rank < trace.ranks && has_computing(trace); ++rank) {
    const ForetoldRank found =
        foretell(trace, rank, {.model = predictor, .first = first, .until = until});
    for (std::size_t c = begin; c < calls.size(); ++c) {
      const Forecast& one = found.forecast[static_cast<std::size_t>(calls[c].iteration - first)];
      known[c] = known[c] && one.known;
      calls[c].forecast.offset_s.push_back(one.mean_s);
      calls[c].forecast.half_width_s.push_back(one.half_width_s());
    }
  }
  for (std::size_t c = begin; c < calls.size(); ++c) {
    if (!known[c]) calls[c].forecast = ArrivalPattern::flat(trace.ranks);
    count_from_the_first(calls[c].forecast);
  }
}

std::vector<Sampled> sampled(const Trace& trace, const std::string& predictor, int most) {
  std::vector<Sampled> calls;
  const int iterations = trace.iterations();
  if (!has_computing(trace) || static_cast<long>(trace.ranks) * iterations <= most_phases) {
    sample_stretch(trace, predictor, 0, iterations, most, calls);
    return calls;
  }
  constexpr int length = warm_up + warm_up / 2;
  const int stretches =
      static_cast<int>(std::clamp(most_phases / (long{length} * trace.ranks), 1L, 4L));
  for (int s = 0; s < stretches; ++s) {  // each in the middle of its part of the run
    const int middle = static_cast<int>((2L * s + 1) * iterations / (2L * stretches));
    const int first = std::max(0, middle - length / 2);
    sample_stretch(trace, predictor, first, std::min(iterations, first + length),
                   std::max(1, most / stretches), calls);
  }
  return calls;
}

Problem problem_of(const Trace& trace, const CallName& call, const CostModel& network) {
  Problem problem;
  problem.operation = call.operation;
  problem.ranks = trace.ranks;
  problem.root = call.root;
  const std::size_t bytes = call.block_bytes.value_or(0);
  problem.unit_bytes = row(call.operation).combines && bytes % 4 == 0 ? 4 : 1;
  problem.units = bytes / problem.unit_bytes;
  problem.cost = {network.alpha_s, network.beta_s_per_byte, network.gamma_s_per_byte};
  return problem;
}

/// All that plays one call in one way.
class Player {
 public:
  Player(const Trace& trace, const CallName& call, const CostModel& network)
      : trace_(trace),
        problem_(problem_of(trace, call, network)),
        network_(network),
        mpi_(row(call.operation).stand_in(problem_, network)) {
    if (!knows_mpi()) return;
    for (const Candidate& one : candidates_for(problem_)) {
      const bool seen = !candidates_.empty() && candidates_.back().algorithm == one.algorithm &&
                        candidates_.back().window == one.window;
      if (!seen && operations_of(*one.algorithm) <= most_operations) candidates_.push_back(one);
    }
    price_mpi_together();
  }

  bool knows_mpi() const {
    return mpi_.stand_in != nullptr && operations_of(*mpi_.stand_in) <= most_operations;
  }

  /// How many calls can be played in bounded time.
  int most_calls_played() const {
    long all = 1 + operations_of(*mpi_.stand_in);
    for (const Algorithm* algorithm : that_follow_arrivals()) all += operations_of(*algorithm);
    return static_cast<int>(std::clamp(4 * most_operations / all, 4L, long{most_calls}));
  }

  std::vector<const Algorithm*> that_follow_arrivals() const {
    std::vector<const Algorithm*> found;
    for (const Candidate& one : candidates_)
      if (one.algorithm->uses_pattern && one.window == 0) found.push_back(one.algorithm);
    return found;
  }

  double by(const Algorithm& algorithm, const ArrivalPattern& truth,
            const ArrivalPattern& forecast) const {
    Planned plan(algorithm, problem_, forecast, network_, most_exact);
    if (algorithm.round_s == nullptr) return plan.run_time_s(truth);
    const Reading reading = plan.reading_by_rule();
    if (reading == Reading::exact) return plan.run_time_s(truth);
    return Planned(algorithm, problem_, forecast, in_ticks(forecast, tick_s(reading, forecast)),
                   network_, most_exact)
        .run_time_s(truth);
  }

  /// By what did it in the run.
  double as_done(const Sampled& call) const {
    const Algorithm* algorithm = nullptr;
    if (!trace_.algorithm.empty()) {
      const int which = trace_.algorithm[static_cast<std::size_t>(call.iteration)];
      if (which >= 0)
        algorithm =
            find_algorithm(problem_.operation, trace_.algorithms[static_cast<std::size_t>(which)]);
    }
    if (algorithm != nullptr && operations_of(*algorithm) <= most_operations)
      return by(*algorithm, call.truth, call.forecast);
    return by_mpi(call.truth);
  }

 private:
  double by_mpi(const ArrivalPattern& truth) const {
    return mpi_plan(mpi_, problem_, truth, network_, most_exact).run_time_s(truth);
  }

  /// As price_mpi(), on as small a machine as all that is played here: MPI's own is as fast for
  /// equal arrivals as the fastest candidate.
  void price_mpi_together() {
    const ArrivalPattern together = ArrivalPattern::flat(problem_.ranks);
    const double simulated_s = by_mpi(together);
    if (simulated_s <= 0.0) return;
    double least_s = simulated_s;
    for (const Candidate& one : candidates_) {
      Problem problem = problem_;
      if (one.window > 0) problem.window = one.window;
      const Planned plan(*one.algorithm, problem, together, network_, most_exact);
      least_s = std::min(least_s, plan.run_time_s(together));
    }
    mpi_.correction = least_s / simulated_s;
  }

  /// What there is to simulate of it in a call; counted once, as its schedule is built for that.
  long operations_of(const Algorithm& algorithm) const {
    const auto [known, fresh] = operations_.try_emplace(&algorithm, 0);
    if (fresh) known->second = counted(algorithm);
    return known->second;
  }

  /// More than can be for what cannot be played at all.
  long counted(const Algorithm& algorithm) const {
    if (algorithm.build == nullptr || (problem_.ranks > most_exact && algorithm.flat_s == nullptr))
      return std::numeric_limits<long>::max();
    const SmallMachine machine(algorithm, problem_, network_, most_exact);
    const Schedule schedule =
        build_schedule(algorithm, machine.problem, ArrivalPattern::flat(machine.problem.ranks));
    long operations = 0;
    for (const Program& program : schedule.programs)
      operations += static_cast<long>(program.ops.size());
    return operations;
  }

  const Trace& trace_;
  Problem problem_;
  CostModel network_;
  MpiPrice mpi_;
  std::vector<Candidate> candidates_;
  mutable std::map<const Algorithm*, long> operations_;
};

struct Contender {
  const Algorithm* algorithm = nullptr;
  double sum_s = 0.0, if_known_s = 0.0;
};

/// Those that take least in a first look at a few calls.
std::vector<Contender> best_at_first_look(const Player& player, const std::vector<Sampled>& calls) {
  std::vector<Contender> contenders;
  const std::size_t step = std::max<std::size_t>(1, calls.size() / first_look);
  for (const Algorithm* algorithm : player.that_follow_arrivals()) {
    Contender one{.algorithm = algorithm};
    for (std::size_t c = 0; c < calls.size(); c += step)
      one.sum_s += player.by(*algorithm, calls[c].truth, calls[c].forecast);
    contenders.push_back(one);
  }
  std::ranges::stable_sort(contenders, {}, &Contender::sum_s);
  if (contenders.size() > finalists) contenders.resize(finalists);
  return contenders;
}

}  // namespace

std::optional<Played> play(const Trace& trace, const CallName& call, const std::string& predictor,
                           const CostModel& network) {
  if (trace.iterations() < fewest_calls || trace.ranks < 2 || call.root >= trace.ranks)
    return std::nullopt;
  if (!call.block_bytes && row(call.operation).has_bytes()) return std::nullopt;
  if (call.block_bytes.value_or(0) > most_bytes) return std::nullopt;  // nor could it be a size
  const Player player(trace, call, network);
  if (!player.knows_mpi()) return std::nullopt;
  const std::vector<Sampled> calls = sampled(trace, predictor, player.most_calls_played());
  double as_done_s = 0.0, least_if_known_s = std::numeric_limits<double>::infinity();
  for (const Sampled& one : calls) as_done_s += player.as_done(one);
  std::vector<Contender> contenders = best_at_first_look(player, calls);
  for (Contender& one : contenders) {
    one.sum_s = 0.0;
    for (const Sampled& sample : calls) {
      one.sum_s += player.by(*one.algorithm, sample.truth, sample.forecast);
      one.if_known_s += player.by(*one.algorithm, sample.truth, sample.truth);
    }
    least_if_known_s = std::min(least_if_known_s, one.if_known_s);
  }
  const double all = static_cast<double>(trace.iterations()) / static_cast<double>(calls.size());
  Played played;
  played.as_done_s = all * as_done_s;
  played.calls = static_cast<int>(calls.size());
  if (contenders.empty()) return played;
  played.saved_if_known_s = std::max(0.0, all * (as_done_s - least_if_known_s));
  const Contender& best = *std::ranges::min_element(contenders, {}, &Contender::sum_s);
  if (best.sum_s >= as_done_s) return played;
  played.algorithm = best.algorithm->name;
  played.saved_s = all * (as_done_s - best.sum_s);
  played.saved_if_known_s = std::max(played.saved_if_known_s, played.saved_s);
  return played;
}

}  // namespace pat
