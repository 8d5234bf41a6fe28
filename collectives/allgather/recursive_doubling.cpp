// Recursive doubling: in each round pairs of ranks, twice as far apart as before, exchange all that
// they have.
// Cost (equal arrivals): log2 P alpha + (P - 1) n beta if P is a power of two, else at most
//   (floor(log2 P) + 3) alpha + (P + 2 Q - 2) n beta; P processes, Q the largest power of two in P,
//   n bytes of one block, alpha start-up time of a message, beta transfer time per byte.
// Layout: of the first 2 (P - Q) ranks each odd one leaves its block to the one before it and gets
//   the others' from there at the end. The Q that exchange then hold runs of blocks in rank order,
//   so every message is one run of the receive buffer; only the last, around the odd one's own
//   block, are two.
// Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication operations in
//   MPICH", Section 4.1; the ranks beyond the power of two as in its Section 4.5.

#include "collectives/algorithm.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_allgather_recursive_doubling {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, const allgather::Blocks& blocks, int rank, Program& program)
      : ranks_(problem.ranks),
        places_(ranks_),
        blocks_(blocks),
        rank_(rank),
        program_(program),
        joined_(program.join()),
        here_{program.copy(blocks.own(rank), blocks.run(rank, rank + 1), {joined_})} {}

  void build() {
    if (places_.is_guest(rank_)) return build_guest();
    if (places_.has_pair(rank_)) receive(rank_ + 1, rank_ + 1, rank_ + 2, 0);
    int round = 1;
    for (int bit = 1; bit < places_.count; bit *= 2) exchange(bit, round++);
    if (!places_.has_pair(rank_)) return;
    send(rank_ + 1, 0, rank_ + 1, round);
    send(rank_ + 1, rank_ + 2, ranks_, round);
  }

 private:
  void build_guest() {
    const int last_round = static_cast<int>(places_.doublings()) + 1;
    send(rank_ - 1, rank_, rank_ + 1, 0);
    receive(rank_ - 1, 0, rank_, last_round);
    receive(rank_ - 1, rank_ + 1, ranks_, last_round);
  }

  /// Blocks of as many places as `bit`, from a multiple of it on, for those beside them.
  void exchange(int bit, int round) {
    const int place = places_.of(rank_), mine = place & ~(bit - 1), theirs = mine ^ bit;
    const int peer = places_.rank(place ^ bit);
    send(peer, places_.rank(mine), places_.rank(mine + bit), round);
    receive(peer, places_.rank(theirs), places_.rank(theirs + bit), round);
  }

  void send(int peer, int first, int last, int round) {
    allgather::send(program_, peer, blocks_.run(first, last), here_, round);
  }
  void receive(int peer, int first, int last, int round) {
    here_.push_back(allgather::receive(program_, peer, blocks_.run(first, last), joined_, round));
  }

  const int ranks_;
  const Places places_;
  const allgather::Blocks& blocks_;
  const int rank_;
  Program& program_;
  const OpId joined_;
  OpIds here_;  // after these all is there that has come so far
};

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const allgather::Blocks blocks(problem);
  return build_ranks(problem, [&](int rank, Program& program) {
    Builder(problem, blocks, rank, program).build();
  });
}

}  // namespace

PAT_ALGORITHM(allgather, recursive_doubling) {
  return {
      .operation = Operation::allgather,
      .name = "recursive-doubling",
      .idea = "pairs of ranks, twice as far apart each round, exchange all that they have",
      .cost = "log2 P alpha + (P-1) n beta, P a power of two",
      .flat_s = [](const CostTerms& t) { return t.levels() * t.alpha + (t.P - 1) * t.n * t.beta; },
      .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.1",
      .build = build};
}

}  // namespace pat::algorithm_allgather_recursive_doubling
