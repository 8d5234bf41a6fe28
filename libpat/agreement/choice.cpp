#include "libpat/agreement/choice.hpp"

#include <algorithm>

#include "collectives/cost/reduce_bounds.hpp"
#include "collectives/operation_row.hpp"

namespace pat::detail {
namespace {

/// The mean block, bytes.
std::size_t block_bytes(const Problem& problem) {
  const std::size_t block = problem.counts.empty()
                                ? problem.units
                                : problem.total() / static_cast<std::size_t>(problem.ranks);
  return block * problem.unit_bytes;
}

/// Where the root takes in all blocks many send to one process; elsewhere one message waits for a
/// port at most, and nobody waits for late processes while messages leave unasked.
CostModel model_of(const Problem& problem, const Calibration& calibration) {
  CostModel model = cost_model(problem.cost);
  const OperationRow& operation = row(problem.operation);
  if (operation.many_to_one())
    model.incast_stall_s = calibration.stall_s(block_bytes(problem));
  else
    model.eager_bytes = calibration.eager_bytes;
  model.link_slowdown = problem.link_slowdown;
  model.shared = calibration.shared;
  return model;
}

LinkCost cost_of(const Config& config) {
  return {config.alpha_s, config.beta_s_per_byte, config.gamma_s_per_byte};
}

bool set_by_user(const Config& config) {
  return cost_of(config) != cost_of(Config{});
}

bool is_measured_in_passing(const Config& config) {
  return config.calibration.empty() || config.calibration == "cache";
}

/// What was measured; of messages too short to tell how fast large ones are (a busy machine left no
/// time for others) large ones are taken for no faster than usual: calls correct a price that is
/// too high, but hardly one of which nothing lies beyond the last arrival.
LinkCost measured_cost(const Config& config, const Calibration& calibration, std::size_t bytes) {
  constexpr std::size_t telling_bytes = std::size_t{64} << 10;
  const LinkCost usual = cost_of(config);
  LinkCost cost = calibration.link(bytes, usual);
  if (!is_measured_in_passing(config) || calibration.messages.empty()) return cost;
  const std::size_t longest = calibration.messages.back().bytes;
  if (longest < telling_bytes && bytes > longest)
    cost.beta_s_per_byte = std::max(cost.beta_s_per_byte, usual.beta_s_per_byte);
  return cost;
}

/// How a forced algorithm reads the forecast, which `auto` finds by trying.
void weigh(const ArrivalPattern& pattern, const Problem& problem, const Config& config,
           Selection& selection) {
  if (selection.algorithm->round_s == nullptr) return;
  Problem cut = problem;
  if (config.segments > 0) cut.segments = config.segments;
  const double correction = problem.rounds.empty() ? selection.correction : 1.0;
  const double round_s = correction * selection.algorithm->round_s(cut, pattern);
  const Reading reading = reading_for(pattern, round_s);
  selection.tick_s = tick_s(reading, pattern);
  if (reading == Reading::coarse) selection.reason += ", by coarser arrivals";
  if (reading == Reading::blind) selection.reason += ", without the forecast, which is too poor";
}

/// What a user's choice takes beyond the model, from calibration or learnt from its calls: 1 where
/// its schedule does not ask what messages cost.
double correction_of(const Algorithm& fixed, const Problem& problem, const Calibration& calibration,
                     bool background, std::optional<Prices>& prices) {
  const bool asks = fixed.tune != nullptr || fixed.round_s != nullptr;
  const bool can_be_simulated = problem.ranks <= most_simulated || fixed.flat_s != nullptr;
  if (!problem.counts.empty()) return 1.0;
  if (!calibration.collectives.empty())
    prices_of(problem, calibration, background, prices);
  else if (asks && can_be_simulated && !problem.fixed_order && !prices)
    prices = price_one(fixed, model_of(problem, calibration));
  if (!prices) return 1.0;
  for (const Candidate& candidate : prices->candidates)
    if (candidate.algorithm == &fixed) return candidate.correction;
  return 1.0;
}

Selection library(const Problem& problem, std::string_view reason) {
  Selection selection;
  selection.algorithm = &get_algorithm(problem.operation, "mpi");
  selection.reason = reason;
  return selection;
}

}  // namespace

Prices& prices_of(const Problem& problem, const Calibration& calibration, bool background,
                  std::optional<Prices>& known) {
  if (!known || !problem.counts.empty())
    known = price(problem, model_of(problem, calibration), calibration, background);
  return *known;
}

const std::vector<RoundLength>& measured_rounds(const Config& config,
                                                const Calibration& calibration) {
  static const std::vector<RoundLength> none;
  return set_by_user(config) ? none : calibration.rounds;
}

LinkCost usual_cost(const Config& config, const Calibration& calibration) {
  return set_by_user(config) ? cost_of(config)
                             : measured_cost(config, calibration, std::size_t{64} << 10);
}

namespace {

/// The cost of messages of which a link carries as many bytes in one call as of one that costs
/// `lasting`: a short one may be through at once (a bucket of tokens lets it), many of them are
/// not.
LinkCost lasting_as(const LinkCost& lasting, LinkCost cost) {
  constexpr double most_times_faster = 4.0;  // in a cache they may be so
  if (most_times_faster * cost.beta_s_per_byte < lasting.beta_s_per_byte)
    cost.beta_s_per_byte = lasting.beta_s_per_byte;
  return cost;
}

LinkCost cost_of_links(const Config& config, const Calibration& calibration,
                       const Problem& problem) {
  const LinkCost set = cost_of(config);
  if (set_by_user(config)) return set;
  // What is measured in passing differs from run to run, and with it segments and trees.
  if (problem.fixed_order && is_measured_in_passing(config)) return set;
  const std::size_t block = block_bytes(problem), ranks = static_cast<std::size_t>(problem.ranks);
  const LinkCost whole = measured_cost(config, calibration, block);
  const std::size_t carried = row(problem.operation).in_blocks() ? block * ranks : block;
  const LinkCost lasting = measured_cost(config, calibration, carried);
  if (!row(problem.operation).combines || problem.ranks < 2) return lasting_as(lasting, whole);
  // A reduction's messages are segments of the vector.
  const auto bytes = static_cast<double>(block);
  const double segment = bytes / check::best_segments(whole, problem.ranks, bytes);
  return lasting_as(lasting, measured_cost(config, calibration, static_cast<std::size_t>(segment)));
}

}  // namespace

LinkCost link_cost(const Config& config, const Calibration& calibration, const Problem& problem) {
  LinkCost cost = cost_of_links(config, calibration, problem);
  if (!problem.fixed_order) cost.unasked_bytes = calibration.eager_bytes;
  return cost;
}

const Algorithm& for_varying_counts(const Algorithm& algorithm) {
  if (!algorithm.needs_all_counts && !algorithm.background) return algorithm;
  const OperationRow& operation = row(algorithm.operation);
  const std::string_view star = algorithm.uses_pattern ? operation.v_aware : operation.v_plain;
  return star.empty() ? algorithm : get_algorithm(algorithm.operation, star);
}

const Algorithm& fit_for(const CallSignature& call, const Algorithm& wanted) {
  const OperationRow& operation = row(call.operation);
  const bool may_follow_arrivals = wanted.uses_pattern || is_library(wanted);
  const bool unfit =
      (!call.commutative && wanted.needs_commutative) || (call.fixed_order && may_follow_arrivals);
  const Algorithm& fit = unfit ? get_algorithm(call.operation, operation.fixed_order) : wanted;
  return call.varying ? for_varying_counts(fit) : fit;
}

Selection choose(const Problem& problem, const ArrivalPattern& pattern, const Config& config,
                 const Calibration& calibration, const Algorithm* fixed, bool background,
                 std::optional<Prices>& prices, SelectionRules rules) {
  if (fixed != nullptr) {
    Selection selection;
    selection.algorithm = fixed;
    selection.window = problem.window;
    selection.reason = "chosen by the user";
    selection.correction = correction_of(*fixed, problem, calibration, background, prices);
    weigh(pattern, problem, config, selection);
    return selection;
  }
  if (problem.fixed_order) return library(problem, same_bits);
  const Prices& priced = prices_of(problem, calibration, background, prices);
  rules.gain = config.gain;
  rules.overhead_s = std::max(rules.overhead_s, own_overhead_s);
  rules.samples = samples_needed(priced.beliefs);
  return select(problem, pattern, priced.model, priced.mpi, priced.candidates, rules);
}

LinkCost with_round(const LinkCost& cost, double bytes, double round_s) {
  const double modelled_s = cost.round_s(bytes);
  return modelled_s > 0.0 ? cost.times(round_s / modelled_s)
                          : LinkCost{round_s, 0.0, 0.0, cost.unasked_bytes};
}

}  // namespace pat::detail
