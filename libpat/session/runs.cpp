#include "libpat/session/runs.hpp"

#include <algorithm>
#include <optional>

#include "collectives/operation_row.hpp"
#include "libpat/execution/dynamic_run.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/execution/schedule_run.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

/// Whether early data can land before the call says what it is, and how much of it there is does
/// not vary.
bool lands_early(const CallSignature& signature) {
  return !signature.varying && row(signature.operation).lands_early;
}

/// The calls of a request that has a communicator of its own, and those on the user's beside which
/// PAT has no messages, need no order among PAT's others.
std::unique_ptr<Run> make_library(const Call& call) {
  const bool alone =
      call.own_comm != MPI_COMM_NULL || call.twin == nullptr || call.twin->forgoes_messages();
  if (!alone && call.may_block()) return std::make_unique<LibraryRun>(call.arguments);
  const bool keeps_bits =
      call.signature.form == Form::plain && call.signature.fixed_order && call.twin != nullptr;
  const auto how =
      keeps_bits ? LibraryRun::How::blocking_when_all_have_come : LibraryRun::How::nonblocking;
  if (!alone) return std::make_unique<LibraryRun>(call.arguments, call.twin->data(), how);
  auto run = std::make_unique<LibraryRun>(
      call.arguments, call.own_comm != MPI_COMM_NULL ? call.own_comm : call.arguments.comm, how);
  run->take_turn();
  return run;
}

}  // namespace

std::unique_ptr<Run> Runs::make(Locked& locked, Call& call, pace::Round& round) const {
  if (call.by_library()) return call.ready() ? make_library(call) : nullptr;
  if (!Twin::tags_are_free(*call.stream, call.number)) return nullptr;
  if (call.decision->chosen().protocol == nullptr) return make_schedule(locked, call, round);
  return call.ready() ? make_dynamic(call) : nullptr;
}

std::unique_ptr<Run> Runs::make_dynamic(Call& call) const {
  Twin& twin = *call.twin;
  const Stream& stream = *call.stream;
  const Problem problem = negotiation_.problem_of(twin, stream, *call.decision, call.counts);
  return std::make_unique<DynamicRun>(
      call.decision->chosen().protocol(problem, twin.rank()), problem, twin.rank(), twin.mailbox(),
      CallKey{stream.id, call.number}, twin.data(), twin.tags(stream, call.number).first);
}

std::unique_ptr<Run> Runs::make_schedule(Locked& locked, Call& call, pace::Round& round) const {
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
  auto built = program(locked, twin, stream, *call.decision, call.number, &call);
  if (early && !has_parts && !stream.program.moves_early()) return nullptr;
  auto run = schedule_run(twin, stream, call.number, std::move(built));
  if (call.signature.form != Form::persistent) return run;
  if (!copies_aside(call.arguments)) {
    run->open(call.buffers, call.part_ends);
    for (std::size_t part = 0; part < call.part_ready.size(); ++part)
      if (call.part_ready[part]) run->hand_over_part(part);
  }
  if (early) ++stream.tally.background_calls;
  return run;
}

std::unique_ptr<Run> Runs::make_ahead(Locked& locked, Twin& twin, Stream& stream,
                                      pace::Round& round) const {
  const std::uint32_t number = stream.next_call;
  const auto decision = number == 0 ? nullptr : stream.decision_for(number);
  if (decision == nullptr || !decision->chosen().background || !lands_early(stream.signature) ||
      !Twin::tags_are_free(stream, number) || !may_begin(twin, stream, *decision, number, round))
    return nullptr;
  auto built = program(locked, twin, stream, *decision, number, nullptr);
  if (!stream.program.moves_early()) return nullptr;
  return schedule_run(twin, stream, number, std::move(built));
}

std::unique_ptr<Run> Runs::schedule_run(Twin& twin, const Stream& stream, std::uint32_t number,
                                        std::shared_ptr<const Program> program) const {
  return std::make_unique<ScheduleRun>(std::move(program), twin.data(), twin.tags(stream, number),
                                       config_.scratch_bytes);
}

/// Whether the root of a live lease should begin the call in the background: shortly before the
/// first predicted arrival, when all have said their last word, or when somebody has come.
bool Runs::may_begin(const Twin& twin, const Stream& stream, const Decision& decision,
                     std::uint32_t number, pace::Round& round) const {
  if (!decision.live || !stream.leader) return true;
  const auto first = stream.leader->first_arrival_ns(number);
  if (first && (regions_.synchronised_now() >= *first - decision_margin_ns ||
                stream.leader->complete(number)))
    return true;
  int come = 0;
  check(PMPI_Iprobe(MPI_ANY_SOURCE, twin.tags(stream, number).announcement, twin.data(), &come,
                    MPI_STATUS_IGNORE));
  if (come) return true;
  if (first) round.due(*first - decision_margin_ns - regions_.clock_offset());
  return false;
}

/// What all processes know, and where the root's program alone depends on it what it has seen.
std::vector<double> Runs::links_for(const Twin& twin, const Decision& decision) const {
  std::vector<double> links = negotiation_.links_of(twin);
  const std::vector<bool>& seen = twin.links.slow();
  if (seen.empty() || !decision.chosen().star) return links;
  links.resize(static_cast<std::size_t>(twin.size()), 1.0);
  for (std::size_t rank = 0; rank < seen.size(); ++rank)
    if (seen[rank]) links[rank] = std::max(links[rank], Problem::slow_link);
  return links;
}

/// The program of this rank for a decision. Kept by what determines it, which of a v-form are the
/// call's own counts; null: before it is known.
std::shared_ptr<const Program> Runs::program(Locked&, Twin& twin, Stream& stream,
                                             const Decision& decision, std::uint32_t number,
                                             const Call* call) const {
  const bool fresh = decision.live && stream.leader && number != 0;
  std::optional<ArrivalPattern> latest;
  if (fresh) latest = stream.leader->pattern(number);
  const ArrivalPattern* known = latest ? &*latest : nullptr;
  const std::vector<double> links = links_for(twin, decision);
  if (!stream.signature.varying)
    if (auto kept = stream.program.find(decision, known, links)) return kept;
  Problem problem = negotiation_.problem_of(
      twin, stream, decision, call != nullptr ? call->counts : std::vector<std::size_t>());
  problem.only_rank = twin.rank();
  problem.link_slowdown = links;
  const auto ranks = static_cast<std::size_t>(problem.ranks),
             rank = static_cast<std::size_t>(twin.rank());
  if (call != nullptr && !(call->exchange.sent.empty() && call->exchange.received.empty())) {
    problem.exchanges.resize(ranks);
    problem.exchanges[rank] = call->exchange;
  }
  if (row(problem.operation).among_neighbours()) {
    problem.neighbours.resize(ranks);
    problem.neighbours[rank] = *twin.neighbours();
  }
  return stream.program.get(problem, decision, known);
}

}  // namespace pat::detail
