#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/schedule/messages.hpp"
#include "tools/schedule/print.hpp"

namespace pat::schedule {
namespace {

using clairvoyant::Message;

/// Seed 004's Table 2: per rank what comes in and what goes out, (peer, segment), round by round.
void print_plan(const clairvoyant::Plan& plan) {
  std::map<std::pair<int, std::size_t>, std::string> in, out;
  std::size_t width = 5;
  const auto cell = [&](int peer, const Message& m) {
    std::ostringstream out_text;
    out_text << '(' << peer << ',' << m.segment() << ')';
    const std::string text = out_text.str();
    width = std::max(width, text.size());
    return text;
  };
  for (std::size_t r = 0; r < plan.list.rounds.size(); ++r)
    for (const Message& m : plan.list.of(r)) {
      in[{m.receiver(), r}] = cell(m.sender(), m);
      out[{m.sender(), r}] = cell(m.receiver(), m);
    }
  std::cout << "rank  queue";
  for (const clairvoyant::Round& round : plan.list.rounds)
    std::cout << "  R" << std::left << std::setw(static_cast<int>(width) - 1) << round.number + 1;
  std::cout << "\n";
  for (int rank = 0; rank < plan.instance.ranks; ++rank)
    for (const auto* queue : {&in, &out}) {
      std::cout << std::left << std::setw(6) << (queue == &in ? std::to_string(rank) : "")
                << std::setw(5) << (queue == &in ? "I" : "O");
      for (std::size_t r = 0; r < plan.list.rounds.size(); ++r) {
        const auto found = queue->find({rank, r});
        std::cout << "  " << std::setw(static_cast<int>(width))
                  << (found == queue->end() ? "-" : found->second);
      }
      std::cout << "\n";
    }
  std::cout
      << plan.list.round_count() << " rounds of " << plan.round_s << " s, "
      << plan.instance.segments << " segments, order " << name(plan.instance.order) << ", makespan "
      << plan.makespan_s << " s\n\n"
      << "queue     I: the rank receives, O: it sends; a cell is (peer,segment), segments count "
         "from 0, -: nothing\n"
      << "R1, R2    rounds from the first arrival on; idle ones count but are left out (JSON "
         "counts from 0)\n"
      << "order     who exchanges first among those who are there, paper: who came first, "
         "latest-first: who came last\n"
      << "makespan  first arrival to the end of the last round, in rounds of that length\n";
}

void print_schedule(const Built& built, double makespan_s, const CostModel& model) {
  const auto row = [](const auto& a, const auto& b, const auto& c, const auto& d) {
    std::cout << std::left << std::setw(7) << a << std::setw(8) << b << std::setw(10) << c << d
              << "\n";
  };
  row("round", "sender", "receiver", "bytes");
  std::vector<std::pair<int, const Op*>> sends;
  for_each(OpKind::send, built.schedule,
           [&](int rank, OpId, const Op& op) { sends.emplace_back(rank, &op); });
  std::stable_sort(sends.begin(), sends.end(),
                   [](const auto& a, const auto& b) { return a.second->round < b.second->round; });
  for (const auto& [rank, op] : sends)
    row(op->round, rank, op->peer, op->source.length * built.problem.unit_bytes);
  std::cout
      << sends.size() << " messages, makespan " << makespan_s << " s\n\n"
      << "order     by round, then by sender; a sender's messages of a round in the order of its "
         "program\n"
      << "round     the algorithm's own, from 0; all 0: it has none, and goes by what has come\n"
      << "bytes     0: a message without data, such as a go-ahead\n"
      << "makespan  first arrival to last exit, simulated with alpha " << model.alpha_s
      << " s, beta " << model.beta_s_per_byte << " and gamma " << model.gamma_s_per_byte
      << " s/byte; others: --simulate\n";
}

}  // namespace

void print_table(const Built& built, const CostModel& model) {
  if (built.plan) return print_plan(*built.plan);
  print_schedule(built, simulate(built.schedule, built.pattern, model).run_time_s(), model);
}

void print_timing(const Timing& timing) {
  std::cout << std::left << std::setw(6) << "rank" << std::setw(16) << "arrival_s"
            << "finish_s\n";
  for (std::size_t r = 0; r < timing.exit_s.size(); ++r)
    std::cout << std::setw(6) << r << std::setw(16) << timing.arrival_s[r] << timing.exit_s[r]
              << "\n";
  std::cout << "run time " << timing.run_time_s() << " s, mean elapsed " << timing.mean_elapsed_s()
            << " s\n";
}

}  // namespace pat::schedule
