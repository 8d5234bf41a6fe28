// Bruck: a block that goes j places on travels by the powers of two in j: in round k each rank
// sends all blocks with bit k in the way that they have to go, as one message, 2^k places on. Cost
// (equal arrivals): about ceil(log2 P) (alpha + P/2 n beta) and as many copies; P processes,
//   n bytes of one block, alpha start-up time of a message, beta transfer time per byte.
// Layout: what a round sends is copied side by side into one run of scratch, and what it receives
//   stays in a run of its own until it goes on or home. So blocks have one length.
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997, "Efficient algorithms for all-to-all
//   communications in multiport message-passing systems"; Thakur, Rabenseifner, Gropp 2005,
//   Section 4.3.

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"

namespace pat::algorithm_alltoall_bruck {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, int rank, Program& program)
      : ranks_(problem.ranks), rank_(rank), units_(problem.units), program_(program) {
    const OpId joined = program.join();
    for (int way = 0; way < ranks_; ++way)
      held_.push_back({block(Buffer::send, (rank + way) % ranks_), joined});
    sent_ = {joined};
  }

  void build() {
    if (units_ == 0) return;
    for (int bit = 1, round = 0; bit < ranks_; bit *= 2) exchange(bit, round++);
    for (int way = 0; way < ranks_; ++way)
      program_.copy(held_[way].slice, block(Buffer::recv, (rank_ - way + ranks_) % ranks_),
                    {held_[way].by});
  }

 private:
  /// The block that has `way` places to go in all, as far as it has come.
  struct Held {
    Slice slice;
    OpId by;  // the operation that put it there
  };

  Slice block(Buffer buffer, int index) const {
    return {buffer, units_ * static_cast<std::size_t>(index), units_};
  }
  Slice part(const Slice& run, std::size_t index) const {
    return {run.buffer, run.offset + units_ * index, units_};
  }

  void exchange(int bit, int round) {
    std::vector<int> ways;
    for (int way = bit; way < ranks_; ++way)
      if (way & bit) ways.push_back(way);
    const Slice going = reserve(ways.size()), coming = program_.scratch(units_ * ways.size());
    OpIds packed;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      OpIds after = sent_;
      after.push_back(held_[ways[i]].by);
      packed.push_back(program_.copy(held_[ways[i]].slice, part(going, i), after,
                                     static_cast<std::uint32_t>(round)));
    }
    const OpId got = program_.recv((rank_ - bit + ranks_) % ranks_, coming, {packed.front()},
                                   static_cast<std::uint32_t>(round));
    sent_ = {
        program_.send((rank_ + bit) % ranks_, going, packed, static_cast<std::uint32_t>(round))};
    for (std::size_t i = 0; i < ways.size(); ++i) held_[ways[i]] = {part(coming, i), got};
  }

  /// The run that messages leave from, the same in all rounds.
  Slice reserve(std::size_t blocks) {
    if (going_.length < units_ * blocks) going_ = program_.scratch(units_ * blocks);
    return {going_.buffer, going_.offset, units_ * blocks};
  }

  const int ranks_, rank_;
  const std::size_t units_;
  Program& program_;
  std::vector<Held> held_;
  Slice going_;
  OpIds sent_;  // after it the run for messages is free
};

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { Builder(problem, rank, program).build(); });
}

}  // namespace

PAT_ALGORITHM(alltoall, bruck) {
  return {
      .operation = Operation::alltoall,
      .name = "bruck",
      .idea = "blocks travel by the powers of two in their way, many in one message",
      .cost = "ceil(log2 P)(alpha + P/2 n beta)",
      .flat_s = [](const CostTerms& t) { return t.levels() * (t.alpha + t.P / 2 * t.n * t.beta); },
      .source = "Bruck et al. 1997; Thakur, Rabenseifner, Gropp 2005, Section 4.3",
      .build = build,
      .needs_all_counts = true};
}

}  // namespace pat::algorithm_alltoall_bruck
