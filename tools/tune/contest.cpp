#include "tools/tune/contest.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "measure/collect.hpp"
#include "measure/phase.hpp"

namespace pat::tune {

using namespace measure;

namespace {

constexpr int screening_iterations = 4, warmup = 1;
/// A candidate leaves that takes so many times the default's time without delays.
constexpr double far_too_slow = 3.0, least_s = 1e-3;

std::string label(std::size_t candidate) {
  return std::to_string(candidate);
}

/// What all ranks agree on: whether it went well everywhere.
bool everywhere(bool mine, MPI_Comm comm) {
  int all = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  return all != 0;
}

double median_of(const Series& series, double measure::Sample::*member) {
  const auto column = series.column(member);
  return column.empty() ? 0.0 : median(column);
}

}  // namespace

Contest::Contest(const Ground& ground, const Subject& subject, std::function<void(double)> progress)
    : ground_(ground),
      subject_(subject),
      progress_(std::move(progress)),
      functions_(bench::find_collective(subject.operation)) {
  MPI_Comm_rank(ground.comm, &rank_);
  const DataType type = find_data_type("float");
  if (row(functions_.operation).combines) op_ = std::make_unique<ReduceOp>("sum", type);
  workload_ = std::make_unique<bench::Workload>(functions_.operation, subject.bytes, type,
                                                op_.get(), ground.options.seed, ground.comm);
  candidates_.push_back({});
  for (const Way& way : ground.library.ways(subject.operation, subject.bytes))
    candidates_.push_back({way});
  for (Candidate& one : candidates_)
    one.comm = ground.library.communicator(subject.operation, one.way, ground.comm);
}

Contest::~Contest() {
  for (Candidate& one : candidates_) MPI_Comm_free(&one.comm);
}

Verdict Contest::run() {
  try_all();
  progress_(0.1);
  std::vector<std::size_t> who(candidates_.size());
  std::iota(who.begin(), who.end(), std::size_t{0});
  who = best_two(measure(who, screening_iterations, 0.1, 0.6));
  return verdict(who, measure(who, ground_.options.iterations, 0.6, 1.0));
}

/// The call as this candidate does it; what else the process calls is done by default.
int Contest::call_by(const Candidate& candidate, bench::Call& call) const {
  call.comm = candidate.comm;
  ground_.library.choose(subject_.operation, candidate.way);
  const int result = functions_.mpi(call);
  ground_.library.choose(subject_.operation, {});
  return result;
}

/// The time of one call whose processes come together; negative if it fails or its result is wrong.
double Contest::trial_s(const Candidate& candidate, bench::Workload& workload) const {
  workload.prepare(0, subject_.arrivals.front().root);
  bench::Call call = workload.call();
  MPI_Barrier(ground_.comm);
  const double start_s = MPI_Wtime();
  const bool done = call_by(candidate, call) == MPI_SUCCESS;
  double time_s = MPI_Wtime() - start_s;
  MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, ground_.comm);
  return everywhere(done && !workload.check(), ground_.comm) ? time_s : -1.0;
}

/// Lets those go that cannot be used, or need not be measured.
void Contest::try_all() {
  const DataType type = find_data_type("int");
  std::unique_ptr<ReduceOp> ordered;
  std::unique_ptr<bench::Workload> in_order;
  if (op_ && !ground_.library.rules_ask_for_the_operator()) {
    ordered = std::make_unique<ReduceOp>("user-ordered", type);
    in_order = std::make_unique<bench::Workload>(functions_.operation, subject_.bytes, type,
                                                 ordered.get(), ground_.options.seed, ground_.comm);
  }
  double default_s = 0.0;
  for (int i = 0; i < 3; ++i) {  // the first one makes connections
    const double time_s = trial_s(candidates_.front(), *workload_);
    default_s = i == 0 ? 0.0 : std::max(default_s, time_s);
  }
  const double most_s = far_too_slow * default_s + least_s;
  std::vector<Candidate> staying = {candidates_.front()};
  for (std::size_t i = 1; i < candidates_.size(); ++i) {
    Candidate& one = candidates_[i];
    double time_s = trial_s(one, *workload_);
    if (time_s >= 0.0 && time_s > most_s) time_s = trial_s(one, *workload_);
    one.keeps_order = time_s < 0.0 || !in_order || trial_s(one, *in_order) >= 0.0;
    const bool allowed = one.keeps_order || ground_.options.commutative;
    if (time_s >= 0.0 && time_s <= most_s && allowed)
      staying.push_back(one);
    else
      MPI_Comm_free(&one.comm);
  }
  candidates_ = std::move(staying);
}

/// All under each of the arrivals; the share done goes from `from` to `to`.
std::vector<Contest::Round> Contest::measure(const std::vector<std::size_t>& who, int iterations,
                                             double from, double to) {
  const auto count = static_cast<double>(subject_.arrivals.size());
  const double total = static_cast<double>(who.size()) * (warmup + iterations) * count;
  std::vector<Round> rounds;
  double before = 0.0;
  for (const Arrivals& arrivals : subject_.arrivals) {
    rounds.push_back(measure_under(arrivals, who, iterations, [&](long done) {
      progress_(from + (to - from) * (before + static_cast<double>(done)) / total);
    }));
    before += total / count;
  }
  return rounds;
}

Contest::Round Contest::measure_under(const Arrivals& arrivals, const std::vector<std::size_t>& who,
                                      int iterations, const std::function<void(long)>& done) {
  Plan plan;
  for (const std::size_t one : who) plan.entries.push_back({.algorithm = label(one)});
  plan.warmup = warmup;
  plan.iterations = iterations;
  plan.lateness_limit_s = ground_.lateness_limit_s;
  Engine engine(plan, hooks(arrivals, done));
  const std::vector<Measured> measured = engine.run();
  if (engine.stopped())
    throw Error(ErrorKind::internal, "stopped, no rules are written; let it run to its end");
  iterations_done_ += static_cast<std::uint64_t>(warmup + iterations);
  Round round;
  for (const Measured& one : measured) {
    Series series;
    series.samples = one.samples;
    round.push_back(std::move(series));
  }
  return round;
}

Hooks Contest::hooks(const Arrivals& arrivals, const std::function<void(long)>& done) {
  const double dilate = ground_.options.dilate;
  Hooks hooks;
  hooks.prepare = [this, root = arrivals.root](const Entry& entry, std::uint64_t i) {
    workload_->prepare(i, root);
    call_ = workload_->call();
    chosen_ = &candidates_[std::stoul(entry.algorithm)];
  };
  hooks.synchronise = [this] {
    MPI_Barrier(ground_.comm);
    MPI_Barrier(ground_.comm);
  };
  hooks.compute = [this, &arrivals, dilate](const Entry&, std::uint64_t i, RankTimes& times) {
    const auto delay_s = arrivals.delays->at(iterations_done_ + i);
    times.planned_s = ground_.base_s + delay_s[static_cast<std::size_t>(rank_)];
    times.start_s = ground_.clock.now_s();
    Phase phase;
    phase.planned_s = dilate * times.planned_s;
    run_phase(phase, times.start_s, ground_.clock, ground_.comm);
  };
  hooks.operate = [this](const Entry&) { call_by(*chosen_, call_); };
  hooks.check = [this](const Entry&, std::uint64_t) { return workload_->check(); };
  hooks.now_s = [this] { return ground_.clock.now_s(); };
  hooks.collect = [this, dilate](RankTimes times, const std::optional<std::string>& wrong) {
    for (double* time : {&times.start_s, &times.arrival_s, &times.exit_s}) *time /= dilate;
    return collect(times, wrong, ground_.comm);
  };
  hooks.progress = done;
  return hooks;
}

/// The default and the two whose medians under the arrivals that suit them least are smallest.
std::vector<std::size_t> Contest::best_two(const std::vector<Round>& rounds) const {
  std::array<int, 3> chosen = {0, -1, -1};
  if (rank_ == 0) {
    std::vector<std::pair<double, int>> order;
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      double worst = 0.0;
      for (const Round& round : rounds)
        worst = std::max(worst, median_of(round[i], &measure::Sample::run_s) /
                                    std::max(1e-9, median_of(round[0], &measure::Sample::run_s)));
      order.emplace_back(worst, static_cast<int>(i));
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i)
      chosen[i + 1] = order[i].second;
  }
  MPI_Bcast(chosen.data(), static_cast<int>(chosen.size()), MPI_INT, 0, ground_.comm);
  std::vector<std::size_t> who;
  for (const int one : chosen)
    if (one >= 0) who.push_back(static_cast<std::size_t>(one));
  return who;
}

/// The one at this position of each round against the default; nothing if too little was measured.
std::optional<Contest::Outcome> Contest::outcome(std::size_t position,
                                                 const std::vector<Round>& rounds) const {
  Outcome outcome;
  for (const Round& round : rounds) {
    const auto compared = compare(round[position], round[0], ground_.options.seed);
    if (!compared) return std::nullopt;
    if (compared->test.ratio > outcome.ratio) {
      outcome.ratio = compared->test.ratio;
      outcome.interval = compared->interval;
    }
    outcome.upper = std::max(outcome.upper, compared->interval.upper);
    outcome.waiting =
        std::max(outcome.waiting, median_of(round[position], &measure::Sample::elapsed_mean_s) /
                                      median_of(round[0], &measure::Sample::elapsed_mean_s));
  }
  outcome.clear =
      outcome.ratio <= ground_.options.most && outcome.upper < 1.0 && outcome.waiting <= 1.0;
  return outcome;
}

Verdict Contest::verdict(const std::vector<std::size_t>& who,
                         const std::vector<Round>& rounds) const {
  Verdict verdict;
  verdict.operation = subject_.operation;
  verdict.bytes = workload_->bytes();
  if (rank_ != 0) return verdict;
  verdict.default_s = median_of(rounds.front()[0], &measure::Sample::run_s);
  verdict.note = "nothing else comes near";
  std::optional<Outcome> best;
  for (std::size_t i = 1; i < who.size(); ++i) {
    const auto one = outcome(i, rounds);
    if (!one) verdict.note = "too many late wake-ups, see --max-lateness";
    if (!one || (best && !one->before(*best))) continue;
    best = one;
    verdict.best = candidates_[who[i]].way;
  }
  if (!best) return verdict;
  verdict.ratio = best->ratio;
  verdict.interval = best->interval;
  verdict.clear = best->clear;
  verdict.note = best->clear ? "" : best->waiting > 1.0 ? "processes wait longer" : "no clear gain";
  return verdict;
}

}  // namespace pat::tune
