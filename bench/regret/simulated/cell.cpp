#include "bench/regret/simulated/cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat::simulated {
namespace {

constexpr double base_s = 12e-3;  // of every computing phase

}  // namespace

std::string Cell::line(int operation_width) const {
  char text[160];
  std::snprintf(text, sizeof text, "%-9s %-*s %8zu %-9s %5.1f ms %4.1f", network.name.c_str(),
                operation_width, std::string(name(operation)).c_str(), bytes, pattern.c_str(),
                1e3 * delay_s, edge);
  return text;
}

std::vector<double> computing_s(const Cell& cell, int call, int calls, std::mt19937_64& random) {
  const int ranks = cell.network.ranks;
  std::uniform_real_distribution<double> any(0.0, 1.0);
  std::mt19937_64 fixed(7);
  std::vector<double> times(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    const double own = any(fixed), anew = any(random);
    double late = 0.0;
    if (cell.pattern == "uniform") late = anew;
    if (cell.pattern == "fixed") late = own;
    if (cell.pattern == "wave")
      late = 0.5 + 0.5 * std::sin(2 * M_PI * (r / double(ranks) + call / 60.0));
    if (cell.pattern == "one-late") late = r == ranks - 1;
    if (cell.pattern == "other-late") late = r % 2;
    if (cell.pattern == "late-root") late = r == 0;
    if (cell.pattern == "then-unif") late = call >= calls / 2 ? anew : 0.0;
    if (cell.pattern == "change") late = call >= calls / 3 && call < 2 * calls / 3 ? own : 0.0;
    times[static_cast<std::size_t>(r)] = base_s + cell.delay_s * late + 30e-6 * any(random);
  }
  return times;
}

/// Fat trees that carry all links' traffic, of 10 Gbit/s, as in bench/simgrid.
std::vector<Network> networks_of(const std::vector<std::string>& names) {
  const CostModel gigabit{.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9};
  const CostModel fat_tree{.alpha_s = 4e-6, .beta_s_per_byte = 0.8e-9};
  CostModel stalling = gigabit;
  stalling.incast_stall_s = 0.5e-3;
  CostModel crowded = gigabit;  // as many processes on two cores, see docs/regret.md
  crowded.shared = {5e-6, 2.2e-9};
  const std::vector<std::pair<std::string, Network>> all = {
      {"8x1G", {"8 x 1G", 8, gigabit}},
      {"8x100M", {"8 x 100M", 8, {.alpha_s = 60e-6, .beta_s_per_byte = 85e-9}, 60e-3}},
      {"8crowd", {"8 crowd", 8, crowded}},
      {"48x1G", {"48 x 1G", 48, gigabit}},
      {"48incast", {"48 incast", 48, stalling}},
      {"tree128", {"tree 128", 128, fat_tree, 1e-3}},
      {"tree1024", {"tree 1024", 1024, fat_tree, 1e-3}}};
  std::vector<Network> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& network) { return network.first == name; });
    if (found == all.end())
      throw Error(ErrorKind::argument, "there is no network '" + name +
                                           "', choose some of 8x1G, 8x100M, 8crowd, 48x1G, "
                                           "48incast, tree128, tree1024");
    chosen.push_back(found->second);
  }
  return chosen;
}

std::vector<Cell> cells(const Choice& choice) {
  std::vector<std::string> patterns = {"equal",      "uniform",   "fixed",  "wave",     "one-late",
                                       "other-late", "late-root", "change", "then-unif"};
  if (choice.leases) patterns = {"then-unif"};
  std::vector<Cell> all;
  for (const Network& network : choice.networks)
    for (const Operation operation : choice.operations)
      for (const std::size_t bytes : choice.sizes)
        for (const std::string& pattern : patterns)
          for (const double edge : choice.edges)
            if (pattern != "equal" || edge == choice.edges.front())
              all.push_back({network, operation, bytes, pattern, network.delay_s,
                             pattern == "equal" ? 0.0 : edge});
  return all;
}

std::vector<std::vector<Cell>> cells_of_several_sizes(const Choice& choice) {
  std::vector<std::vector<Cell>> groups;
  for (const Cell& cell : cells(choice)) {
    if (cell.changes() || cell.changes_once()) continue;
    std::vector<Cell> group;
    for (const int doublings : {-2, -1, 0, 1}) {
      group.push_back(cell);
      group.back().bytes = static_cast<std::size_t>(std::ldexp(cell.bytes, doublings));
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace pat::simulated
