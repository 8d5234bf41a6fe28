#pragma once

#include <vector>

namespace pat::allreduce {

/// One message of the second half of `straggler`, between places in the order of arrivals.
struct Transfer {
  int round = 0;
  int from = 0, to = 0;
  int part = 0;
  bool exchange = false;  ///< the last place and the owner `from` give each other what they have
};

/// How the `parts` come to all `places`: in round r the last place exchanges part r with its owner,
/// place r mod owners, and then both have it finished; all others pass on finished parts, each
/// place sending one and receiving one in a round at most. In a round the rarest parts go first,
/// to those who have least and among these to those whose exchange is far off. That takes a few
/// rounds more than the parts - 1 + ceil(log2 places) that are needed at least. In the order of the
/// rounds. Deterministic. Cost: O(parts^2 places).
std::vector<Transfer> spread_rounds(int places, int owners, int parts);

}  // namespace pat::allreduce
