// Recursive halving: ranks half of all apart exchange halves of the vector and combine them, then
// quarters at half that distance, until each has its block.
// Cost (equal arrivals): log2(P) alpha + (P-1) n (beta + gamma), P a power of two; P processes, n
//   bytes of one block, alpha start-up time of a message, beta transfer and gamma combining time
//   per byte. Otherwise alpha + P n (beta + gamma) + alpha + n beta more, and 2^floor(log2 P)
//   blocks of up to 2 n for P of n: of the first ranks each odd one gives its vector to the one
//   before it and gets its block from there.
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.4.

#include <bit>

#include "collectives/algorithm.hpp"
#include "collectives/allreduce/vector.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"
#include "collectives/reduce_scatter/bounds.hpp"

namespace pat::algorithm_reduce_scatter_recursive_halving {
namespace {

using reduce::Parts;
using reduce::Side;

/// The blocks that places first .. last-1 speak for.
Parts blocks_of(const Places& places, int first, int last) {
  return {places.rank(first), places.rank(last)};
}

/// Leaves the blocks that the place speaks for combined.
void halve(allreduce::Vector& vector, const Places& places, int place) {
  int first = 0;
  std::uint32_t round = 1;
  for (int half = places.count / 2; half > 0; half /= 2, ++round) {
    const int middle = first + half, last = middle + half;
    const bool upper = place >= middle;
    const Parts low = blocks_of(places, first, middle), high = blocks_of(places, middle, last);
    const int peer = places.rank(place ^ half);
    vector.send(peer, upper ? low : high, round);
    vector.combine(peer, upper ? high : low, Side::either, round);
    if (upper) first = middle;
  }
}

void build_rank(const Problem& problem, int rank, Program& program) {
  const Places places(problem.ranks);
  const Parts own{rank, rank + 1};
  allreduce::Vector vector(problem, program, reduce_scatter::block_bounds(problem));
  const std::uint32_t last_round = places.doublings() + 1;
  if (places.is_guest(rank)) {
    vector.send(rank - 1, vector.all(), 0);
    vector.receive(rank - 1, own, last_round);
  } else {
    const bool has_guest = places.has_pair(rank);
    if (has_guest) vector.combine(rank + 1, vector.all(), Side::either, 0);
    halve(vector, places, places.of(rank));
    if (has_guest) vector.send(rank + 1, {rank + 1, rank + 2}, last_round);
  }
  vector.hand_over(own);
}

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { build_rank(problem, rank, program); });
}

double flat_s(const CostTerms& t) {
  const double byte_s = t.beta + t.gamma;
  if (std::has_single_bit(static_cast<unsigned>(t.problem.ranks)))
    return t.levels() * t.alpha + (t.P - 1) * t.n * byte_s;
  return (t.levels() + 1) * t.alpha + (2 * t.P - 1) * t.n * byte_s + t.n * t.beta;
}

}  // namespace

PAT_ALGORITHM(reduce_scatter, recursive_halving) {
  return {
      .operation = Operation::reduce_scatter,
      .name = "recursive-halving",
      .idea = "pairs, half as far apart each round, exchange and combine halves of what is left",
      .cost = "log2(P) alpha + (P-1) n (beta + gamma), P a power of two",
      .flat_s = flat_s,
      .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.4",
      .build = build,
      .needs_commutative = true};
}

}  // namespace pat::algorithm_reduce_scatter_recursive_halving
