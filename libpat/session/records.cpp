#include "libpat/session/records.hpp"

#include <string>
#include <vector>

#include "collectives/call_name.hpp"
#include "core/trace.hpp"
#include "libpat/session/sites.hpp"

namespace pat::detail {
namespace {

/// What was called, after which region: the one that phases before this site have, if they are long
/// enough to have one.
std::string place_of(const Series& series, const RegionState* region, std::uint16_t site) {
  const CallSignature& made = series.signature;
  CallName called{made.operation, made.root, std::nullopt};
  if (!made.varying) called.block_bytes = made.block_bytes;
  std::string place =
      series.of_any_kind ? std::string(name(made.operation)) + " of any kind" : text_of(called);
  if (made.form == Form::persistent) place += ", persistent";
  if (made.form == Form::nonblocking) place += ", non-blocking";
  if (region != nullptr) return place + ", after region " + region->name;
  return site != 0 ? place + ", after region " + name_of_site(site) : place;
}

}  // namespace

std::uint32_t Records::next_entry(Locked&, Twin& twin) {
  if (journal_ == nullptr) return twin.calls++;
  if (!twin.journal_line)
    twin.journal_line = journal_->line("communicator " + std::to_string(twin.id()),
                                       twin.session_ranks(), Journal::Of::all);
  return journal_->next(*twin.journal_line);
}

void Records::add_call(Locked&, Twin& twin, std::uint32_t number, Series& series,
                       const RegionState* region, std::uint16_t site, std::int64_t arrival_ns,
                       std::int64_t exit_ns, std::string_view algorithm) {
  if (live_)
    recent_.add({twin.id(), number, series.id, series.signature, std::string(algorithm),
                 arrival_ns + regions_.clock_offset(), exit_ns + regions_.clock_offset()});
  if (journal_ == nullptr) return;
  const std::int64_t offset = regions_.clock().journal_offset_ns();
  const std::int64_t arrival = arrival_ns + offset;
  Journal::Entry entry{arrival, arrival, 0.0, {}};
  if (region != nullptr)
    entry = {region->record.start_ns + offset, arrival, region->record.computing_s(),
             region->last_hints};
  if (region != nullptr) entry.edges = region->last_edges.all();
  entry.left_ns = exit_ns + offset;
  entry.algorithm = algorithm;
  const void* const after = region != nullptr ? Regions::handle_of(*region) : nullptr;
  if (!series.journal_place || series.after != after || series.site != site) {
    series.journal_place = journal_->place(place_of(series, region, site));
    series.after = after;
    series.site = site;
  }
  journal_->add(*twin.journal_line, number, *series.journal_place, entry);
}

void Records::add_phase(Locked&, RegionState& region, const Twin* twin) {
  ArrivalRecord& phase = region.record;
  if (journal_ == nullptr || phase.end_ns == 0 || phase.exit_ns != 0) return;
  phase.exit_ns = phase.end_ns;
  std::vector<int> ranks = twins_.session_ranks();
  if (twin != nullptr) ranks = twin->session_ranks();
  const std::uint32_t line = journal_->line(
      "region " + region.name + " on " + (twin != nullptr ? std::to_string(twin->id()) : "all"),
      ranks, Journal::Of::some);
  const std::int64_t offset = regions_.clock().journal_offset_ns();
  Journal::Entry entry{phase.start_ns + offset, phase.end_ns + offset, phase.computing_s(),
                       region.last_hints};
  entry.edges = region.last_edges.all();
  journal_->add(line, journal_->next(line),
                journal_->place(std::string(no_call) + ", after region " + region.name), entry);
}

}  // namespace pat::detail
