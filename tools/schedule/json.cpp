#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "tools/schedule/messages.hpp"
#include "tools/schedule/print.hpp"

namespace pat::schedule {
namespace {

using Json = nlohmann::ordered_json;
using clairvoyant::Message;

Json plan_json(const clairvoyant::Plan& plan) {
  Json messages = Json::array();
  for (std::size_t r = 0; r < plan.list.rounds.size(); ++r)
    for (const Message& m : plan.list.of(r))
      messages.push_back({{"round", plan.list.rounds[r].number},
                          {"sender", m.sender()},
                          {"receiver", m.receiver()},
                          {"segment", m.segment()},
                          {"copies", m.copies()}});
  return {{"rounds", plan.list.round_count()},
          {"makespan_s", plan.makespan_s},
          {"round_s", plan.round_s},
          {"segments", plan.instance.segments},
          {"order", clairvoyant::name(plan.instance.order)},
          {"messages", messages}};
}

/// Per rank and operation: how many messages the longest chain of dependencies that ends with it
/// has. All of it that does not wait for a message is 0.
std::vector<std::vector<std::uint32_t>> chains(const Schedule& schedule) {
  std::map<std::tuple<int, int, std::uint32_t>, std::uint32_t> begun;  // by sender, receiver, tag
  std::vector<std::vector<std::uint32_t>> chain;
  for (const Program& program : schedule.programs) chain.emplace_back(program.ops.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int rank = 0; rank < schedule.problem.ranks; ++rank)
      for (OpId id = 0; id < chain[rank].size(); ++id) {
        const Op& op = schedule.programs[rank].ops[id];
        std::uint32_t before = 0;
        for (const OpId other : op.after) before = std::max(before, chain[rank][other]);
        if (op.kind == OpKind::send || op.kind == OpKind::recv) {
          const bool sends = op.kind == OpKind::send;
          std::uint32_t& both = begun[{sends ? rank : op.peer, sends ? op.peer : rank, op.tag}];
          before = both = std::max(both, before + 1);
        }
        changed = changed || chain[rank][id] != before;
        chain[rank][id] = before;
      }
  }
  return chain;
}

Json schedule_json(const Built& built, double makespan_s) {
  Json messages = Json::array();
  std::uint32_t rounds = 0;
  const auto chain = chains(built.schedule);
  for_each(OpKind::send, built.schedule, [&](int rank, OpId id, const Op& op) {
    const std::uint32_t length = chain[static_cast<std::size_t>(rank)][id];
    rounds = std::max(rounds, length);
    messages.push_back({{"round", length - 1},
                        {"sender", rank},
                        {"receiver", op.peer},
                        {"segment", op.segment},
                        {"tag", op.tag},
                        {"bytes", op.source.length * built.problem.unit_bytes}});
  });
  return {{"rounds", rounds}, {"makespan_s", makespan_s}, {"messages", messages}};
}

Json timing_json(const Timing& timing) {
  return {{"run_time_s", timing.run_time_s()},
          {"mean_elapsed_s", timing.mean_elapsed_s()},
          {"arrival_s", timing.arrival_s},
          {"finish_s", timing.exit_s}};
}

}  // namespace

void print_json(const Request& request, const Built& built, const CostModel& model) {
  const Timing timing = simulate(built.schedule, built.pattern, model);
  Json document = built.plan ? plan_json(*built.plan) : schedule_json(built, timing.run_time_s());
  if (request.verify) document["verify"] = "ok";
  if (!request.cost.empty()) document.update(timing_json(timing));
  if (!request.draw.empty()) document["drawing"] = request.draw;
  std::cout << document.dump(1) << "\n";
}

}  // namespace pat::schedule
