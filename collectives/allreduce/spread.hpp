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

/// How `owners` parts, each with the place of its number, come to all `places`: in round r the last
/// place exchanges part r with its owner, and then both have it finished; all others pass on
/// finished parts, each place sending one and receiving one in a round at most. In a round the
/// rarest parts go first, to those who have least. In the order of the rounds. Deterministic.
/// Cost: O(owners^2 places).
std::vector<Transfer> spread_rounds(int places, int owners);

}  // namespace pat::allreduce
