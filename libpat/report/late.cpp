#include "libpat/report/late.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/words.hpp"
#include "core/seconds.hpp"
#include "core/text.hpp"

namespace pat::detail {
namespace {

/// No more of them are told of one by one.
constexpr std::size_t most_named = 8;

/// What is not called before the program's other collectives are over: PAT_Finalize, MPI_Finalize.
bool is_the_end(const std::string& function) {
  return function.ends_with("_Finalize");
}

using Present = LiveState::Present;
using Condition = Neighbour::Condition;

bool is_among(const std::vector<int>& ranks, int rank) {
  return ranks.empty() || std::ranges::find(ranks, rank) != ranks.end();
}

bool is_same_communicator(const LiveState::Place& one, const LiveState::Place& other) {
  return one.communicator == other.communicator && one.group == other.group;
}

/// On one communicator, or both on none that is known.
bool wait_together(const Present& one, const Present& other) {
  if (!one.place || !other.place) return !one.place && !other.place;
  return is_same_communicator(*one.place, *other.place);
}

/// How many calls the process has entered on the communicator, or is about to.
std::uint32_t entered(const LiveState& state, const LiveState::Place& communicator) {
  if (const auto& call = state.present;
      call && call->place && is_same_communicator(*call->place, communicator))
    return call->place->number;
  for (const LiveState::Place& one : state.entered)
    if (is_same_communicator(one, communicator)) return one.number;
  return 0;
}

double waited_s(const LiveState& state) {
  return seconds(state.now_ns - state.present->since_ns);
}

/// "MPI_Reduce at solver.c:81".
std::string called(const std::string& function, const std::string& site) {
  return site.empty() ? function : function + " at " + site;
}

/// "reduce" of MPI_Reduce, PAT_Reduce and PAT_Reduce_c.
std::string kind(const std::string& function) {
  std::string name = function.substr(function.find('_') + 1);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.substr(0, name.ends_with("_c") ? name.size() - 2 : name.size());
}

/// Calls of a process on one communicator, one after another, of which no more is told apart.
struct CallsMade {
  std::uint32_t first = 0, last = 0;
  const std::string *function = nullptr, *what = nullptr, *site = nullptr;
  bool lasts = false;
};

/// Those that are remembered and the one that lasts.
std::vector<CallsMade> calls_on(const LiveState::Place& communicator, const LiveState& state) {
  std::vector<CallsMade> calls;
  for (const LiveState::Made& made : state.made)
    if (is_same_communicator(made.first, communicator))
      calls.push_back({made.first.number, made.last, &made.function, &made.what, &made.site});
  if (const auto& call = state.present;
      call && call->place && is_same_communicator(*call->place, communicator))
    calls.push_back({call->place->number, call->place->number, &call->function, &call->what,
                     &call->site, true});
  return calls;
}

bool are_alike(const CallsMade& one, const CallsMade& other) {
  return kind(*one.function) == kind(*other.function) &&
         (one.what->empty() || other.what->empty() || *one.what == *other.what);
}

/// The first call that one of the others made differently, as far as is remembered.
std::optional<std::uint32_t> first_difference(const LiveState::Place& communicator,
                                              const LiveState& own,
                                              const std::vector<Neighbour>& others) {
  std::optional<std::uint32_t> first;
  const std::vector<CallsMade> mine = calls_on(communicator, own);
  for (const Neighbour& other : others) {
    if (!other.state) continue;
    for (const CallsMade& theirs : calls_on(communicator, *other.state))
      for (const CallsMade& calls : mine) {
        const std::uint32_t number = std::max(calls.first, theirs.first);
        if (number > std::min(calls.last, theirs.last) || are_alike(calls, theirs)) continue;
        first = std::min(first.value_or(number), number);
      }
  }
  return first;
}

/// Ranks whose calls of one number are alike, maybe called from several places, and last or are
/// over.
struct Group {
  CallsMade call;
  std::vector<int> ranks;
};

/// All of whom call `number` on the communicator is known.
std::vector<Group> groups_in_call(const LiveState::Place& communicator, std::uint32_t number,
                                  const LiveState& own, const std::vector<Neighbour>& others) {
  std::vector<const LiveState*> states = {&own};
  for (const Neighbour& other : others)
    if (other.state) states.push_back(&*other.state);
  std::ranges::sort(states, {}, &LiveState::rank);
  std::vector<Group> groups;
  for (const LiveState* state : states)
    for (const CallsMade& calls : calls_on(communicator, *state)) {
      if (number < calls.first || calls.last < number) continue;
      auto same = std::ranges::find_if(groups, [&](const Group& group) {
        return group.call.lasts == calls.lasts && are_alike(group.call, calls);
      });
      if (same == groups.end()) same = groups.insert(groups.end(), {calls, {}});
      same->ranks.push_back(state->rank);
    }
  return groups;
}

/// "rank 0 is in PAT_Gather", "ranks 1 and 2 have been in PAT_Gather at a.c:3 (gather, root 1)"
std::string where(const Group& group, bool with_arguments) {
  const bool one = group.ranks.size() == 1;
  const char* const been = group.call.lasts ? (one ? "is" : "are") : one ? "has been" : "have been";
  return fmt::format("{} {} in {}{}", in_words(group.ranks), been,
                     called(*group.call.function, *group.call.site),
                     with_arguments ? " (" + *group.call.what + ")" : "");
}

std::string different_calls(const std::vector<Group>& groups) {
  const bool one_function = std::ranges::all_of(groups, [&](const Group& group) {
    return kind(*group.call.function) == kind(*groups.front().call.function);
  });
  return join(groups, ", ", [&](const Group& group) { return where(group, one_function); }) +
         ": all ranks of a communicator must make the same collectives in the same order, with "
         "the same root, size and operation";
}

/// Nothing: all calls that are remembered on the communicator of `own` are alike.
std::optional<std::string> different_calls(const LiveState& own,
                                           const std::vector<Neighbour>& others) {
  if (!own.present->place) return std::nullopt;
  const LiveState::Place& communicator = *own.present->place;
  const auto number = first_difference(communicator, own, others);
  if (!number) return std::nullopt;
  return different_calls(groups_in_call(communicator, *number, own, others));
}

/// Those who wait in the call of `own`, and this one.
std::vector<int> who_waits(const LiveState& own, const std::vector<Neighbour>& others) {
  std::vector<int> ranks = {own.rank};
  for (const Neighbour& other : others)
    if (own.present->place && other.state && other.state->present && other.state->present->place &&
        wait_together(*other.state->present, *own.present) &&
        other.state->present->place->number == own.present->place->number)
      ranks.push_back(other.rank);
  std::ranges::sort(ranks);
  return ranks;
}

/// Ranks that make the call and have not come to it.
bool lacks_somebody(const Present& call, const std::vector<const LiveState*>& all) {
  return call.place && std::ranges::any_of(all, [&](const LiveState* one) {
           return is_among(call.ranks, one->rank) &&
                  entered(*one, *call.place) < call.place->number;
         });
}

/// In one and the same function of MPI for so long that no other program's load explains it.
bool waits_long(const LiveState& state) {
  if (!state.present && (state.waits_in.empty() || state.waits_since_ns == 0)) return false;
  const std::int64_t since_ns = state.present ? state.present->since_ns : state.waits_since_ns;
  return seconds(state.now_ns - since_ns) >= all_wait_patience_s;
}

/// All processes of the job wait, each for a message or in a collective that another one has not
/// come to: who waits for whom cannot change. A collective that all have come to may move data.
bool all_wait(const LiveState& own, const std::vector<Neighbour>& others) {
  std::vector<const LiveState*> all = {&own};
  for (const Neighbour& other : others)
    if (other.state) all.push_back(&*other.state);
  if (std::ssize(all) != own.ranks || !lacks_somebody(*own.present, all)) return false;
  return std::ranges::all_of(all, [&](const LiveState* one) {
    return one->all_entered && waits_long(*one) &&
           (!one->present || !one->present->place || lacks_somebody(*one->present, all));
  });
}

/// "it is in MPI_Barrier at io.c:12, on another communicator"
std::string doing(const Present& call, const Present& own) {
  return "it is in " + called(call.function, call.site) +
         (call.place && !wait_together(call, own) ? ", on another communicator" : "");
}

/// What the rank does, as far as it knows.
std::string doing(const LiveState& state) {
  std::string text =
      state.waits_in.empty() ? "it is between calls" : "it waits in " + state.waits_in;
  if (const auto& phase = state.phase; phase && !phase->region.empty()) {
    text = state.waits_in.empty()
               ? fmt::format("it {} {}", phase->paused ? "pauses in" : "computes", phase->region)
               : fmt::format("it waits in {}, in {}", state.waits_in, phase->region);
    if (phase->start_ns) text += " for " + seconds_text(seconds(state.now_ns - *phase->start_ns));
    if (phase->fraction) text += ", " + percent_text(*phase->fraction) + " done at its last edge";
  }
  if (state.phase && !state.phase->seen_at.empty()) text += ", was seen at " + state.phase->seen_at;
  if (state.left)
    text += fmt::format(", and left {} {} ago", called(state.left->function, state.left->site),
                        seconds_text(seconds(state.now_ns - state.left->exit_ns)));
  return text;
}

bool is_foretold(const std::optional<LiveState::Phase>& phase) {
  return phase && phase->start_ns && phase->lasts_s && phase->half_width_s;
}

double lasts_s(const LiveState& state) {
  return seconds(state.now_ns - *state.phase->start_ns);
}

/// What is known of the wait besides the states.
struct Wait {
  double excused_s = 0.0;
  std::optional<double> patience_s;  ///< see who_is_late()
  bool of_all = false;               ///< see all_wait()
};

/// Empty: it may still come in time.
std::string how_late(const LiveState& state, double waited, const Wait& wait) {
  const bool foretold = !state.present && is_foretold(state.phase);
  if (foretold && is_overdue(state, wait.excused_s))
    return fmt::format("is {} later than foretold (+- {})",
                       seconds_text(lasts_s(state) - *state.phase->lasts_s - wait.excused_s),
                       seconds_text(*state.phase->half_width_s));
  if (wait.of_all) return "has not come, and all ranks wait";
  if (state.present) return "";  // it waits itself
  if (wait.patience_s) return waited > *wait.patience_s ? "has not come" : "";
  return !foretold && waited > unforetold_patience_s
             ? "has not come, and nothing was foretold of it"
             : "";
}

/// Empty: others do not wait for this one, or not yet too long.
std::string reproach(const LiveState& own, const Neighbour& other, const Wait& wait) {
  const std::string who = other.machine != 0
                              ? fmt::format("rank {} on another machine ", other.rank)
                              : fmt::format("rank {} (process {}) ", other.rank, other.pid);
  switch (other.condition) {
    case Condition::stopped:
      return who + fmt::format("is stopped, kill -CONT {} lets it go on", other.pid);
    case Condition::gone:
      return who + "has ended, or has called PAT_Finalize";
    case Condition::silent:
      return who + (other.machine != 0 ? "does not answer, it may be stopped or get no processor"
                                       : "does not answer, it may get no processor");
    case Condition::answers:
      break;
  }
  const LiveState& state = *other.state;
  if (!state.all_entered) return "";  // it may have been there
  if (own.present->place && entered(state, *own.present->place) >= own.present->place->number)
    return "";  // it has been there
  if (state.present && is_the_end(state.present->function) && own.present->place)
    return fmt::format("rank {} is in {} without having made this call", other.rank,
                       state.present->function);
  const std::string late = how_late(state, waited_s(own) - wait.excused_s, wait);
  if (late.empty()) return "";
  return fmt::format("rank {} {}: {}", other.rank, late,
                     state.present ? doing(*state.present, *own.present) : doing(state)) +
         (other.machine != 0 && !state.host.empty() ? ", on " + state.host : "");
}

/// On its machine somebody waits for it, too.
bool is_named_there(const LiveState& own, const Neighbour& late,
                    const std::vector<Neighbour>& others) {
  return late.machine != 0 && std::ranges::any_of(others, [&](const Neighbour& other) {
           return other.machine == late.machine && other.state && other.state->present &&
                  wait_together(*own.present, *other.state->present);
         });
}

}  // namespace

bool is_overdue(const LiveState& state, double excused_s) {
  const auto& phase = state.phase;
  if (!phase || !phase->start_ns) return false;
  const double so_far_s = lasts_s(state) - excused_s;
  if (!is_foretold(phase)) return so_far_s > unforetold_patience_s;
  const double usual_s = std::max(*phase->lasts_s, phase->longest_s.value_or(0.0));
  const double least_s = phase->before < few_phases ? late_at_first_s : late_at_least_s;
  return so_far_s - usual_s > std::max(least_s, late_widths * 2.0 * *phase->half_width_s);
}

bool leaves_word_to(const LiveState& own, const LiveState& other) {
  return own.present && other.present && other.rank < own.rank &&
         wait_together(*own.present, *other.present) && waited_s(other) > 0.5 * late_at_least_s;
}

double next_look_s(double waited_s) {
  double next_s = std::max(1.25 * waited_s, waited_s + 0.5);
  for (const double patience_s : {all_wait_patience_s, unforetold_patience_s})
    if (waited_s < patience_s) next_s = std::min(next_s, patience_s);
  return next_s;
}

std::vector<int> who_came(const LiveState& own, const std::vector<Neighbour>& now) {
  std::vector<int> came;
  for (const Neighbour& one : now)
    if (own.present->place && one.state &&
        entered(*one.state, *own.present->place) >= own.present->place->number)
      came.push_back(one.rank);
  return came;
}

std::string goes_on(const LiveState& own, const std::vector<int>& came, double waited_s) {
  const std::string call = called(own.present->function, own.present->site);
  if (came.empty())
    return fmt::format("rank {} goes on after {} in {}", own.rank, seconds_text(waited_s), call);
  return fmt::format("{} {} come after {}: rank {} goes on from {}", in_words(came),
                     came.size() == 1 ? "has" : "have", seconds_text(waited_s), own.rank, call);
}

std::optional<Alarm> who_is_late(const LiveState& own, const std::vector<Neighbour>& others,
                                 double excused_s, std::optional<double> patience_s) {
  if (!own.present) return std::nullopt;
  if (auto text = different_calls(own, others)) return Alarm{std::move(*text), {}};
  const Wait wait{excused_s, patience_s, all_wait(own, others)};
  std::vector<std::string> late;
  std::vector<int> ranks;
  for (const Neighbour& other : others)
    if (is_among(own.present->ranks, other.rank) && !is_named_there(own, other, others))
      if (std::string text = reproach(own, other, wait); !text.empty()) {
        late.push_back(std::move(text));
        ranks.push_back(other.rank);
      }
  if (late.empty()) return std::nullopt;
  const std::size_t more = late.size() - std::min(late.size(), most_named);
  late.resize(late.size() - more);
  const std::vector<int> waiting = who_waits(own, others);
  return Alarm{fmt::format("{} {} waited {} in {}: {}{}", in_words(waiting),
                           waiting.size() == 1 ? "has" : "have", seconds_text(waited_s(own)),
                           called(own.present->function, own.present->site), join(late, "; "),
                           more > 0 ? fmt::format("; and {} more are late", more) : ""),
               std::move(ranks)};
}

}  // namespace pat::detail
