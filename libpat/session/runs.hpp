#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config.hpp"
#include "libpat/execution/run.hpp"
#include "libpat/session/call.hpp"
#include "libpat/session/negotiation.hpp"

namespace pat::detail {

/// Makes the run that carries a call out, once it is decided: of a schedule, of a dynamic protocol
/// or of the MPI library's own collective. The one place that tells the three kinds apart.
class Runs {
 public:
  Runs(const Config& config, const Negotiation& negotiation, const Regions& regions)
      : config_(config), negotiation_(negotiation), regions_(regions) {}

  /// Null: it is not time yet; `round` says when, if that is known.
  std::unique_ptr<Run> make(Locked&, Call& call, pace::Round& round) const;
  /// Of the stream's next call, which the program has not made yet. Null: it is not time, or
  /// nothing of it can be done before.
  std::unique_ptr<Run> make_ahead(Locked&, Twin& twin, Stream& stream, pace::Round& round) const;

 private:
  std::unique_ptr<Run> make_dynamic(Call& call) const;
  std::unique_ptr<Run> make_schedule(Locked&, Call& call, pace::Round& round) const;
  std::unique_ptr<Run> schedule_run(Twin& twin, const Stream& stream, std::uint32_t number,
                                    std::shared_ptr<const Program> program) const;
  bool may_begin(const Twin& twin, const Stream& stream, const Decision& decision,
                 std::uint32_t number, pace::Round& round) const;
  std::vector<double> links_for(const Twin& twin, const Decision& decision) const;
  std::shared_ptr<const Program> program(Locked&, Twin& twin, Stream& stream,
                                         const Decision& decision, std::uint32_t number,
                                         const Call* call) const;

  const Config& config_;
  const Negotiation& negotiation_;
  const Regions& regions_;
};

}  // namespace pat::detail
