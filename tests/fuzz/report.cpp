// Reports on the wire, and the leader that goes by them (libpat/agreement/leader.hpp).

#include "libpat/agreement/leader.hpp"

#include <cmath>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const int ranks = 1 + bytes.upto(7);
  detail::Leader leader(ranks, 64);
  while (!bytes.empty()) {
    const int rank = bytes.upto(ranks - 1);
    const std::string message = bytes.string(bytes.upto(63));
    fuzz::read([&] {
      const detail::Report report = detail::read_report(fuzz::as_bytes(message), message.size());
      leader.take(rank, report);
      leader.first_arrival_ns(report.call);
      leader.complete(report.call);
      decide(leader, report.call);
    });
  }
  return 0;
}
