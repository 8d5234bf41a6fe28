#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "collectives/cost/learn.hpp"
#include "core/clock.hpp"
#include "core/config.hpp"
#include "libpat/agreement/decision.hpp"
#include "libpat/agreement/leader.hpp"
#include "libpat/agreement/periods.hpp"
#include "libpat/agreement/signature.hpp"
#include "libpat/agreement/trials.hpp"

namespace pat::detail {

/// What telling one process costs, seconds; what forecasting, reporting and hearing the decision
/// costs each process, with a cold cache; and what deciding may cost of the time in calls.
inline constexpr double telling_s = 4e-6, hearing_s = 40e-6;
inline constexpr double deciding_share = 0.005;
/// And of what is left of a call after the last arrival, which is all that deciding can save.
inline constexpr double saving_share = 0.25;

/// What all calls of a stream have in common.
struct StreamKind {
  CallSignature signature;
  int ranks = 1;
  const Algorithm* forced = nullptr;  ///< the user's choice; null: auto
  bool early = false;                 ///< data moves before processes arrive
  double crowd = 1.0;                 ///< processes that share a core
  int told = 0;                       ///< by the leader itself, one after the other; 0: all
  std::vector<double> links = {};     ///< Problem::link_slowdown
};

/// What a decided call's schedule is built for. `counts`: of v-forms.
Problem problem_of(const StreamKind& kind, const Decision& decision,
                   const std::vector<std::size_t>& counts);

/// The leader's judgement of one stream: what each way to do its calls is expected to take, which
/// way the next calls go, and for how long that may hold. It learns from calls that are over, tries
/// what may be better within a budget, and thinks within another one. No MPI here.
class Judge {
 public:
  /// Gives a time in ns, to tell what thinking takes: of the processor, since what others take of
  /// it meanwhile is no thinking, and on a loaded machine would use up its budget for nothing.
  using Clock = std::int64_t (*)();
  Judge(const Config& config, const Calibration& calibration, const StreamKind& kind,
        Clock clock = &thread_cpu_ns)
      : config_(config), calibration_(calibration), kind_(kind), clock_(clock) {}

  /// What the processes compute before the next call, seconds; 0: not known. Until told, it is not.
  void expect_computing(double computing_s) { computing_s_ = computing_s; }
  /// Fills in what is decided for this pattern at `now_ns`, on any clock that goes on. `parts`:
  /// into how many pieces the program cuts its send buffer. Throws Error for costs that no schedule
  /// is for.
  void decide(const ArrivalPattern& pattern, const std::vector<std::size_t>& counts, int parts,
              std::int64_t now_ns, Decision& decision);
  /// How many calls the decision made last, for `pattern`, covers. It is remembered.
  void set_lease(Leader& leader, const ArrivalPattern& pattern, Decision& decision);
  /// The lease made last is called back at `now_ns` with `calls_left`, which is granted only while
  /// that costs little of the time since the first decision, and of what these calls could save.
  bool may_recall(std::int64_t now_ns, std::uint32_t calls_left);
  /// It ends before `call`.
  void recall(std::uint32_t call);
  /// A call is over.
  void learn(const MeasuredCall& call, const std::vector<std::size_t>& counts);

  /// One of the latest decisions, with the lease that it has now; null: none of these covers the
  /// call.
  const Decision* made_for(std::uint32_t call) const;

  /// What it has learnt of the ways to do these calls; nothing before the library's own is known.
  std::vector<Calibration::Learnt> learnt() const;
  /// What others have learnt, of the same operation among as many processes: the next decision
  /// takes it in (hear() of collectives/cost/learn).
  void tell(std::vector<Calibration::Learnt> others) { others_ = std::move(others); }
  /// Some way is not known yet, so that others may tell something of it.
  bool may_hear() const;

  /// How many calls the decision made last may cover, so that deciding costs little of the time
  /// between calls and of what it can save.
  std::uint32_t longest_lease() const;
  /// The decision made last tries a way: it is to cover as many calls as a trial takes.
  bool tries() const { return last_ && last_->trial; }
  /// What `auto` chose last, with what was expected then; null: nothing yet, or the user chose.
  const Selection* chosen() const { return last_ ? &*last_ : nullptr; }
  /// Calls of trials so far, and the seconds that these are held to have lost against what was
  /// known to be best.
  std::uint64_t trial_calls() const { return trials_.calls(); }
  double lost_to_trials_s() const { return trials_.lost_s(); }
  /// Of so many calls that a decision covers one in the middle is quiet: neither this decision nor
  /// the next one is agreed on beside it.
  static constexpr std::uint32_t calls_with_a_quiet_one = 4;
  /// And at least so many, where nothing that is decided shows in a run.
  static constexpr std::uint32_t negligible_calls = 16;

 private:
  Selection select_for(const ArrivalPattern& pattern, const Problem& problem, std::int64_t now_ns);
  Exploration what_may_be_tried(const Problem& problem, std::int64_t now_ns) const;
  Trials::Progress progress(std::int64_t now_ns) const;
  void compare_if_due(std::int64_t now_ns);
  bool goes_by_period();
  void take_in_others(const Problem& problem);
  bool still_holds(const ArrivalPattern& pattern) const;
  bool may_think(std::int64_t now_ns) const;
  /// Learning has a budget of its own: a choice that was dear must not leave the judge blind.
  bool may_learn(std::int64_t now_ns) const;
  double elapsed_s(std::int64_t now_ns) const;
  double agreeing_s() const;
  double deciding_s() const;
  bool disturbs(double call_s) const;
  std::uint32_t least_calls() const;
  double worth_s() const;
  void learn_first(const MeasuredCall& call, const std::vector<std::size_t>& counts);
  void learn_way(const Problem& problem, const Decision& decision, const MeasuredCall& call);
  void correct(std::size_t way, const Observed& call);

  const Config& config_;
  const Calibration& calibration_;
  const StreamKind kind_;
  const Clock clock_;
  std::optional<Prices> prices_;
  std::vector<Calibration::Learnt> others_;
  std::set<std::size_t> heard_;  ///< ways of which others have told

  std::optional<Selection> last_;     ///< `auto`'s latest, for
  ArrivalPattern last_pattern_;       ///< these arrivals
  Exploration explored_;              ///< what might be tried then
  std::optional<Selection> settled_;  ///< the latest that was no trial
  int used_again_ = 0;
  double moved_ = 0.0;            ///< by how much logarithms of prices have moved since
  std::deque<Decision> made_;     ///< the latest
  std::set<std::uint32_t> seen_;  ///< algorithms whose first call is over

  std::int64_t first_ns_ = 0, previous_ns_ = 0;
  std::uint32_t previous_call_ = 0;
  double computing_s_ = 0.0;
  double interval_s_ = 0.0;  ///< between two calls, a mean of the latest; 0: not known
  double call_s_ = 0.0;      ///< from a call's first arrival to its end, likewise
  double thought_s_ = 0.0, learnt_s_ = 0.0, recalled_s_ = 0.0;
  double choice_s_ = 0.0;  ///< of that the latest choice
  Trials trials_;
  Periods periods_;
  std::uint64_t decisions_ = 0;
};

}  // namespace pat::detail
