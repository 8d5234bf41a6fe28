#include "libpat/session/negotiation.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>

#include "collectives/operation_row.hpp"
#include "core/clock.hpp"
#include "core/errors.hpp"
#include "core/seconds.hpp"
#include "libpat/agreement/judge.hpp"

namespace pat::detail {
namespace {

/// When a phase or gap that began at `start_ns` will have lasted as long as is predicted; 0, which
/// stands for unknown, if the prediction is no time that could be meant.
std::int64_t predicted_ns(std::int64_t start_ns, double duration_s) {
  constexpr double longest_s = 1e7;
  if (!(duration_s >= 0.0 && duration_s <= longest_s)) return 0;
  return start_ns + static_cast<std::int64_t>(duration_s * 1e9);
}

/// Looking out for recalls costs a call less than a microsecond, which who shares a core with
/// others takes from all of them.
bool wants_recalls(const Config& config, double crowd) {
  return config.recall == "1" || (config.recall == "auto" && crowd <= 1.0);
}

/// How many a process tells, or hears of, at a time where there are many: sixteen, fewer where a
/// smaller number of processes makes a tree, for tests.
int fan_of(const Config& config) {
  return std::clamp(config.report_tree / 4, 2, 16);
}

/// Ranks in the session of all but this process.
std::vector<int> others(const Twin& twin) {
  std::vector<int> ranks;
  for (int r = 0; r < twin.size(); ++r)
    if (r != twin.rank()) ranks.push_back(twin.session_rank(r));
  return ranks;
}

}  // namespace

Negotiation::Negotiation(MPI_Comm session, const Config& config, const Calibration& calibration,
                         bool early, bool daemon_everywhere, double crowd, Twins& twins,
                         Regions& regions)
    : config_(config),
      calibration_(calibration),
      early_(early),
      daemon_everywhere_(daemon_everywhere),
      recalls_(daemon_everywhere && wants_recalls(config, crowd)),
      crowd_(crowd),
      twins_(twins),
      regions_(regions),
      control_(session,
               {[this](Locked& locked, int from, const Report& r) {
                  take_message(locked, from, r, Kind::report);
                },
                [this](Locked& locked, int from, const Report& r) {
                  take_message(locked, from, r, Kind::ask);
                },
                [this](Locked& locked, int from, const Report& r) {
                  take_message(locked, from, r, Kind::recall);
                },
                [this](Locked& locked, int from, const Report& r) {
                  take_message(locked, from, r, Kind::answer);
                },
                [this](Locked& locked, const Decision& d) { take_decision(locked, d); },
                [this](Locked& locked, std::int64_t sent_ns, std::int64_t theirs_ns) {
                  take_time(locked, sent_ns, theirs_ns);
                },
                [this](Locked& locked) { elsewhere_.take_question(locked); },
                [this](Locked& locked, int from, std::string text) {
                  elsewhere_.take_answer(locked, from, std::move(text));
                }},
               config.disturb, fan_of(config)) {}

// ---------------------------------------------------------------- this process tells the leader

Forecast Negotiation::forecast_of(const Stream& stream) const {
  const Forecast forecast = stream.region != nullptr ? stream.region->until_arrival()
                            : stream.gaps            ? stream.gaps->last()
                                                     : Forecast{};
  return forecast_filter ? forecast_filter(forecast) : forecast;
}

bool Negotiation::needs_report(const Stream& stream) const {
  if (stream.next_call == 0) return false;
  const auto decision = stream.decision_for(stream.next_call);
  return decision == nullptr || decision->live;
}

Report Negotiation::make_report(const Twin& twin, const Stream& stream, std::uint32_t call) const {
  Report report;
  report.communicator = twin.id();
  report.stream = stream.id;
  report.call = call;
  if (stream.past_exit_ns != 0) {
    report.past_call = stream.past_call;
    report.past_arrival_ns = stream.past_arrival_ns + regions_.clock_offset();
    report.past_exit_ns = stream.past_exit_ns + regions_.clock_offset();
  }
  const Forecast forecast = forecast_of(stream);
  if (forecast.known) {
    report.forecast_s = static_cast<float>(forecast.mean_s);
    report.half_width_s = static_cast<float>(forecast.half_width_s());
  }
  return report;
}

Report Negotiation::arrival_report(const Twin& twin, const Stream& stream, std::uint32_t call,
                                   std::int64_t arrival_ns) const {
  Report report = make_report(twin, stream, call);
  report.arrival_ns = arrival_ns + regions_.clock_offset();
  report.flags = Report::arrived;
  return report;
}

void Negotiation::report_forecast(Locked& locked, RegionState& region, Twin& twin, Stream& stream) {
  if (!region.is_computing()) return;
  stream.region = &region;
  if (!needs_report(stream)) return;
  region.foretell();
  const Forecast forecast = forecast_of(stream);
  if (!forecast.known) return;
  Report report = make_report(twin, stream, stream.next_call);
  report.arrival_ns =
      predicted_ns(region.record.start_ns + regions_.clock_offset(), forecast.mean_s);
  if (region.last_edge_seen()) report.flags |= Report::final;
  send(locked, twin, stream, report, false);
}

void Negotiation::report_gap(Locked& locked, Twin& twin, Stream& stream, std::int64_t exit_ns) {
  if (!needs_report(stream)) return;
  if (stream.gaps) stream.gaps->foretell({}, {});
  const Forecast forecast = forecast_of(stream);
  if (!forecast.known) return;
  Report report = make_report(twin, stream, stream.next_call);
  report.arrival_ns = predicted_ns(exit_ns + regions_.clock_offset(), forecast.mean_s);
  send(locked, twin, stream, report, false);
}

/// The next call was decided while the last one went on here: no forecast of this process is asked
/// for then, and with it nobody would hear how that call went.
void Negotiation::report_past(Locked& locked, Twin& twin, Stream& stream) {
  const auto decision = stream.decision_for(stream.next_call);
  if (decision == nullptr || decision->first != stream.next_call || needs_report(stream)) return;
  send(locked, twin, stream, make_report(twin, stream, stream.next_call), false);
}

void Negotiation::report_arrival(Locked& locked, Twin& twin, Stream& stream, std::uint32_t call,
                                 std::int64_t arrival_ns) {
  send(locked, twin, stream, arrival_report(twin, stream, call, arrival_ns), false);
}

void Negotiation::ask(Locked& locked, Twin& twin, Stream& stream, std::uint32_t call,
                      std::int64_t arrival_ns) {
  send(locked, twin, stream, arrival_report(twin, stream, call, arrival_ns), true);
}

void Negotiation::tell_if_moved(Locked& locked, Twin& twin, Stream& stream, double observed_s) {
  if (!recalls_ || stream.looks_out || stream.signature.form != Form::plain ||
      !stream.has_blind_lease())
    return;
  const double tolerated_s = stream.decision_for(stream.next_call)->tolerated_s;
  if (!stream.told.is_left_by(observed_s, tolerated_s)) return;
  const std::int64_t now = now_ns();
  const double pause_s = telling_s * twin.size() / deciding_share;
  if (stream.told_moved_ns != 0 && seconds(now - stream.told_moved_ns) < pause_s) return;
  stream.told_moved_ns = now;
  if (stream.region != nullptr)
    stream.region->foretell();
  else if (stream.gaps)
    stream.gaps->foretell({}, {});
  Report report = make_report(twin, stream, stream.next_call);
  report.flags = Report::moved;
  spdlog::debug(
      "{} on communicator {}, stream {}, call {}: rank {} took {:.1f} ms and had told "
      "{:.1f} ms",
      name(stream.signature.operation), twin.id(), stream.id, report.call, twin.rank(),
      1e3 * observed_s, 1e3 * stream.told.forecast_s);
  send(locked, twin, stream, report, false);
}

/// One line of the debug log.
void Negotiation::log(const Twin& twin, const Stream& stream, const Report& report,
                      bool asks) const {
  if (!spdlog::should_log(spdlog::level::debug)) return;
  const bool arrived = (report.flags & Report::arrived) != 0;
  const double ahead_ms =
      static_cast<double>(report.arrival_ns - regions_.synchronised_now()) * 1e-6;
  const std::string what =
      asks      ? "asks"
      : arrived ? "reports that it has arrived"
      : (report.flags & Report::moved) != 0
          ? "tells that its phases are others"
          : fmt::format("foretells its arrival in {:.1f} ms{}", ahead_ms,
                        (report.flags & Report::final) != 0 ? ", its last word" : "");
  spdlog::debug("{} on communicator {}, stream {}, call {}: rank {} {}",
                name(stream.signature.operation), twin.id(), stream.id, report.call, twin.rank(),
                what);
}

void Negotiation::send(Locked& locked, Twin& twin, Stream& stream, const Report& report,
                       bool asks) {
  const int leader = twin.session_rank(stream.leader_rank);
  log(twin, stream, report, asks);
  if (report.forecast_s >= 0.0f) stream.told = {report.forecast_s, report.half_width_s};
  if (twin.rank() == stream.leader_rank)
    apply_report(locked, twin, stream, leader, report, asks ? Kind::ask : Kind::report);
  else if (asks)
    control_.send_ask(locked, leader, report);
  else if (climbs(twin, report))
    hold(locked, twin, stream, twin.session_rank(twin.rank()), report);
  else
    control_.send_report(locked, leader, report);
}

/// Who waits for an answer, or for a lease to end, tells the leader itself.
bool Negotiation::climbs(const Twin& twin, const Report& report) const {
  return twin.size() > config_.report_tree && (report.flags & Report::moved) == 0;
}

ReportTree Negotiation::tree_of(const Twin& twin, const Stream& stream) const {
  return {twin.size(), stream.leader_rank, fan_of(config_)};
}

/// A process without a daemon passes nothing on while it is in no call of PAT.
Control::Way Negotiation::way_to(const Twin& twin) const {
  return daemon_everywhere_ && twin.size() > config_.report_tree ? Control::Way::passed_on
                                                                 : Control::Way::told;
}

void Negotiation::hold(Locked& locked, Twin& twin, Stream& stream, int from, const Report& report) {
  stream.held_reports.put(from, report, now_ns());
  pace::Round unused;
  pass_on_what_is_due(locked, twin, stream, unused);
}

/// Reports wait for those of the other processes below, for as long as the leader may take to hear
/// of a whole level: telling_s for each process, shared by those next to it.
void Negotiation::pass_on_what_is_due(Locked& locked, Twin& twin, Stream& stream,
                                      pace::Round& round) {
  if (twin.rank() == stream.leader_rank) return;
  const ReportTree tree = tree_of(twin, stream);
  const auto hold_ns = static_cast<std::int64_t>(1e9 * telling_s * twin.size() / tree.fan);
  const auto due_ns = stream.held_reports.due_ns(tree.below(twin.rank()), hold_ns);
  if (!due_ns) return;
  if (now_ns() < *due_ns) return round.due(*due_ns);
  control_.send_reports(locked, twin.session_rank(tree.parent(twin.rank())),
                        stream.held_reports.take());
}

// ---------------------------------------------------------------- what came

void Negotiation::take_message(Locked& locked, int from, const Report& report, Kind kind) {
  if (!apply(locked, from, report, kind)) waiting_.push_back({from, report, kind});
}

/// False: it is about what this process does not know yet.
bool Negotiation::apply(Locked& locked, int from, const Report& report, Kind kind) {
  Twin* twin = twins_.find(locked, report.communicator);
  Stream* stream = twin != nullptr ? twin->by_id(report.stream) : nullptr;
  if (stream == nullptr) {
    if (!twins_.has_departed(locked, report.communicator)) return false;
    if (kind == Kind::recall) {  // all calls were made: whatever the lease says
      Report answer = report;
      answer.forecast_s = -1.0f;
      control_.send_answer(locked, from, answer);
    }
    return true;
  }
  // By the lease before it a process must not take what the new decision, still on its way, covers.
  if (kind == Kind::recall && !stream->has_lease(report.lease) && stream->next_call < report.call)
    return false;
  if (kind == Kind::recall)
    answer_recall(locked, *twin, *stream, from, report);
  else if (kind == Kind::answer)
    take_answer(locked, *twin, *stream, from, report);
  else
    apply_report(locked, *twin, *stream, from, report, kind);
  return true;
}

void Negotiation::apply_report(Locked& locked, Twin& twin, Stream& stream, int from,
                               const Report& report, Kind kind) {
  if (twin.rank() != stream.leader_rank) return hold(locked, twin, stream, from, report);
  stream.lead(locked, twin.size(), config_.lease_max).take(twin.rank_of_session(from), report);
  if (kind == Kind::ask) answer(locked, twin, stream, from, report.call);
  if ((report.flags & Report::moved) != 0) call_back(locked, twin, stream, report.call);
}

/// At the leader. Who has arrived does not wait for what is passed on: a daemon on the way may
/// rest.
void Negotiation::answer(Locked& locked, Twin& twin, Stream& stream, int from, std::uint32_t call) {
  while (!stream.waits_for_answers() && call >= stream.decided_until)
    decide(locked, twin, stream, stream.decided_until);
  if (way_to(twin) == Control::Way::told || from == twin.session_rank(twin.rank())) return;
  const Decision* made = stream.judge ? stream.judge->made_for(call) : nullptr;
  if (made != nullptr) control_.send_decision(locked, {from}, *made, Control::Way::told);
}

// ---------------------------------------------------------------- a lease is called back

/// At the leader: somebody, whose next call is `call`, is not where the lease takes it to be.
void Negotiation::call_back(Locked& locked, Twin& twin, Stream& stream, std::uint32_t call) {
  const auto lease = stream.decision_for(call);
  if (!recalls_ || draining_ || stream.recall || !stream.judge || lease == nullptr ||
      lease->first + lease->count != stream.decided_until || !lease->covers(call + 2) ||
      !stream.judge->may_recall(regions_.synchronised_now(), stream.decided_until - call))
    return;
  stream.recall.emplace(twin.size(), lease->first, stream.decided_until);
  send_recall(locked, twin, stream, lease->first, Report::look_out);
}

/// At the leader: one of the two rounds, `flags` says which.
void Negotiation::send_recall(Locked& locked, Twin& twin, Stream& stream, std::uint32_t lease,
                              std::uint32_t flags) {
  Report recall;
  recall.communicator = twin.id();
  recall.stream = stream.id;
  recall.call = stream.decided_until;
  recall.lease = lease;
  recall.flags = flags;
  control_.send_recall(locked, others(twin), recall, way_to(twin));
  answer_recall(locked, twin, stream, twin.session_rank(twin.rank()), recall);
}

/// At every process, which in the second round does by the old decision the calls that have begun
/// and one more, so that hardly anybody waits for the new one.
void Negotiation::answer_recall(Locked& locked, Twin& twin, Stream& stream, int from,
                                const Report& recall) {
  Report answer = recall;
  if ((recall.flags & Report::look_out) != 0) {
    look_out(stream, recall.lease);
  } else {
    look_out(stream, recall.lease);
    const std::uint32_t safe = std::max(stream.settled.stop(), stream.next_call + 1);
    stream.held_from = std::min(safe, recall.call);
    if (stream.region != nullptr) stream.region->foretell();
    answer = make_report(twin, stream, *stream.held_from);
    answer.lease = recall.lease;
    if (answer.forecast_s >= 0.0f) stream.told = {answer.forecast_s, answer.half_width_s};
  }
  if (twin.rank() == stream.leader_rank)
    take_answer(locked, twin, stream, from, answer);
  else
    control_.send_answer(locked, from, answer);
}

/// Not if another decision has come already, or all calls of the lease were made.
void Negotiation::look_out(Stream& stream, std::uint32_t lease) {
  if (stream.decisions.empty() || stream.decisions.back()->first != lease) return;
  stream.looks_out = true;
  stream.held_lease = lease;
  stream.settled.stop();
}

void Negotiation::take_answer(Locked& locked, Twin& twin, Stream& stream, int from,
                              const Report& answer) {
  const int rank = twin.rank_of_session(from);
  if ((answer.flags & Report::look_out) != 0) {
    if (!stream.recall || !stream.recall->looks_out(rank, answer.lease)) return;
    ++stream.tally.recalls;
    send_recall(locked, twin, stream, answer.lease, 0);
    return;
  }
  Leader& leader = stream.lead(locked, twin.size(), config_.lease_max);
  leader.take(rank, answer);
  if (!stream.recall || !stream.recall->answer(rank, answer.lease, answer.call)) return;
  const std::uint32_t call = stream.recall->from();
  stream.recall.reset();
  stream.tally.reasons.take_back(stream.decided_until - call);
  stream.decided_until = call;
  stream.judge->recall(call);
  leader.start_over();
  spdlog::debug("{} on communicator {}, stream {}: the lease ends before call {}",
                name(stream.signature.operation), twin.id(), stream.id, call);
  decide(locked, twin, stream, call);
}

void Negotiation::take_decision(Locked& locked, const Decision& decision) {
  Twin* twin = twins_.find(locked, decision.communicator);
  Stream* stream = twin != nullptr ? twin->by_id(decision.stream) : nullptr;
  if (stream == nullptr) {
    if (!twins_.has_departed(locked, decision.communicator)) waiting_decisions_.push_back(decision);
    return;
  }
  if (!stream->add(locked, decision)) return;
  spdlog::debug("{} on communicator {}, stream {}, calls {} to {}: rank {} has the decision, {}",
                name(stream->signature.operation), twin->id(), stream->id, decision.first,
                decision.first + decision.count - 1, twin->rank(), decision.chosen().name);
  if (stream->region == nullptr) return;
  const std::uint64_t epoch = stream->region->pattern.epoch + 1;
  stream->region->pattern = decision.pattern();
  stream->region->pattern.epoch = epoch;
  stream->region->pattern_stream = stream->id;
  stream->region->pattern_call = decision.first;
}

void Negotiation::keep_time(Locked& locked) {
  if (regions_.clock().tick(locked, clock_doubt_ns)) control_.ask_time(locked);
}

void Negotiation::take_time(Locked& locked, std::int64_t sent_ns, std::int64_t theirs_ns) {
  SessionClock& clock = regions_.clock();
  clock.note(locked, sent_ns, theirs_ns);
  spdlog::debug("rank {}: the clock of rank 0 is {:.3f} ms ahead, give or take {:.3f} ms",
                clock.rank(), 1e3 * seconds(clock.offset_ns()),
                1e3 * seconds(clock.doubt_ns(locked)));
}

bool Negotiation::poll(Locked& locked) {
  const bool came = control_.poll(locked) > 0;
  std::vector<Waiting> waiting;
  waiting.swap(waiting_);
  for (const Waiting& message : waiting)
    take_message(locked, message.from, message.report, message.kind);
  std::vector<Decision> decisions;
  decisions.swap(waiting_decisions_);
  for (const Decision& decision : decisions) take_decision(locked, decision);
  return came;
}

// ---------------------------------------------------------------- what is decided

Decision Negotiation::first_decision(const Twin& twin, const Stream& stream) const {
  Decision decision;
  decision.choose(stream.forced ? *stream.forced
                                : get_algorithm(stream.signature.operation, "mpi"));
  decision.window = static_cast<std::uint32_t>(config_.window);
  decision.count = 1;
  const ArrivalPattern flat = ArrivalPattern::flat(twin.size());
  set_pattern(decision, flat);
  // All processes find the same, as nothing that was measured in passing matters to such a call;
  // its segments are those of the calls to come, and so its bits.
  if (stream.signature.fixed_order && stream.forced && !stream.signature.varying)
    Judge(config_, calibration_, kind_of(twin, stream)).decide(flat, {}, 1, now_ns(), decision);
  return decision;
}

Decision Negotiation::undecided(const Twin& twin, const Stream& stream, std::uint32_t call) const {
  Decision decision = first_decision(twin, stream);
  decision.communicator = twin.id();
  decision.stream = stream.id;
  decision.first = call;
  return decision;
}

StreamKind Negotiation::kind_of(const Twin& twin, const Stream& stream) const {
  const int told = way_to(twin) == Control::Way::told ? twin.size() : fan_of(config_);
  return {stream.signature, twin.size(), stream.forced, early_, crowd_, told, links_of(twin)};
}

std::vector<double> Negotiation::links_of(const Twin& twin) const {
  const std::vector<double>& known = calibration_.link_slowdown;
  if (known.empty()) return {};
  std::vector<double> links;
  for (const int rank : twin.session_ranks())
    links.push_back(known[static_cast<std::size_t>(rank)]);
  return links;
}

Problem Negotiation::problem_of(const Twin& twin, const Stream& stream, const Decision& decision,
                                const std::vector<std::size_t>& counts) const {
  return detail::problem_of(kind_of(twin, stream), decision, counts);
}

Judge& Negotiation::judge_of(const Twin& twin, Stream& stream) const {
  if (!stream.judge)
    stream.judge = std::make_unique<Judge>(config_, calibration_, kind_of(twin, stream));
  return *stream.judge;
}

/// Of the same operation among as many processes, by streams that this process leads too, and in an
/// earlier run.
std::vector<Calibration::Learnt> Negotiation::learnt_by_others(Locked& locked, const Twin& twin,
                                                               const Stream& stream) const {
  std::vector<Calibration::Learnt> all = calibration_.learnt;
  for (const auto& [id, other_twin] : twins_.all(locked))
    for (const auto& other : other_twin->streams()) {
      if (other_twin->size() != twin.size() || other.get() == &stream || !other->judge ||
          other->signature.operation != stream.signature.operation)
        continue;
      for (const Calibration::Learnt& one : other->judge->learnt())
        if (one.samples > 0) all.push_back(one);
    }
  return all;
}

void Negotiation::decide(Locked& locked, Twin& twin, Stream& stream, std::uint32_t call) {
  stream.recall.reset();  // the lease has ended before everybody looked out
  Leader& leader = stream.lead(locked, twin.size(), config_.lease_max);
  Judge& judge = judge_of(twin, stream);
  Decision decision = undecided(twin, stream, call);
  const ArrivalPattern pattern = leader.pattern(call);
  try {
    while (const auto past = leader.measured()) judge.learn(*past, stream.counts);
    judge.expect_computing(leader.computing_s());
    if (judge.may_hear()) judge.tell(learnt_by_others(locked, twin, stream));
    judge.decide(pattern, stream.counts, stream.parts, regions_.synchronised_now(), decision);
  } catch (const Error& error) {  // no forecast and no cost may end the program
    if (stream.signature.form == Form::persistent && stream.forced != nullptr)
      throw;  // it cannot go to mpi
    decision = undecided(twin, stream, call);
    decision.choose(get_algorithm(stream.signature.operation, "mpi"));
    decision.reason = std::string("mpi: ") + error.what();
  }
  const Algorithm& algorithm = decision.chosen();
  judge.set_lease(leader, pattern, decision);
  control_.send_decision(locked, others(twin), decision, way_to(twin));
  stream.decided_until = call + decision.count;
  stream.tally.reasons.add(decision.reason, decision.count);
  spdlog::debug("{} on communicator {}, stream {}, calls {} to {}: {}, segments {} ({})",
                name(stream.signature.operation), twin.id(), stream.id, call,
                call + decision.count - 1, algorithm.name, decision.segments, decision.reason);
  take_decision(locked, decision);
}

void Negotiation::decide_what_is_due(Locked& locked, pace::Round& round) {
  const std::int64_t now = regions_.synchronised_now();
  for (const auto& [id, twin] : twins_.all(locked))
    for (const auto& stream : twin->streams()) {
      pass_on_what_is_due(locked, *twin, *stream, round);
      if (!stream->leader || stream->waits_for_answers() ||
          stream->decided_until != stream->next_call)
        continue;
      const std::uint32_t call = stream->next_call;
      const auto first = stream->leader->first_arrival_ns(call);
      if (!first) continue;
      const std::int64_t due = *first - decision_margin_ns;
      if (now >= due || stream->leader->complete(call))
        decide(locked, *twin, *stream, call);
      else
        round.due(due - regions_.clock_offset());
    }
}

bool Negotiation::is_settled(const Stream* stream) {
  if (stream == nullptr || stream->ahead || stream->looks_out) return false;
  const auto decision = stream->decision_for(stream->next_call);
  return decision != nullptr && !decision->live && !decision->chosen().background;
}

bool Negotiation::leads_far_enough(const Twin& twin, const Stream& stream) {
  return twin.rank() != stream.leader_rank || stream.next_call == 0 ||
         stream.decided_until > stream.next_call + 1;
}

bool Negotiation::leads_far_enough(Locked& locked) const {
  for (const auto& [id, twin] : twins_.all(locked))
    for (const auto& stream : twin->streams())
      if (!leads_far_enough(*twin, *stream)) return false;
  return true;
}

bool Negotiation::looks_out(Locked& locked) const {
  if (!recalls_) return false;
  for (const auto& [id, twin] : twins_.all(locked))
    for (const auto& stream : twin->streams())
      if (stream->looks_out) return true;
  return false;
}

bool Negotiation::leads(Locked& locked) const {
  for (const auto& [id, twin] : twins_.all(locked))
    for (const auto& stream : twin->streams())
      if (twin->rank() == stream->leader_rank) return true;
  return false;
}

}  // namespace pat::detail
