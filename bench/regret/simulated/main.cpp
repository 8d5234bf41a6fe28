// How far `auto` is from the best choice in hindsight, simulated: libpat's agreement (models of the
// computing times, reports, leader, judge, leases) decides calls whose times are simulated on links
// that it has measured roughly, by algorithms each of which takes longer or shorter than the model
// says by a factor that it does not know. No MPI.
//
//   simulated_regret [--quick] [--check] [--seed N] [--calls N] [--lease N [--blind]]
//                    [--sizes-at-once [--alone]] [--slow-first N] [--slow-mpi N] [--noise SD]
//                    [--costs FACTOR] [--unasked BYTES] [--network NAMES] [--edge SHARES]
//
// Not simulated: what reports, decisions and thinking cost. Deterministic for a seed.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/regret/simulated/cell.hpp"
#include "bench/regret/simulated/game.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace pat::simulated {
namespace {

constexpr int warm_up = 20;

std::vector<Operation> operations_of(const std::vector<std::string>& names) {
  std::vector<Operation> operations;
  for (const std::string& name : names) {
    const auto found = find_operation(name);
    if (!found)
      throw Error(ErrorKind::argument,
                  "there is no operation '" + name + "', choose some of " + operation_names());
    if (row(*found).among_neighbours())
      throw Error(ErrorKind::argument, "whom " + name +
                                           " goes to depends on the program, choose an operation "
                                           "among all processes");
    operations.push_back(*found);
  }
  return operations;
}

struct Aims {
  int trials = 0;
  int cells = 0, near_best = 0, near_mpi = 0, could_gain = 0, gained = 0, changes = 0, settled = 0;
  std::vector<double> to_best, to_mpi;

  /// What the whole table must come to. Single cells miss the aims: where many ways cost alike by
  /// the model, finding the one that is better takes more trials than a hundredth of the time pays.
  bool reached() const {
    return near_best >= 0.85 * cells && near_mpi >= 0.97 * cells && gained >= 0.9 * could_gain &&
           settled >= 0.8 * changes && quantile(to_mpi, 1.0) <= 1.05;
  }
  void print() const {
    std::printf(
        "\n%d cells; within 5 %% of the best: %d; at most 1.02 of mpi: %d; at least 80 %% of a "
        "gain "
        "of 10 %% or more: %d of %d; settled within 5 calls of a change: %d of %d\n"
        "auto over best: median %.3f, 90 %% quantile %.3f, largest %.3f; auto over mpi: median "
        "%.3f, largest %.3f\n",
        cells, near_best, near_mpi, gained, could_gain, settled, changes, median(to_best),
        quantile(to_best, 0.9), *std::max_element(to_best.begin(), to_best.end()), median(to_mpi),
        *std::max_element(to_mpi.begin(), to_mpi.end()));
    if (trials > 0) std::printf("%d trials\n", trials);
  }
};

/// One line of the table: of the calls from `from` to `until`.
void judge_cell(const Cell& cell, const Game& game, int from, int until, const char* part,
                Aims& aims) {
  const std::size_t best = game.best(from, until);
  const double best_s = game.mean_of_way(best, from, until);
  const double mpi_s = game.mean_of_way(0, from, until);
  const double auto_s = game.mean_of_auto(from, until);
  ++aims.cells;
  aims.trials += game.trials();
  aims.to_best.push_back(auto_s / best_s);
  aims.to_mpi.push_back(auto_s / mpi_s);
  aims.near_best += auto_s <= 1.05 * best_s;
  aims.near_mpi += auto_s <= 1.02 * mpi_s;
  if (best_s <= 0.9 * mpi_s) {
    ++aims.could_gain;
    aims.gained += mpi_s - auto_s >= 0.8 * (mpi_s - best_s);
  }
  std::printf("%s %-6s %9.3f %6.3f %-22s %6.3f %6.3f  %s\n", cell.label().c_str(), part,
              1e3 * mpi_s, best_s / mpi_s, game.way(best).label().c_str(), auto_s / best_s,
              auto_s / mpi_s, game.taken().c_str());
  std::fflush(stdout);
}

/// Calls of several sizes in turn, which tell each other what they learn unless they are `alone`.
void play_several_sizes(const std::vector<Cell>& group, std::uint64_t seed, int calls, double costs,
                        bool alone, Aims& aims) {
  std::vector<std::unique_ptr<Game>> games;
  std::vector<Game*> streams;
  for (const Cell& cell : group)
    games.push_back(std::make_unique<Game>(cell, seed, calls, costs, true));
  for (const auto& game : games)
    if (!alone) streams.push_back(game.get());
  double now_s = 1.0;
  for (int call = 0; call < calls; ++call)
    for (const auto& game : games) game->play(call, now_s, streams);
  for (std::size_t i = 0; i < group.size(); ++i)
    judge_cell(group[i], *games[i], warm_up, calls, "all", aims);
}

int run(int argc, char** argv) {
  bool sizes_at_once = false, alone = false, share_unknown = false;
  bool quick = false, trace = false, check = false, blind = false;
  std::uint32_t lease = 0;
  std::uint64_t seed = 1;
  std::size_t unasked = 0;
  int calls = 150, slow_first = 0, slow_mpi = 0;
  double noise = usual_noise, costs = 1.0;
  std::string only;
  std::vector<std::string> networks;
  std::vector<double> edges;
  // One of each kind: to the root, from it, combining there and everywhere.
  std::vector<std::string> names = {"gather", "scatter", "reduce", "allreduce"};
  CLI::App app("How far auto is from the best choice in hindsight, simulated", "simulated_regret");
  measure::HelpFormatter::use(app);
  app.add_flag("--quick", quick, "8 processes and 1 MiB alone");
  app.add_flag("--check", check, "End with 1 if the table misses what it must come to");
  measure::takes_seed(app.add_option("--seed", seed, "Of arrivals, noise and hidden factors"));
  app.add_option("--calls", calls, "Of each cell")->check(CLI::Range(60, 100000));
  app.add_option("--network", networks,
                 "8x1G, 8x100M, 48x1G, 48incast, 8crowd (whose processes share cores), tree128, "
                 "tree1024 (default the first four, of --quick two)")
      ->delimiter(',');
  app.add_option("--edge", edges,
                 "Shares of a phase at which it is told, 0 nowhere (default "
                 "0,0.5,0.9, of --quick 0,0.5)")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 0.99));
  app.add_option("--op", names, "Operations")->delimiter(',')->capture_default_str();
  app.add_option("--only", only, "Cells whose line begins with or contains this");
  app.add_option("--lease", lease,
                 "Decisions that stay last up to so many calls; 0: as deciding costs");
  app.add_flag("--blind", blind, "Nobody says when he leaves what a lease was given for");
  CLI::Option* several = app.add_flag("--sizes-at-once", sizes_at_once,
                                      "Calls of 256 KiB to 2 MiB in turn, 8 processes");
  app.add_flag("--alone", alone, "What calls of one size tell is not told to those of another");
  app.add_option("--slow-first", slow_first,
                 "So many first calls of each way but mpi take 2.5 times as long")
      ->check(CLI::Range(0, 1000))
      ->excludes(several);
  app.add_option("--slow-mpi", slow_mpi, "So do the first calls of mpi")
      ->check(CLI::Range(0, 1000))
      ->excludes(several);
  app.add_option("--noise", noise, "How much calls differ: of the logarithm of their times")
      ->check(CLI::Range(0.0, 3.0))
      ->excludes(several);
  app.add_option("--costs", costs, "Messages are taken to cost so many times what they do")
      ->check(CLI::Range(0.001, 1000.0));
  measure::takes_bytes(app.add_option("--unasked", unasked,
                                      "Messages of up to so many bytes leave before their "
                                      "receiver has come, as is known; 0: none"));
  app.add_flag("--share-unknown", share_unknown,
               "What the processes of 8crowd share is not known, but learnt with each way");
  app.add_flag("--trace", trace, "A line a call");
  return measure::run_program(app, argc, argv, [&] {
    std::printf("%-9s %-9s %8s %-9s %8s %4s %-6s %9s %6s %-22s %6s %6s  %s\n", "network", "op",
                "bytes", "pattern", "delay", "edge", "calls", "mpi ms", "best/m", "best", "a/best",
                "a/mpi", "taken");
    Aims aims;
    const bool few = quick || sizes_at_once;
    if (networks.empty())
      networks = few ? std::vector<std::string>{"8x1G", "8x100M"}
                     : std::vector<std::string>{"8x1G", "8x100M", "48x1G", "48incast"};
    if (edges.empty()) edges = few ? std::vector{0.0, 0.5} : std::vector{0.0, 0.5, 0.9};
    Choice choice{
        networks_of(networks), operations_of(names), {std::size_t{1} << 20}, edges, lease > 0};
    if (!few) choice.sizes = {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{8} << 20};
    for (Network& network : choice.networks) {
      network.truth.eager_bytes = unasked;
      network.shared_known = !share_unknown;
    }
    for (const std::vector<Cell>& group :
         sizes_at_once ? cells_of_several_sizes(choice) : std::vector<std::vector<Cell>>{})
      if (only.empty() || group.front().label().find(only) != std::string::npos)
        play_several_sizes(group, seed, calls, costs, alone, aims);
    for (const Cell& cell : sizes_at_once ? std::vector<Cell>{} : cells(choice)) {
      if (!only.empty() && cell.label().find(only) == std::string::npos) continue;
      Game game(cell, seed, calls, costs);
      game.trace = trace;
      game.lease = lease;
      game.blind = blind;
      game.slow_first = slow_first;
      game.slow_mpi = slow_mpi;
      game.noise = noise;
      game.play();
      if (cell.changes_once()) {
        judge_cell(cell, game, calls / 2 + 5, calls, "after", aims);
        ++aims.changes;
        const int until_decided = game.blind_calls(calls / 2, calls);
        std::printf("%s decided anew %d calls after the change\n", cell.label().c_str(),
                    until_decided);
        aims.settled += until_decided <= 5;
        continue;
      }
      if (!cell.changes()) {
        judge_cell(cell, game, warm_up, calls, "all", aims);
        continue;
      }
      const int third = calls / 3;
      judge_cell(cell, game, third + 5, 2 * third, "after", aims);
      judge_cell(cell, game, 2 * third + 5, calls, "back", aims);
      for (const int from : {third, 2 * third}) {
        ++aims.changes;
        aims.settled += game.settling(from, from + third) <= 5;
      }
    }
    if (aims.cells == 0) throw Error(ErrorKind::argument, "no cell has '" + only + "' in its line");
    aims.print();
    const bool reached = lease > 0 ? aims.settled == aims.changes : aims.reached();
    return check && !reached ? 1 : 0;
  });
}

}  // namespace
}  // namespace pat::simulated

int main(int argc, char** argv) {
  return pat::simulated::run(argc, argv);
}
