#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/problem.hpp"

namespace simgrid::s4u {
class Host;
}

namespace pat::simulated {

/// A cluster that exists in SimGrid only: one process a node, full-duplex links.
///   star:N      N nodes at one switch, 1 Gbit/s, 25 us from node to node
///   fast-star:N N nodes at one switch, 10 Gbit/s, 10 us: a fat tree whose paths never cross
///   fat-tree:N  two levels of switches without a bottleneck (N a power of two, 4 or more),
///               10 Gbit/s, 5 us under one switch, 10 us across
struct Machine {
  std::string name;
  int ranks = 0;
  bool fat_tree = false;
  double bytes_per_s = 0.0;     ///< of each link
  double link_latency_s = 0.0;  ///< of each link; a path has two of them or four

  /// Under Hockney's model: what schedules are built for and `simulate` is asked for.
  LinkCost cost() const;
  /// Latency between two nodes at one switch.
  double shortest_path_s() const { return 2.0 * link_latency_s; }
  /// More processes than this need settings of SimGrid that change times: see config().
  static constexpr int most_ordinary_ranks = 1024;
  /// SimGrid's settings, as its command line takes them.
  std::vector<std::string> config() const;
  /// The nodes in the order of the ranks. Needs an engine without a platform.
  std::vector<::simgrid::s4u::Host*> build() const;
};

/// Operations per second of each node, so that combining a byte takes `cost().gamma_s_per_byte`.
inline constexpr double host_speed_flops = 1e9;

/// Runs `process(rank)` for each rank of the machine, all together, each an actor that is a process
/// of SimGrid's MPI, in simulated time. `settings`: more of SimGrid's, "KEY:VALUE", over those of
/// Machine::config(). Once in a process.
void run_on(const Machine& machine, const std::vector<std::string>& settings,
            const std::function<void(int rank)>& process);

/// Throws Error(argument) that says what there is.
Machine find_machine(const std::string& description);

}  // namespace pat::simulated
