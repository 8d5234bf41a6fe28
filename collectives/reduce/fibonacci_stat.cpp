// Fibonacci-stat: a tree of order k is one of order k-1 and one of order k-2 side by side; the
// value of the smaller travels while the larger combines its last.
// Cost (equal arrivals): d + (k-1) max(d, c) + c where combining leaves the ports free, else
//   k (d + c), with d = alpha + m beta, c = m gamma and k the smallest order with F(k+2) >= P,
//   F(1) = F(2) = 1; P processes, m bytes of the vector, alpha start-up time of a message, beta
//   transfer and gamma combining time per byte. k is about 1.44 log2 P, so it pays from c = d / 2
//   on. The order depends on P alone; what the costs decide is whether to take this tree.
// Source: seed 002 Sections 3.2 and 4, Figure 2(b). There the result comes out at rank 0; here the
//   larger tree is put on the side of the root, which then keeps the result and costs nothing, as
//   each of P places lies in the first or in the last F(k+1).

#include <utility>

#include "collectives/algorithm.hpp"
#include "collectives/reduce/range_tree.hpp"

namespace pat::algorithm_reduce_fibonacci_stat {
namespace {

reduce::Cut cut(int size, int keeper) {
  std::uint32_t order = 1;
  long long larger = 1, whole = 2;  // F(order + 1), F(order + 2)
  while (whole < size) {
    larger = std::exchange(whole, whole + larger);
    ++order;
  }
  const int most = static_cast<int>(larger);  // below size, as the order is the smallest
  return {.first = keeper < most ? most : size - most, .round = order - 1};
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return reduce::build_ranges(cut, problem);
}

}  // namespace

PAT_ALGORITHM(reduce, fibonacci_stat) {
  return {
      .operation = Operation::reduce,
      .name = "fibonacci-stat",
      .idea = "Fibonacci tree: values travel while others are combined",
      .cost = "d + (k-1) max(d, c) + c, overlapped; d = alpha + m beta, c = m gamma, F(k+2) >= P",
      .source = "seed 002, Section 3.2, Figure 2(b)",
      .build = build,
      .on_demand = true};
}

}  // namespace pat::algorithm_reduce_fibonacci_stat
