#include "tools/predict/verdict.hpp"

#include <algorithm>
#include <optional>

#include "analysis/played.hpp"
#include "analysis/words.hpp"
#include "collectives/cost/select.hpp"
#include "tools/study/describe.hpp"

namespace pat::predict {
namespace {

/// Of the subject's rows of all ranks, the one whose model errs least; null: no model was judged.
const Row* most_accurate(const Subject& subject, const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (row.subject == &subject && row.rank < 0 && row.model != "forecasts" &&
        (best == nullptr || row.accuracy.mae_s < best->accuracy.mae_s))
      best = &row;
  return best;
}

/// Why no order of the arrivals gains anything, where one sees it from the times of a call.
std::string reason(double imbalance_s, double call_s) {
  if (imbalance_s > 0.5 * call_s)
    return ", of which " + seconds_text(std::min(imbalance_s, call_s)) +
           " are the wait for the last process, which none shortens";
  if (imbalance_s < 0.1 * call_s)
    return ", as all processes come within " + seconds_text(imbalance_s);
  return "";
}

}  // namespace

std::string verdict_on(const Subject& subject, const std::vector<Row>& rows) {
  const Row* row = most_accurate(subject, rows);
  if (row == nullptr) return "";
  const study::GainOptions& gain = subject.gain;
  Trace trace = subject.trace;
  if (trace.computing_s.empty()) trace.computing_s = trace.arrival_s;  // as the models take it
  const std::optional<Played> played =
      play(trace, {gain.operation, gain.root, gain.bytes}, row->model, gain.model);
  if (!played || played->as_done_s <= 0.0) return "";
  const double call_s = played->as_done_s / trace.iterations();
  const std::string instead = seconds_text(call_s) + " a call of " +
                              (trace.algorithm.empty() ? "MPI's own" : "what did them");
  const double least_share = SelectionRules{}.gain;
  const double share = played->saved_s / played->as_done_s;
  if (share >= least_share)
    return played->algorithm + ", by forecasts of " + row->model + ", would save " +
           percent_text(share) + " of the " + instead + " (simulated)";
  const double share_if_known = played->saved_if_known_s / played->as_done_s;
  if (share_if_known >= least_share)
    return "nothing is to be gained by forecasts, which are too far off: known arrivals would "
           "save " +
           percent_text(share_if_known) + " of the " + instead + " (simulated)";
  return "nothing is to be gained: no algorithm that follows the arrivals saves " +
         percent_text(least_share) + " of the " + instead + " (simulated)" +
         reason(study::describe(trace, 0).mean_imbalance_s, call_s);
}

}  // namespace pat::predict
