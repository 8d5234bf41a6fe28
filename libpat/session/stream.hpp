#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libpat/agreement/decision.hpp"
#include "libpat/agreement/judge.hpp"
#include "libpat/agreement/kept_program.hpp"
#include "libpat/agreement/leader.hpp"
#include "libpat/agreement/pace.hpp"
#include "libpat/agreement/recall.hpp"
#include "libpat/agreement/region.hpp"
#include "libpat/agreement/report_tree.hpp"
#include "libpat/agreement/signature.hpp"
#include "libpat/execution/run.hpp"
#include "libpat/session/locked.hpp"
#include "libpat/session/settled.hpp"
#include "libpat/session/tally.hpp"

namespace pat::detail {

/// All calls on one communicator with the same arguments (those which MPI makes equal on all ranks)
/// and the same choice of algorithm, as far as they are only counted.
struct Series {
  std::uint32_t id = 0;
  CallSignature signature;
  const Algorithm* forced = nullptr;  ///< the user's choice; null: auto
  int leader_rank = 0;                ///< rank in the communicator: the root, or 0
  bool of_any_kind = false;           ///< calls of the operation, whatever their root and size
  std::string left_because;           ///< why none is decided and all go to the library; or empty

  Settled settled;
  Tally tally;
  /// Of calls without a decision: when one came by last, and how many there were then.
  std::int64_t came_by_ns = 0;
  std::uint32_t came_by_calls = 0;

  std::optional<std::uint32_t>
      journal_place;            ///< in the journal, if it was noted: after this region
  const void* after = nullptr;  ///< its handle, which is that of no other
  std::uint16_t site = 0;       ///< from where that call was made
};

/// A series whose calls are decided. Ranks agree on stream and call number without a message,
/// because MPI orders the collectives of a communicator. Call 0 is static: every rank knows what to
/// do; from call 1 on a decision is needed.
struct Stream : Series {
  bool in_use = false;  ///< of a persistent signature: by a request that is not freed
  int parts = 0;        ///< into how many pieces that request's send buffer is cut here

  std::uint32_t next_call = 0;  ///< those before it were counted; settled ones wait in the queue
  /// The present one first; past ones are dropped. A call keeps its own as long as it lasts.
  std::deque<std::shared_ptr<const Decision>> decisions;

  std::unique_ptr<Leader> leader;   ///< at the leader only
  std::unique_ptr<Judge> judge;     ///< at the leader only: what `auto` goes by
  std::uint32_t decided_until = 1;  ///< at the leader: first call without a decision
  std::optional<Recall> recall;     ///< at the leader: of the present lease

  /// The lease is being called back: every call comes by, and the daemon does not rest.
  bool looks_out = false;
  /// In the second round of that: from this call on another decision is waited for.
  std::optional<std::uint32_t> held_from;
  std::uint32_t held_lease = 0;    ///< the first call of that lease
  Told told;                       ///< what the leader knows of this process's phases
  HeldReports held_reports;        ///< of processes below in the tree of reports, and its own
  std::int64_t told_moved_ns = 0;  ///< when it was told last that they are others
  RecentMean interval_s;           ///< between two arrivals

  RegionState* region = nullptr;  ///< whose phases precede the calls; null: not annotated
  /// The time since the thread's call before, whichever it was, for programs without regions: what
  /// lies between this stream's calls is the other calls' matter.
  std::optional<FedModel> gaps;
  bool follows_itself = false;  ///< the call before the latest one was of this stream, too
  std::int64_t last_exit_ns = 0;
  /// Of the latest plain call that is over.
  std::uint32_t latest_call = 0;
  std::int64_t latest_arrival_ns = 0;
  /// Of the latest one that the leader is to learn from.
  std::uint32_t past_call = 0;
  std::int64_t past_arrival_ns = 0, past_exit_ns = 0;
  std::vector<std::size_t> counts;  ///< v-forms: units per rank in the latest call, as known here
  pace::Motion motion;              ///< of its early data

  std::unique_ptr<Run> ahead;  ///< of call next_call, begun before the program made it
  /// Calls before next_call that are not over here and use tags, or are not decided yet.
  std::set<std::uint32_t> unfinished;
  KeptProgram program;

  /// The decision for `call`; null while it has not come.
  std::shared_ptr<const Decision> decision_for(std::uint32_t call) const {
    if (held_from && call >= *held_from) return nullptr;
    for (const auto& decision : decisions)
      if (decision->covers(call)) return decision;
    return nullptr;
  }
  /// Whether the decision for the calls from `first` on has come.
  bool has_lease(std::uint32_t first) const {
    return std::ranges::any_of(decisions, [&](const auto& known) { return known->first == first; });
  }
  /// False: it has come before, or what came after it is over.
  bool add(Locked&, const Decision& decision) {
    if (decision.first <= dropped_first_ || has_lease(decision.first)) return false;
    auto place = decisions.end();  // in order of calls, whatever the messages did
    while (place != decisions.begin() && (*std::prev(place))->first > decision.first) --place;
    place = decisions.insert(place, std::make_shared<const Decision>(decision));
    if (decision.first > held_lease) {
      held_from.reset();
      looks_out = false;
    }
    // The rest of a lease that was called back is its follower's.
    if (place != decisions.begin()) end_before(*std::prev(place), decision.first);
    if (std::next(place) != decisions.end()) end_before(*place, (*std::next(place))->first);
    return true;
  }
  /// What a leader knows, made on first use.
  Leader& lead(Locked&, int ranks, int lease_max) {
    if (!leader) leader = std::make_unique<Leader>(ranks, static_cast<std::uint32_t>(lease_max));
    return *leader;
  }
  /// At the leader: nothing is decided until everybody has answered.
  bool waits_for_answers() const { return recall && recall->all_look_out(); }
  /// Whether the present lease is one that nobody looks at, and of some length still.
  bool has_blind_lease() const {
    const auto decision = decision_for(next_call);
    return decision != nullptr && !decision->live && decision->tolerated_s > 0.0 &&
           decision->covers(next_call + 2);
  }
  /// Nobody asks for the decisions of calls before `call` any more.
  void drop_decisions_before(Locked&, std::uint32_t call) {
    while (!decisions.empty() && decisions.front()->first + decisions.front()->count <= call) {
      dropped_first_ = decisions.front()->first;
      decisions.pop_front();
    }
  }

 private:
  static void end_before(std::shared_ptr<const Decision>& decision, std::uint32_t call) {
    if (decision->first + decision->count <= call) return;
    auto shorter = std::make_shared<Decision>(*decision);
    shorter->count = call - shorter->first;
    decision = std::move(shorter);
  }

  std::int64_t dropped_first_ = -1;  ///< the first call of the decision that was dropped last
};

}  // namespace pat::detail
