#include "libpat/session/calls.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <climits>
#include <string>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/seconds.hpp"
#include "libpat/execution/dynamic_run.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/execution/schedule_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/private_communicator.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {
namespace {

bool is_library(const Call& call) {
  return call.stream == nullptr || pat::is_library(call.decision->chosen());
}

/// One line of the debug log; calls that need no decision have none.
void log(const Call& call, std::string_view what) {
  if (call.stream == nullptr) return;
  spdlog::debug("{} on communicator {}, stream {}, call {}: rank {} {}",
                name(call.signature.operation), call.twin->id(), call.stream->id, call.number,
                call.rank, what);
}

int session_rank(const Call& call) {
  return call.twin != nullptr ? call.twin->session_rank(call.rank) : call.rank;
}

/// Why it is not under way.
std::string what_it_lacks(const Call& call) {
  if (call.stream != nullptr && !call.decision)
    return "for the decision of rank " +
           std::to_string(call.twin->session_rank(call.stream->leader_rank));
  return "for calls on the communicator before it, which others have not made";
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

UserBuffers buffers_of(const Call& call) {
  if (is_library(call)) return {};  // it has the arguments
  if (call.signature.form == Form::persistent && !copies_aside(call.arguments)) return call.buffers;
  return bind(call.arguments, call.rank, call.ranks);
}

}  // namespace

MPI_Datatype KeptTypes::keep(MPI_Datatype type) {
  if (is_predefined(type)) return type;
  MPI_Datatype own = MPI_DATATYPE_NULL;  // not MPI_Type_dup, which runs the user's callbacks
  check(PMPI_Type_contiguous(1, type, &own));
  own_.push_back(own);
  check(PMPI_Type_commit(&own_.back()));
  return own;
}

KeptTypes::~KeptTypes() {
  for (MPI_Datatype& type : own_) PMPI_Type_free(&type);
}

bool Call::any_part_ready() const {
  return std::find(part_ready.begin(), part_ready.end(), true) != part_ready.end();
}

Calls::Calls(const Config& config, Circumstances circumstances, const Forced& forced,
             Negotiation& negotiation, Twins& twins, Regions& regions, Journal* journal,
             std::function<void()> wake, const std::atomic<int>& failure)
    : config_(config),
      circumstances_(circumstances),
      forced_(forced),
      negotiation_(negotiation),
      twins_(twins),
      regions_(regions),
      journal_(journal),
      wake_(std::move(wake)),
      failure_(failure) {}

Calls::~Calls() = default;

// ---------------------------------------------------------------- what kind of call it is

/// The operator is the program's and runs in its threads only, so PAT must do the call: in the MPI
/// library's non-blocking collectives whoever calls MPI next runs it.
bool Calls::keeps_operator(const Call& call) const {
  return call.signature.own_operator && call.signature.form != Form::plain;
}

/// For the report; empty: it is not.
std::string_view Calls::why_static(const Call& call) const {
  const CallSignature& signature = call.signature;
  if (call.twin->size() == 1) return "mpi: one process";
  if (call.total_bytes > INT_MAX) return "mpi: above 2 GiB";
  if (call.left_to_library) return "mpi: a v-form with large counts";
  const bool has_bytes = row(signature.operation).has_bytes();
  if (has_bytes && !signature.varying && signature.block_bytes == 0) return "mpi: no bytes";
  if (keeps_operator(call)) return {};
  const Algorithm* forced = forced_.algorithm_for(signature);
  if (forced != nullptr) return pat::is_library(*forced) ? "mpi: chosen by the user" : "";
  if (!signature.varying && call.total_bytes < config_.min_bytes)  // a barrier has none
    return "mpi: below PAT_MIN_BYTES";
  return {};
}

/// The library's blocking collective is its fastest, but while a thread is inside it nothing that
/// needs that thread goes on.
bool Calls::may_block(const Call& call) const {
  return call.signature.form == Form::plain && call.twin->may_block;
}

void Calls::place(Locked& locked, Call& call) {
  if (call.signature.form != Form::plain) note_request(locked, call);
  const Algorithm* forced = forced_.algorithm_for(call.signature);
  Twin& twin = *call.twin;
  if (const std::string_view why = why_static(call); !why.empty()) {
    call.series = &twin.undecided(call.signature, forced, why);
    return;
  }
  call.stream = call.signature.form == Form::persistent
                    ? twin.obtain_for_request(call.signature, forced)
                    : twin.obtain(call.signature, forced);
  call.series = call.stream;
  if (call.stream == nullptr) {
    call.series = &twin.undecided(call.signature, forced,
                                  "mpi: PAT follows no more kinds of calls on a communicator");
    return;
  }
  if (call.signature.varying) call.stream->counts = call.counts;
  if (call.signature.form == Form::persistent) call.stream->parts = 0;
}

/// From here on plain calls on the communicator go on without blocking, on all its ranks, if only
/// the program's threads can bring requests forward.
void Calls::note_request(Locked&, Call& call) {
  const bool needs_threads = !circumstances_.daemon_everywhere || keeps_operator(call);
  if (!needs_threads || !call.twin->may_block) return;
  call.twin->may_block = false;
  drop_settled();
}

// ---------------------------------------------------------------- from open to ready

void Calls::open(Locked& locked, Call& call) {
  take_events(locked);  // calls before this one
  call.state = Call::State::open;
  call.number = call.stream != nullptr ? call.stream->next_call : 0;
  call.asked = call.counted = false;
  call.decision.reset();
  call.part_ready.assign(call.part_ends.size(), false);
  if (call.twin != nullptr) call.entry = next_entry(*call.twin);
  pace::Round round;
  advance(locked, call, By::caller, round);
  rise();
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
  if (!settled) take_events(locked);
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
  if (call.twin != nullptr && form != Form::persistent && !may_block(call))
    call.twin->in_order.push_back(&call);
  call.undecided_since_ns = now_ns();
  if (form == Form::plain) {  // accounted for when it is over
    // The others may ask for the next decision while this process is still inside.
    if (stream != nullptr && resting() && !Negotiation::leads_far_enough(*call.twin, *stream))
      rise();
    return;
  }
  if (call.twin == nullptr)
    count_unmeasured();
  else
    account(locked, *call.twin, *call.series,
            form == Form::nonblocking ? next_entry(*call.twin) : call.entry, arrival_ns, arrival_ns,
            {});  // nobody knows yet what it will be done with
  pace::Round round;
  advance(locked, call, By::caller, round);
  rise();
}

// ---------------------------------------------------------------- going forward

void Calls::advance(Locked& locked, Call& call, By by, pace::Round& round) {
  if (!call.active() || call.taken || call.over()) return;
  round.computing = true;  // keeps the daemon awake
  if (!decide(locked, call)) return;
  if (call.ready() && !call.counted) note_decided(locked, call);
  if (!call.run) {
    call.run = make_run(locked, call, round);
    if (call.run) log(call, call.ready() ? "begins" : "begins before it arrives");
  }
  if (call.twin != nullptr) begin_library_in_order(locked, *call.twin);
  if (!call.run) return;
  const bool plain = call.signature.form == Form::plain;
  if (plain) return;  // its thread joins it, without the lock
  if (call.ready() && !call.run->joined()) call.run->join(buffers_of(call));
  const bool moved = call.run->advance(by);
  if (call.stream == nullptr) return;
  note_moving(*call.stream, moved, round);
  if (call.over()) call.stream->unfinished.erase(call.number);  // its tags are free
}

/// Whether it is known what the call is done with.
bool Calls::decide(Locked& locked, Call& call) {
  if (call.stream == nullptr || call.decision) return true;
  Twin& twin = *call.twin;
  Stream& stream = *call.stream;
  if (call.number == 0) {
    call.decision = std::make_shared<const Decision>(negotiation_.first_decision(twin, stream));
  } else {
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
    if (!call.decision) return false;
    if (stream.unfinished.empty() || *stream.unfinished.begin() >= call.number)
      stream.drop_decisions_before(call.number);
  }
  const std::string_view fixed = row(call.signature.operation).fixed_order;
  if (keeps_operator(call) && pat::is_library(call.decision->chosen())) {
    Decision here = *call.decision;
    here.choose(get_algorithm(call.signature.operation, fixed));
    call.decision = std::make_shared<const Decision>(std::move(here));
  }
  return true;
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

/// The one place that tells the three kinds apart. Null: it is not time yet.
std::unique_ptr<Run> Calls::make_run(Locked& locked, Call& call, pace::Round& round) {
  if (is_library(call)) return call.ready() ? make_library_run(call) : nullptr;
  Stream& stream = *call.stream;
  if (!Twin::tags_are_free(stream, call.number)) return nullptr;
  const Algorithm& algorithm = call.decision->chosen();
  if (algorithm.protocol == nullptr) return make_schedule_run(locked, call, round);
  if (!call.ready()) return nullptr;
  Twin& twin = *call.twin;
  const Problem problem = negotiation_.problem_of(twin, stream, *call.decision, call.counts);
  return std::make_unique<DynamicRun>(algorithm.protocol(problem, twin.rank()), problem.units,
                                      twin.rank() == problem.root, twin.mailbox(),
                                      CallKey{stream.id, call.number}, twin.data(),
                                      twin.tags(stream, call.number).first);
}

/// The calls of a request that has a communicator of its own, and those on the user's that has no
/// twin, need no order among PAT's others.
std::unique_ptr<Run> Calls::make_library_run(Call& call) {
  const bool alone = call.own_comm != MPI_COMM_NULL || call.twin == nullptr;
  if (!alone && may_block(call)) return std::make_unique<LibraryRun>(call.arguments);
  if (!alone) return std::make_unique<LibraryRun>(call.arguments, call.twin->data());
  auto run = std::make_unique<LibraryRun>(
      call.arguments, call.own_comm != MPI_COMM_NULL ? call.own_comm : call.arguments.comm);
  run->release();
  return run;
}

/// Begins those of the library's non-blocking calls before which all is decided.
void Calls::begin_library_in_order(Locked&, Twin& twin) {
  while (!twin.in_order.empty()) {
    Call& next = *twin.in_order.front();
    if (next.stream != nullptr && !next.decision) return;
    if (is_library(next)) {
      auto* run = static_cast<LibraryRun*>(next.run.get());
      if (run == nullptr) return;
      run->release();
      if (!run->joined()) run->join({});
      run->advance(By::caller);
    }
    twin.in_order.pop_front();
  }
}

std::unique_ptr<Run> Calls::make_schedule_run(Locked& locked, Call& call, pace::Round& round) {
  Twin& twin = *call.twin;
  Stream& stream = *call.stream;
  const bool early = !call.ready();
  const bool has_parts = !call.part_ends.empty();
  if (early) {
    if (copies_aside(call.arguments)) return nullptr;  // what lands would overwrite the operand
    if (!has_parts && !call.decision->chosen().background) return nullptr;
    if (!call.any_part_ready() && !may_begin(twin, stream, *call.decision, call.number, round))
      return nullptr;
  }
  auto built = program(locked, twin, stream, *call.decision, call.number, call.counts);
  if (early && !has_parts && !stream.program.moves_early()) return nullptr;
  auto run = std::make_unique<ScheduleRun>(std::move(built), twin.data(),
                                           twin.tags(stream, call.number), config_.scratch_bytes);
  if (call.signature.form != Form::persistent) return run;
  if (!copies_aside(call.arguments)) {
    run->open(call.buffers, call.part_ends);
    for (std::size_t part = 0; part < call.part_ready.size(); ++part)
      if (call.part_ready[part]) run->hand_over_part(part);
  }
  if (early) ++stream.tally.background_calls;
  return run;
}

/// The program of this rank for a decision. Kept by what determines it.
std::shared_ptr<const Program> Calls::program(Locked&, Twin& twin, Stream& stream,
                                              const Decision& decision, std::uint32_t number,
                                              const std::vector<std::size_t>& counts) {
  const bool fresh = decision.live && stream.leader && number != 0;
  std::optional<ArrivalPattern> latest;
  if (fresh) latest = stream.leader->pattern(number);
  const ArrivalPattern* known = latest ? &*latest : nullptr;
  if (!stream.signature.varying)
    if (auto kept = stream.program.find(decision, known)) return kept;
  Problem problem = negotiation_.problem_of(twin, stream, decision, counts);
  problem.only_rank = twin.rank();
  return stream.program.get(problem, decision, known);
}

// ---------------------------------------------------------------- to the end

bool Calls::test(Locked& locked, Call& call, int& code) {
  code = MPI_SUCCESS;
  if (!call.active()) return true;
  pace::Round round;
  if (circumstances_.daemon)
    advance(locked, call, By::caller, round);
  else
    progress(locked, By::caller);
  if (!call.over()) return false;
  call.run->finish(nullptr);  // brings home what does not fit the user's type
  code = end(locked, call);
  return true;
}

/// Nothing but its own messages is missing.
bool Calls::is_under_way(const Call& call) {
  if (!call.ready() || !call.run) return false;
  if (!is_library(call) || call.twin == nullptr) return true;
  const auto& waiting = call.twin->in_order;
  return std::find(waiting.begin(), waiting.end(), &call) == waiting.end();
}

void Calls::wait_until_under_way(Locked& locked, Call& call) {
  pace::Round ignored;
  advance(locked, call, By::caller, ignored);
  if (is_under_way(call)) return;
  const std::int64_t begin_ns = now_ns();
  Patience patience(config_.watchdog_s);
  for (int attempt = 0; !is_under_way(call); ++attempt) {
    locked.without([&] { pause(attempt); });
    progress(locked, By::caller);
    check(failure_);
    advance(locked, call, By::caller, ignored);
    const double so_far_s = seconds(now_ns() - begin_ns);
    if (patience.ends(so_far_s))
      spdlog::critical("{} on rank {} has waited {:.1f} s: {}", call.arguments.function,
                       session_rank(call), so_far_s, what_it_lacks(call));
  }
}

/// What to call now and then while this thread waits inside a call: the watchdog, and, where no
/// daemon does it, what brings other requests forward. Null if there is nothing to do.
OnWait Calls::on_wait(Locked& locked, const Call& call) {
  const bool pushes = std::any_of(requests_.begin(), requests_.end(), [&](const auto& entry) {
    const Call& other = *entry.second;
    return &other != &call && other.active() && (!circumstances_.daemon || keeps_operator(other));
  });
  if (!pushes && config_.watchdog_s <= 0.0) return nullptr;
  return [this, &locked, &call, pushes,
          patience = Patience(config_.watchdog_s)](double waited_s) mutable {
    if (pushes) locked.again([&] { progress(locked, By::caller); });
    if (patience.ends(waited_s))
      spdlog::critical("{} on rank {} has waited {:.1f} s: {}", call.arguments.function,
                       session_rank(call), waited_s, call.run->state());
  };
}

int Calls::finish(Locked& locked, Call& call) {
  const Watchdog::Watch present(circumstances_.watchdog, call.arguments, Watchdog::Says::nothing);
  try {
    wait_until_under_way(locked, call);
    check(failure_);
  } catch (...) {  // nothing of it is on its way, or the session is at its end
    if (call.signature.form == Form::plain) break_off(call);
    throw;
  }
  call.taken = true;
  const OnWait hook = on_wait(locked, call);
  try {
    locked.without([&] { finish_run(call, hook); });
  } catch (...) {
    if (call.twin != nullptr && !is_library(call)) call.twin->break_off();
    break_off(call);
    throw;
  }
  return end(locked, call);
}

void Calls::finish_run(Call& call, const OnWait& hook) const {
  if (!call.run->joined()) call.run->join(buffers_of(call));
  if (call.signature.form == Form::plain && is_library(call) && may_block(call)) {
    const Watchdog::Watch watch(circumstances_.watchdog, call.arguments);
    call.run->finish(nullptr);
  } else {
    call.run->finish(hook);
  }
}

/// A blocking call of the library cannot be asked how it stands, so the watchdog has a thread.
int Calls::call_library(const Call& call) const {
  const Watchdog::Watch watch(circumstances_.watchdog, call.arguments);
  return library_calls(call.arguments).call(call.arguments);
}

/// The call is not to be waited for any more.
void Calls::break_off(Call& call) {
  call.taken = false;
  const bool plain = call.signature.form == Form::plain;
  if (plain) --in_calls_;
  if (!plain && !is_library(call)) return;  // it stays active
  let_go(call);
}

void Calls::let_go(Call& call) {
  if (call.twin != nullptr) std::erase(call.twin->in_order, &call);
  call.run.reset();
  call.taken = false;
  call.state = Call::State::idle;
}

int Calls::end(Locked& locked, Call& call) {
  const int error = call.run->error(), told = call.run->told_error();
  log(call, error == MPI_SUCCESS && told == MPI_SUCCESS ? "is done" : "is done, with an error");
  if (call.stream != nullptr) call.stream->tally.out_of_turn += call.run->out_of_turn();
  if (call.order_free && error == MPI_SUCCESS && told == MPI_SUCCESS) call.order_free->round();
  let_go(call);
  const std::int64_t exit_ns = now_ns();
  if (call.signature.form == Form::plain) {
    --in_calls_;
    leave(locked, call, exit_ns);
    check(error);
    return told;
  }
  if (call.series != nullptr) call.series->tally.in_call_s += seconds(exit_ns - call.arrival_ns);
  if (Stream* stream = call.stream) {
    stream->unfinished.erase(call.number);
    expect_next_call(locked, *call.twin, *stream, call.arrival_ns, exit_ns);
  }
  check(error);
  return told;
}

}  // namespace pat::detail
