#include "libpat/session/calls.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <climits>

#include "collectives/operation_row.hpp"
#include "core/seconds.hpp"
#include "libpat/agreement/choice.hpp"
#include "libpat/agreement/thread_id.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {
namespace {

/// One line of the debug log; calls that need no decision have none.
void log(const Call& call, std::string_view what) {
  if (call.stream == nullptr) return;
  spdlog::debug("{} on communicator {}, stream {}, call {}: rank {} {}",
                name(call.signature.operation), call.twin->id(), call.stream->id, call.number,
                call.rank, what);
}

/// The parts that were not handed over one by one.
void deposit_rest(Call& call) {
  std::size_t first = 0;
  for (std::size_t part = 0; part < call.part_ends.size(); ++part) {
    if (!call.part_ready[part]) call.order_free->deposit(first, call.part_ends[part]);
    first = call.part_ends[part];
  }
  if (call.part_ends.empty()) call.order_free->deposit();
}

/// Whether the library's non-blocking call, which it would be, may take blocks for each other.
bool the_library_may_err(const Call& call) {
  return row(call.signature.operation).among_neighbours() && call.twin->has_short_circle() &&
         !call.may_block();
}

UserBuffers buffers_of(const Call& call) {
  if (call.by_library()) return {};  // it has the arguments
  if (call.signature.form == Form::persistent && !copies_aside(call.arguments)) return call.buffers;
  return bind(call.arguments, call.rank, call.ranks);
}

/// Why no decision is asked for; empty where the user wants an algorithm of PAT's.
std::string_view why_forced(const Algorithm& forced, bool asked, const Config& config) {
  if (!pat::is_library(forced)) return {};
  if (config.run == "watch") return "mpi: only watched (PAT_RUN=watch)";
  return asked ? "mpi: chosen by the user"
               : "mpi: arrivals decide little here, auto may be asked for by name";
}

}  // namespace

Calls::Calls(const Config& config, const Circumstances& circumstances, const Forced& forced,
             Negotiation& negotiation, Records& records, Rest& rest, Following& following,
             const Runs& runs)
    : config_(config),
      circumstances_(circumstances),
      forced_(forced),
      negotiation_(negotiation),
      records_(records),
      rest_(rest),
      following_(following),
      runs_(runs) {}

// ---------------------------------------------------------------- the library's own

/// The user's choice, or what does the call where the library would err; null: none of them.
const Algorithm* Calls::algorithm_for(const Call& call) const {
  const Algorithm* forced = forced_.algorithm_for(call.signature);
  const bool by_library = forced == nullptr || pat::is_library(*forced);
  if (!by_library || !the_library_may_err(call)) return forced;
  return &get_algorithm(call.signature.operation, row(call.signature.operation).v_plain);
}

/// For the report; empty: it is not. What a process does among its neighbours must not wait for
/// who decides, unless the user wants it.
std::string_view Calls::why_static(const Call& call) const {
  const CallSignature& signature = call.signature;
  if (call.twin->size() == 1 && !the_library_may_err(call)) return "mpi: one process";
  if (call.twin->forgoes_messages())
    return "mpi: several threads make communicators, and this one is of part of the processes";
  if (call.total_bytes > INT_MAX) return "mpi: above 2 GiB";
  if (call.left_to_library) return "mpi: a v-form with large counts";
  const bool has_bytes = row(signature.operation).has_bytes();
  if (has_bytes && !signature.varying && signature.block_bytes == 0) return "mpi: no bytes";
  if (call.keeps_operator()) return {};
  const Algorithm* forced = algorithm_for(call);
  if (forced == nullptr && row(signature.operation).among_neighbours())
    return "mpi: no algorithm is chosen for neighbours";
  if (forced != nullptr) return why_forced(*forced, forced_.asked(signature.operation), config_);
  const bool is_known = !signature.varying || row(signature.operation).counts_are_known();
  if (is_known && call.total_bytes < config_.min_bytes)  // a barrier has none
    return "mpi: below PAT_MIN_BYTES";
  if (signature.fixed_order) return same_bits;
  return {};
}

/// A blocking call of the library cannot be asked how it stands, so the watchdog has a thread.
int Calls::call_library(const Call& call) const {
  const Watchdog::Watch watch(circumstances_.watchdog, call.arguments, place_of(call));
  return library_calls(call.arguments).call(call.arguments);
}

void Calls::count(Locked& locked, Call& call, std::int64_t arrival_ns) {
  call.arrival_ns = arrival_ns;
  const std::int64_t exit_ns = now_ns();
  place(locked, call);
  ++call.series->tally.calls_by_algorithm["mpi"];
  following_.leave(locked, call, exit_ns);
}

// ---------------------------------------------------------------- from open to ready

void Calls::place(Locked& locked, Call& call) {
  if (call.signature.form != Form::plain) note_request(locked, call);
  const Algorithm* forced = algorithm_for(call);
  Twin& twin = *call.twin;
  if (const std::string_view why = why_static(call); !why.empty()) {
    call.series = &twin.undecided(locked, call.signature, forced, why);
    return;
  }
  call.stream = call.signature.form == Form::persistent
                    ? twin.obtain_for_request(locked, call.signature, forced)
                    : twin.obtain(locked, call.signature, forced);
  call.series = call.stream;
  if (call.stream == nullptr) {
    call.series = &twin.undecided(locked, call.signature, forced,
                                  "mpi: PAT follows no more kinds of calls on a communicator");
    return;
  }
  if (call.signature.varying) call.stream->counts = call.counts;
  if (call.signature.form == Form::persistent) call.stream->parts = 0;
}

/// From here on plain calls on the communicator go on without blocking, on all its ranks, if only
/// the program's threads can bring requests forward.
void Calls::note_request(Locked&, Call& call) {
  const bool needs_threads = !circumstances_.daemon_everywhere || call.keeps_operator();
  if (!needs_threads || !call.twin->may_block) return;
  call.twin->may_block = false;
  drop_settled();
}

void Calls::open(Locked& locked, Call& call) {
  following_.take_events(locked);  // calls before this one
  call.state = Call::State::open;
  call.number = call.stream != nullptr ? call.stream->next_call : 0;
  call.asked = call.counted = false;
  call.decision.reset();
  call.part_ready.assign(call.part_ends.size(), false);
  if (call.twin != nullptr) call.entry = records_.next_entry(locked, *call.twin);
  pace::Round round;
  advance(locked, call, By::caller, round);
  rest_.end();
}

void Calls::hand_over_part(Locked& locked, Call& call, std::size_t part) {
  if (call.order_free)
    call.order_free->deposit(part == 0 ? 0 : call.part_ends[part - 1], call.part_ends[part]);
  call.part_ready[part] = true;
  if (call.run) call.run->hand_over_part(part);
  if (!circumstances_.daemon && !is_main_thread()) return;
  pace::Round round;
  advance(locked, call, By::caller, round);
}

void Calls::ready(Locked& locked, Call& call, std::int64_t arrival_ns) {
  Stream* stream = call.stream;
  const Form form = call.signature.form;
  // Where all is decided the models can wait until a plain call is over.
  const bool settled = form == Form::plain && circumstances_.daemon && stream != nullptr &&
                       stream->settled.calls.load() == stream->next_call &&
                       Negotiation::is_settled(stream);
  if (!settled) following_.take_events(locked);
  if (call.order_free) deposit_rest(call);
  call.state = Call::State::ready;
  call.arrival_ns = arrival_ns;
  if (form == Form::plain) ++in_calls_;
  if (stream != nullptr) {
    if (form != Form::persistent) {
      call.number = stream->next_call;
      call.run = std::move(stream->ahead);
    }
    stream->settled.calls.store(++stream->next_call);
    if (form == Form::nonblocking) stream->unfinished.insert(call.number);
  }
  log(call, call.run ? "arrives, and finds the call begun by the daemon" : "arrives");
  if (call.twin != nullptr && form != Form::persistent && !call.may_block())
    in_order_[call.twin].push_back(&call);
  call.undecided_since_ns = now_ns();
  if (form == Form::plain) {  // accounted for when it is over
    // The others may ask for the next decision while this process is still inside.
    if (stream != nullptr && rest_.holds() && !Negotiation::leads_far_enough(*call.twin, *stream))
      rest_.end();
    return;
  }
  if (call.twin == nullptr)
    count_unmeasured();
  else
    following_.account(
        locked, *call.twin, *call.series,
        form == Form::nonblocking ? records_.next_entry(locked, *call.twin) : call.entry,
        thread_number(), arrival_ns, arrival_ns, {},  // nobody knows yet what it will be done with
        call.arguments.site_number);
  pace::Round round;
  advance(locked, call, By::caller, round);
  rest_.end();
}

// ---------------------------------------------------------------- going forward

void Calls::advance(Locked& locked, Call& call, By by, pace::Round& round) {
  if (!call.active() || call.taken || call.over()) return;
  round.computing = true;  // keeps the daemon awake
  if (!decide(locked, call)) return;
  if (call.ready() && !call.counted) note_decided(locked, call);
  if (!call.run) {
    call.run = runs_.make(locked, call, round);
    if (call.run) log(call, call.ready() ? "begins" : "begins before it arrives");
  }
  if (call.twin != nullptr) begin_library_in_order(locked, *call.twin);
  if (!call.run) return;
  const bool plain = call.signature.form == Form::plain;
  if (plain) return;  // its thread joins it, without the lock
  if (call.ready() && !call.run->joined()) call.run->join(buffers_of(call));
  const bool moved = call.run->advance(by);
  if (call.stream == nullptr) return;
  if (call.stream->motion.round(moved, now_ns())) round.moving = true;
  if (call.over()) call.stream->unfinished.erase(call.number);  // its tags are free
}

/// Whether it is known what the call is done with.
bool Calls::decide(Locked& locked, Call& call) {
  if (call.stream == nullptr || call.decision) return true;
  if (call.number == 0)
    call.decision =
        std::make_shared<const Decision>(negotiation_.first_decision(*call.twin, *call.stream));
  else
    find_decision(locked, call);
  if (!call.decision) return false;
  if (call.keeps_operator() && call.by_library()) {
    Decision here = *call.decision;
    here.choose(get_algorithm(call.signature.operation, row(call.signature.operation).fixed_order));
    call.decision = std::make_shared<const Decision>(std::move(here));
  }
  return true;
}

/// Of a call after the first: from what has come, else the leader makes it, and the others ask.
void Calls::find_decision(Locked& locked, Call& call) {
  Twin& twin = *call.twin;
  Stream& stream = *call.stream;
  const bool leads = twin.rank() == stream.leader_rank;
  call.decision = stream.decision_for(call.number);
  if (!call.decision && call.ready() && !call.asked) {
    negotiation_.poll(locked);
    call.decision = stream.decision_for(call.number);
  }
  if (!call.decision && leads && !stream.waits_for_answers() &&
      (call.ready() || call.any_part_ready())) {
    while (stream.decided_until <= call.number)
      negotiation_.decide(locked, twin, stream, stream.decided_until);
    call.decision = stream.decision_for(call.number);
  }
  if (!call.decision && !leads && call.ready() && !call.asked) {
    call.asked = true;
    negotiation_.ask(locked, twin, stream, call.number, call.arrival_ns);
  }
  if (call.decision && (stream.unfinished.empty() || *stream.unfinished.begin() >= call.number))
    stream.drop_decisions_before(locked, call.number);
}

/// Without a daemon the report for the next call goes out on entering this one, and so does the
/// leader's decision. A process reports when its lease ends here, also if the leader has already
/// decided on.
void Calls::note_decided(Locked& locked, Call& call) {
  call.counted = true;
  if (call.stream == nullptr) {
    if (call.series != nullptr) ++call.series->tally.calls_by_algorithm["mpi"];
    return;
  }
  Twin& twin = *call.twin;
  Stream& stream = *call.stream;
  const Decision& decision = *call.decision;
  ++stream.tally.calls_by_algorithm[decision.chosen().name];
  if (call.by_library()) stream.unfinished.erase(call.number);  // it needs no tags
  if (call.signature.form == Form::plain && call.number > 0)
    stream.tally.note_wait(seconds(now_ns() - call.undecided_since_ns));
  if (circumstances_.daemon || (!decision.live && decision.covers(call.number + 1))) return;
  if (stream.region != nullptr)
    stream.region->foretell();
  else if (stream.gaps)
    stream.gaps->foretell({}, {});
  negotiation_.report_arrival(locked, twin, stream, call.number, call.arrival_ns);
  negotiation_.poll(locked);
  if (twin.rank() == stream.leader_rank && stream.decided_until == stream.next_call)
    negotiation_.decide(locked, twin, stream, stream.next_call);
}

/// Begins those of the library's non-blocking calls before which all is decided.
void Calls::begin_library_in_order(Locked&, const Twin& twin) {
  const auto waiting = in_order_.find(&twin);
  if (waiting == in_order_.end()) return;
  std::deque<Call*>& calls = waiting->second;
  while (!calls.empty()) {
    Call& next = *calls.front();
    if (next.stream != nullptr && !next.decision) return;
    if (next.by_library()) {
      if (next.run == nullptr) return;
      next.run->take_turn();
      if (!next.run->joined()) next.run->join({});
      next.run->advance(By::caller);
    }
    calls.pop_front();
  }
  in_order_.erase(waiting);
}

bool Calls::is_under_way(Locked&, const Call& call) const {
  if (!call.ready() || !call.run) return false;
  if (!call.by_library() || call.twin == nullptr) return true;
  const auto waiting = in_order_.find(call.twin);
  return waiting == in_order_.end() ||
         std::ranges::find(waiting->second, &call) == waiting->second.end();
}

std::string Calls::what_it_lacks(Locked& locked, const Call& call) const {
  if (call.stream != nullptr && !call.decision)
    return "for the decision of rank " +
           std::to_string(call.twin->session_rank(call.stream->leader_rank));
  const auto waiting = in_order_.find(call.twin);
  if (!call.run || waiting == in_order_.end() || waiting->second.front() == &call)
    return "for an earlier call of its kind that is not over";
  const Call& first = *waiting->second.front();
  return std::string("for ") + first.arguments.function + ", made before it, which waits " +
         what_it_lacks(locked, first);
}

// ---------------------------------------------------------------- to the end

void Calls::finish_taken(Call& call, const OnWait& hook) const {
  if (!call.run->joined()) call.run->join(buffers_of(call));
  if (call.signature.form == Form::plain && call.by_library() && call.may_block()) {
    const Watchdog::Watch watch(circumstances_.watchdog, call.arguments);
    call.run->finish(nullptr);
  } else {
    call.run->finish(hook);
  }
}

void Calls::break_off(Locked& locked, Call& call) {
  call.taken = false;
  const bool plain = call.signature.form == Form::plain;
  if (plain) --in_calls_;
  if (!plain && !call.by_library()) return;  // it stays active
  let_go(locked, call);
}

void Calls::let_go(Locked&, Call& call) {
  if (const auto waiting = in_order_.find(call.twin); waiting != in_order_.end()) {
    std::erase(waiting->second, &call);
    if (waiting->second.empty()) in_order_.erase(waiting);
  }
  call.run.reset();
  call.taken = false;
  call.state = Call::State::idle;
}

void Calls::note_links(Twin& twin, const std::vector<BlockTime>& times) {
  if (times.empty()) return;
  twin.links.note(times);
  const std::vector<bool>& slow = twin.links.slow();
  for (std::size_t rank = 0; rank < slow.size(); ++rank)
    if (slow[rank]) slow_links_.insert(twin.session_rank(static_cast<int>(rank)));
}

int Calls::end(Locked& locked, Call& call) {
  const int error = call.run->error(), told = call.run->told_error();
  log(call, error == MPI_SUCCESS && told == MPI_SUCCESS ? "is done" : "is done, with an error");
  if (call.stream != nullptr) {
    call.stream->tally.out_of_turn += call.run->out_of_turn();
    note_links(*call.twin, call.run->block_times());
  }
  if (call.order_free && error == MPI_SUCCESS && told == MPI_SUCCESS) call.order_free->round();
  let_go(locked, call);
  const std::int64_t exit_ns = now_ns();
  if (call.signature.form == Form::plain) {
    --in_calls_;
    following_.leave(locked, call, exit_ns);
    check(error);
    return told;
  }
  // Meanwhile it computed; in the call it was when it waited.
  if (call.series != nullptr && call.waits_since_ns != 0)
    call.series->tally.in_call_s += seconds(exit_ns - call.waits_since_ns);
  call.waits_since_ns = 0;
  if (Stream* stream = call.stream) {
    stream->unfinished.erase(call.number);
    following_.expect_next_call(locked, *call.twin, *stream, call.arrival_ns, exit_ns);
  }
  check(error);
  return told;
}

}  // namespace pat::detail
