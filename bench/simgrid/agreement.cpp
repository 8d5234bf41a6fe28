// libpat's agreement among very many processes, on a simulated cluster: each process has libpat's
// Negotiation (reports, their tree, the leader with its judge, decisions, leases and what calls
// them back), compiled against SimGrid's MPI. Its messages travel simulated links, its clock is the
// simulation's, and its daemon makes rounds when libpat's thread would. Of a call all processes
// wait for each other and then as long as the chosen algorithm's formula says: no data is moved.
//
//   pat-simgrid-agreement [--machine M] [--op OP] [--alg auto|NAME] [--pattern P] ...
//
// Two lines, of each process and call: how often one asked for a decision that was not there, and
// how long it waited; messages sent; and how long it was busy, where each look for messages, and
// each message found, takes a microsecond, and nothing else does. "most" is of those that do not
// lead.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/simgrid/agreeing_process.hpp"
#include "bench/simgrid/machine.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/cost/mpi_price.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/session/control.hpp"
#include "measure/command_line.hpp"
#include "measure/delays.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace pat::simulated {
namespace {

using namespace detail;

Operation operation_of(const std::string& operation_name) {
  const auto found = find_operation(operation_name);
  if (found && row(*found).has_bytes() && !row(*found).among_neighbours()) return *found;
  throw Error(ErrorKind::argument, "The operation '" + operation_name +
                                       "' is not simulated, choose one that moves data among all "
                                       "processes, such as gather, reduce or allreduce.");
}

constexpr double longest_s = 10.0;  ///< of a phase: daemons look a thousand times a second

/// Fills in what follows from the options.
void prepare(Trial& trial) {
  trial.machine = find_machine(trial.machine_name);
  const Operation operation = operation_of(trial.operation_name);
  if (trial.algorithm_name != "auto")
    trial.forced = &get_algorithm(operation, trial.algorithm_name);
  if (!(trial.edge >= 0.0 && trial.edge < 1.0))
    throw Error(ErrorKind::argument,
                "--edge is a share of a phase, give 0 or more and less than 1.");
  if (!(trial.base_s <= longest_s))
    throw Error(ErrorKind::argument, "--base is too long to simulate, give at most " +
                                         std::to_string(static_cast<int>(longest_s)) + " s.");
  if (trial.warm_up >= trial.calls)
    throw Error(ErrorKind::argument, "--warmup leaves no call of --calls, give fewer.");
  const auto ranks = static_cast<std::size_t>(trial.machine.ranks);
  trial.signature.operation = operation;
  trial.signature.unit_bytes = row(operation).combines ? 8 : 1;
  trial.signature.block_bytes = row(operation).in_blocks() ? trial.bytes / ranks : trial.bytes;
  trial.signature.block_bytes -= trial.signature.block_bytes % trial.signature.unit_bytes;
  if (trial.signature.block_bytes == 0)
    throw Error(ErrorKind::argument, "--size leaves no unit for each process, give more.");
  const LinkCost cost = trial.machine.cost();
  trial.config.alpha_s = cost.alpha_s;
  trial.config.beta_s_per_byte = cost.beta_s_per_byte;
  trial.config.gamma_s_per_byte = cost.gamma_s_per_byte;
  Problem problem;
  problem.operation = operation;
  problem.ranks = trial.machine.ranks;
  problem.unit_bytes = trial.signature.unit_bytes;
  problem.units = trial.signature.block_bytes / trial.signature.unit_bytes;
  problem.cost = cost;
  trial.library = fastest_without_pattern(problem, cost_model(cost)).stand_in;
  const auto delays =
      measure::make_delays(trial.pattern, {.ranks = trial.machine.ranks, .seed = trial.seed});
  for (int call = 0; call < trial.calls; ++call)
    trial.delays_s.push_back(delays->at(static_cast<std::uint64_t>(call)));
}

std::vector<Seen> play(const Trial& trial) {
  std::vector<std::string> settings;
  // Messages travel when they are sent. By default they set out when they are received, and who
  // looks would find one a look.
  for (const char* setting : {"smpi/send-is-detached-thresh:", "smpi/async-small-thresh:"})
    settings.push_back(setting + std::to_string(Control::limit + 1));
  std::vector<Seen> seen(static_cast<std::size_t>(trial.machine.ranks));
  Meeting meeting(trial.machine.ranks);
  run_on(trial.machine, settings, [&trial, &seen, &meeting](int rank) {
    check(PMPI_Init(nullptr, nullptr));
    seen[static_cast<std::size_t>(rank)] = compute_and_call(trial, rank, meeting);
    check(PMPI_Finalize());
  });
  return seen;
}

void print(const Trial& trial, const std::vector<Seen>& seen) {
  const double calls = trial.calls - trial.warm_up, ranks = trial.machine.ranks;
  Seen sum, most;
  for (std::size_t rank = 0; rank < seen.size(); ++rank) {
    const Seen& one = seen[rank];
    sum.waited_s += one.waited_s;
    sum.longest_wait_s = std::max(sum.longest_wait_s, one.longest_wait_s);
    sum.calls_waited += one.calls_waited;
    sum.busy_s += one.busy_s;
    sum.messages += one.messages;
    if (rank == 0) continue;  // the leader
    most.messages = std::max(most.messages, one.messages);
    most.busy_s = std::max(most.busy_s, one.busy_s);
  }
  const Seen& leader = seen.front();
  std::printf("%6s %9s %9s %9s %9s | %8s %8s %8s | %9s %9s %9s\n", "P", "decided", "asked %",
              "wait us", "most us", "sent", "most", "leader", "busy us", "most us", "leader");
  std::printf("%6d %9.2f %9.2f %9.1f %9.1f | %8.2f %8.1f %8.1f | %9.1f %9.1f %9.1f\n",
              trial.machine.ranks, leader.decisions / calls,
              100.0 * sum.calls_waited / calls / ranks, 1e6 * sum.waited_s / calls / ranks,
              1e6 * sum.longest_wait_s, static_cast<double>(sum.messages) / calls / ranks,
              static_cast<double>(most.messages) / calls,
              static_cast<double>(leader.messages) / calls, 1e6 * sum.busy_s / calls / ranks,
              1e6 * most.busy_s / calls, 1e6 * leader.busy_s / calls);
}

}  // namespace
}  // namespace pat::simulated

int main(int argc, char** argv) {
  CLI::App app("libpat's agreement on a simulated cluster: waits for decisions, messages and load",
               "pat-simgrid-agreement");
  pat::measure::HelpFormatter::use(app);
  pat::simulated::Trial trial;
  const auto add = [&](const char* name, auto& value, const std::string& meaning) {
    return app.add_option(name, value, meaning)->capture_default_str();
  };
  add("--machine", trial.machine_name, "star:N (1 Gbit/s), fast-star:N or fat-tree:N (10 Gbit/s)");
  add("--op", trial.operation_name, "What is called");
  add("--alg", trial.algorithm_name, "auto, or a registered name, which is decided for each call");
  add("--pattern", trial.pattern, "Of the computing phases, as in pat bench");
  pat::measure::takes_bytes(
      add("--size", trial.bytes, "Of all blocks, or of a vector: bytes or such as 1MiB"));
  pat::measure::takes_seconds(
      add("--base", trial.base_s, "Of each phase, beside its delay: seconds or such as 20ms"));
  add("--edge", trial.edge, "Share of a phase at which it is told, less than 1; 0: nowhere");
  add("--calls", trial.calls, "Of each process")->check(CLI::Range(2, 100000));
  add("--warmup", trial.warm_up, "First ones that are not counted")->check(CLI::Range(0, 100000));
  add("--tree", trial.config.report_tree,
      "As PAT_REPORT_TREE: more processes than this tell by a tree")
      ->check(CLI::Range(1, 1 << 24));
  pat::measure::takes_seed(add("--seed", trial.seed, "Of the delays"));
  return pat::measure::run_program(app, argc, argv, [&] {
    pat::simulated::prepare(trial);
    pat::simulated::print(trial, pat::simulated::play(trial));
    return 0;
  });
}
