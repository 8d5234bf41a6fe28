#pragma once

#include <cstdint>
#include <string_view>

#include "core/journal.hpp"
#include "libpat/session/recent_calls.hpp"
#include "libpat/session/regions.hpp"
#include "libpat/session/twins.hpp"

namespace pat::detail {

/// What is kept of every call and phase: the journal, of which trace and report are made, and,
/// where `pat top` may ask, the latest calls.
class Records {
 public:
  /// `journal`: null if nobody wants it. `live`: the latest calls are kept.
  Records(bool live, Journal* journal, const Twins& twins, const Regions& regions)
      : live_(live), journal_(journal), twins_(twins), regions_(regions) {}
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// The number of the communicator's next call, which is the same on all its processes.
  std::uint32_t next_entry(Locked&, Twin& twin);
  /// A call of the series, with this number. `region`: whose phase it followed; null: none, then
  /// the place is named by the number of its `site`, if that is not 0. `algorithm`: empty if that
  /// is not known yet.
  void add_call(Locked&, Twin& twin, std::uint32_t number, Series& series,
                const RegionState* region, std::uint16_t site, std::int64_t arrival_ns,
                std::int64_t exit_ns, std::string_view algorithm);
  /// The region's last phase, if no call of PAT's has followed it and none will. `twin`: of the
  /// communicator that its phases were said to end on; null: nothing was said.
  void add_phase(Locked&, RegionState& region, const Twin* twin);

  /// Where they are kept: what has just been called.
  const RecentCalls& recent(Locked&) const { return recent_; }

 private:
  const bool live_;
  Journal* const journal_;
  const Twins& twins_;
  const Regions& regions_;
  RecentCalls recent_;
};

}  // namespace pat::detail
