#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/cost/select.hpp"
#include "core/config.hpp"
#include "libpat/agreement/signature.hpp"

namespace pat::detail {

/// What a call that PAT does itself costs beyond its messages: agreement, the run, locks.
inline constexpr double own_overhead_s = 25e-6;

/// Why the library does a call whose bits must not depend on who comes first, if nothing is chosen.
inline constexpr std::string_view same_bits =
    "reproducible: the library's own tree does not follow the arrivals";

/// The user's own choice, or the best for the predicted pattern (collectives/cost/select.hpp).
/// Called by a stream's leader only; `background` says whether data may move before a process
/// arrives. `prices` is the stream's, filled on first use. `rules`: what a trial may cost, and what
/// is under way; the rest of them is set here.
Selection choose(const Problem& problem, const ArrivalPattern& pattern, const Config& config,
                 const Calibration& calibration, const Algorithm* fixed, bool background,
                 std::optional<Prices>& prices, SelectionRules rules = {});

/// The stream's prices, made on first use, as choose() does; those of v-forms anew for each call.
Prices& prices_of(const Problem& problem, const Calibration& calibration, bool background,
                  std::optional<Prices>& known);

/// The algorithm that does a v-form in place of `algorithm`: itself, or what the operation's row
/// names (v_plain, v_aware) where it needs the counts of other ranks or moves data in the
/// background, whose amount no process can tell before the call.
const Algorithm& for_varying_counts(const Algorithm& algorithm);

/// What runs in a call for which the user has chosen `wanted`: in a v-form for_varying_counts();
/// the operation's own fixed order where `wanted` would reorder operands that do not commute, or
/// where they must be combined in one and `wanted` may follow the arrivals; else `wanted`.
const Algorithm& fit_for(const CallSignature& call, const Algorithm& wanted);

/// The measured rounds, unless PAT_ALPHA, PAT_BETA or PAT_GAMMA were set.
const std::vector<RoundLength>& measured_rounds(const Config& config,
                                                const Calibration& calibration);

/// What builders are told of the network for messages of this problem's size: what was calibrated,
/// unless PAT_ALPHA, PAT_BETA or PAT_GAMMA were set.
LinkCost link_cost(const Config& config, const Calibration& calibration, const Problem& problem);
/// The same for messages of 64 KiB, whatever is done with them.
LinkCost usual_cost(const Config& config, const Calibration& calibration);

/// The cost with which a round of messages of `bytes` takes `round_s` seconds.
LinkCost with_round(const LinkCost& cost, double bytes, double round_s);

}  // namespace pat::detail
