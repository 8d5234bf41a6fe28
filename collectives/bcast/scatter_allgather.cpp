// Scatter and allgather: a binomial tree scatters the P parts of the vector, then these travel
// around the ring of ranks; nobody is sent what the scatter has left there.
// Cost (equal arrivals): at most (ceil(log2 P) + P - 1) alpha + 2 (P-1)/P m beta; P processes, m
//   bytes of the vector, alpha start-up time of a message, beta transfer time per byte.
// Source: van de Geijn; Thakur, Rabenseifner, Gropp 2005, "Optimization of collective communication
//   operations in MPICH", Section 4.2; seed 003 (broadcast).

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/binomial.hpp"

namespace pat::algorithm_bcast_scatter_allgather {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, int rank, Program& program)
      : problem_(problem),
        ranks_(problem.ranks),
        place_((rank - problem.root + ranks_) % ranks_),
        program_(program),
        joined_(program.join()),
        here_(static_cast<std::size_t>(ranks_), joined_) {}

  void build() {
    if (place_ > 0) {
      const int parent = place_ & (place_ - 1);
      receive(parent, place_, place_ + held(place_), 0);
    }
    for (const int child : binomial::low_bit_children(place_, ranks_))
      send(child, child, child + held(child), 0);
    const int next = (place_ + 1) % ranks_, previous = (place_ - 1 + ranks_) % ranks_;
    for (int step = 0; step + 1 < ranks_; ++step) {
      const int out = (place_ - step + ranks_) % ranks_, in = (out - 1 + ranks_) % ranks_;
      const auto round = static_cast<std::uint32_t>(step + 1);
      if (!holds(next, out)) send(next, out, out + 1, round);
      if (!holds(place_, in)) receive(previous, in, in + 1, round);
    }
  }

 private:
  /// Parts that the scatter leaves at a place, from its own on.
  int held(int place) const {
    return place == 0 ? ranks_ : std::min(place & -place, ranks_ - place);
  }
  bool holds(int place, int part) const { return part >= place && part < place + held(place); }

  Slice parts(int first, int last) const {
    const Slice whole{place_ == 0 ? Buffer::send : Buffer::recv, 0, problem_.units};
    const Slice a = part_of(whole, ranks_, first), b = part_of(whole, ranks_, last - 1);
    return {whole.buffer, a.offset, b.offset + b.length - a.offset};
  }
  int rank(int place) const { return (place + problem_.root) % ranks_; }

  void send(int peer, int first, int last, std::uint32_t round) {
    const Slice source = parts(first, last);
    if (source.length == 0) return;
    OpIds after = {here_[first]};
    if (sent_) after.push_back(last_send_);
    last_send_ = program_.send(rank(peer), source, std::move(after), round);
    sent_ = true;
  }
  void receive(int peer, int first, int last, std::uint32_t round) {
    const Slice target = parts(first, last);
    if (target.length == 0) return;
    const OpId got = program_.recv(rank(peer), target, {joined_}, round);
    std::fill(here_.begin() + first, here_.begin() + last, got);
  }

  const Problem& problem_;
  const int ranks_, place_;
  Program& program_;
  const OpId joined_;
  OpIds here_;  // by part: what brought it
  OpId last_send_ = 0;
  bool sent_ = false;
};

Schedule build(const Problem& problem, const ArrivalPattern&) {
  return build_ranks(problem,
                     [&](int rank, Program& program) { Builder(problem, rank, program).build(); });
}

}  // namespace

PAT_ALGORITHM(bcast, scatter_allgather) {
  return {.operation = Operation::bcast,
          .name = "scatter-allgather",
          .idea = "a binomial tree scatters the vector, a ring puts it together everywhere",
          .cost = "(ceil(log2 P) + P-1) alpha + 2 (P-1)/P m beta",
          .flat_s =
              [](const CostTerms& t) {
                return (t.levels() + t.P - 1) * t.alpha + 2 * (t.P - 1) / t.P * t.n * t.beta;
              },
          .source = "Thakur, Rabenseifner, Gropp 2005, Section 4.2",
          .build = build};
}

}  // namespace pat::algorithm_bcast_scatter_allgather
