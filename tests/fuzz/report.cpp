// Reports on the wire, alone and several in one message, and the leader that goes by them
// (libpat/agreement/leader.hpp); questions of the time, and lists of whom to tell.

#include "libpat/agreement/leader.hpp"

#include <cmath>

#include "libpat/agreement/clock_question.hpp"
#include "libpat/agreement/pass_down.hpp"
#include "libpat/agreement/report_tree.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

void decide(detail::Leader& leader, std::uint32_t call) {
  const ArrivalPattern pattern = leader.pattern(call);
  for (const double offset_s : pattern.offset_s)
    fuzz::require(std::isfinite(offset_s) && offset_s >= 0.0);
  for (const double half_width_s : pattern.half_width_s) fuzz::require(half_width_s >= 0.0);
  detail::Decision decision;
  set_pattern(decision, pattern);
  fuzz::require(std::isfinite(decision.tick_s));
  decision.count = leader.lease(decision, true);
  fuzz::require(decision.count >= 1 && decision.count <= 64);
}

void take(detail::Leader& leader, int rank, const detail::Report& report) {
  leader.take(rank, report);
  leader.first_arrival_ns(report.call);
  leader.complete(report.call);
  decide(leader, report.call);
}

/// Whom this process would tell.
void pass_on(const std::byte* wire, std::size_t bytes, int ranks) {
  detail::PassDown list;
  detail::read_pass_down(wire, bytes, ranks, list);
  std::size_t told = 0;
  for (const auto& share : detail::shares_of(list.below, 2)) told += share.size();
  fuzz::require(told == list.below.size() && list.from >= 0 && list.from < ranks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const int ranks = 1 + bytes.upto(7);
  detail::Leader leader(ranks, 64);
  while (!bytes.empty()) {
    const int rank = bytes.upto(ranks - 1);
    const std::string message = bytes.string(bytes.upto(255));
    const std::byte* wire = fuzz::as_bytes(message);
    fuzz::read([&] { take(leader, rank, detail::read_report(wire, message.size())); });
    fuzz::read([&] {
      for (const auto& one : detail::read_reports(wire, message.size(), ranks))
        take(leader, one.from, one.report);
    });
    fuzz::read([&] { detail::read_clock_question(wire, message.size()); });
    fuzz::read([&] { pass_on(wire, message.size(), ranks); });
  }
  return 0;
}
