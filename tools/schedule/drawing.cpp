#include "tools/schedule/drawing.hpp"

#include <algorithm>

#include "tools/schedule/messages.hpp"

namespace pat::schedule {

Drawing drawing_of(const Built& built, const CostModel& model) {
  Drawing drawing;
  drawing.ranks = built.problem.ranks;
  if (!built.plan) {
    const Timing timing = simulate(built.schedule, built.pattern, model);
    drawing.arrival = timing.arrival_s;
    drawing.axis = "time, s";
    for_each(OpKind::recv, built.schedule, [&](int rank, OpId id, const Op& op) {
      const double length_s =
          model.alpha_s +
          static_cast<double>(op.target.length * built.problem.unit_bytes) * model.beta_s_per_byte;
      const double end_s = timing.op_end_s[rank][id];
      drawing.arrows.push_back({op.peer, rank, end_s - length_s, end_s, -1, false});
      if (op.target.length > 0 && end_s < timing.arrival_s[static_cast<std::size_t>(rank)])
        drawing.note = "before the dot of a process its background thread works";
    });
    return drawing;
  }
  const clairvoyant::Plan& plan = *built.plan;
  const double first_s =
      *std::min_element(built.pattern.offset_s.begin(), built.pattern.offset_s.end());
  for (const double offset_s : built.pattern.offset_s)
    drawing.arrival.push_back((offset_s - first_s) / plan.round_s);
  drawing.axis = "time since the first arrival, rounds";
  const bool waits = plan.instance.order == clairvoyant::Order::paper &&
                     plan.instance.window == clairvoyant::Window::open;
  if (!waits)
    drawing.note =
        "who arrives within a round takes part in what is left of it, in the rounds that "
        "are planned with: --simulate has times";
  for (std::size_t r = 0; r < plan.list.rounds.size(); ++r) {
    const double start =
        (start_s(plan.list, r, plan.instance, built.pattern.offset_s, plan.round_s) - first_s) /
        plan.round_s;
    for (const clairvoyant::Message& m : plan.list.of(r)) {
      const double sent = std::max(start, drawing.arrival[static_cast<std::size_t>(m.sender())]);
      drawing.arrows.push_back(
          {m.sender(), m.receiver(), sent, start + 1.0, m.segment(), m.copies()});
    }
  }
  return drawing;
}

}  // namespace pat::schedule
