// Circulant: every rank sends to the one a skip further on, another skip each round, and receives a
// segment that it lacks in every round but the first few, so that no port is ever idle.
// Cost (equal arrivals): (N - 1 + q)(alpha + m/N beta), the least that N segments can take through
//   one port; q = ceil(log2 P), P processes, m bytes of the vector, alpha start-up time of a
//   message, beta transfer time per byte. N = sqrt((q - 1) m beta / alpha) makes that least.
// Source: Traeff 2024, "Optimal Broadcast Schedules in Logarithmic Time" (arXiv 2407.18004).

#include <map>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/bcast/tree.hpp"
#include "collectives/cost/terms.hpp"
#include "collectives/patterns/circulant.hpp"
#include "collectives/patterns/power_of_two.hpp"

namespace pat::algorithm_bcast_circulant {
namespace {

int segments_of(const Problem& problem) {
  if (problem.segments > 0) return problem.segments;
  return bcast::segments_through(problem, ceil_log2(problem.ranks) - 1);
}

Tuning tune(const Problem& problem, const ArrivalPattern&) {
  return {.segments = segments_of(problem)};
}

class Builder {
 public:
  Builder(const Problem& problem, int segments, int rank, Program& program)
      : problem_(problem),
        segments_(segments),
        place_((rank - problem.root + problem.ranks) % problem.ranks),
        program_(program),
        here_(static_cast<std::size_t>(segments), program.join()),
        last_send_(here_[0]),
        last_receive_(here_[0]) {}

  void build() {
    const CirculantBroadcast plan(problem_.ranks, segments_);
    const std::vector<int> own = plan.received_by(place_);
    std::map<int, std::vector<int>> others;  // the q places that it sends to
    for (int round = 0; round < plan.rounds(); ++round) {
      const int next = plan.next(place_, round);
      std::vector<int>& theirs = others[next];
      if (theirs.empty()) theirs = plan.received_by(next);
      if (theirs[round] >= 0) send(next, theirs[round], round);
      if (own[round] >= 0) receive(plan.previous(place_, round), own[round], round);
    }
  }

 private:
  int rank(int place) const { return (place + problem_.root) % problem_.ranks; }
  Slice piece(int segment) const {
    const Buffer buffer = place_ == 0 ? Buffer::send : Buffer::recv;
    return part_of({buffer, 0, problem_.units}, segments_, segment);
  }

  void send(int place, int segment, int round) {
    if (piece(segment).length == 0) return;
    last_send_ = program_.send(rank(place), piece(segment), {here_[segment], last_send_},
                               static_cast<std::uint32_t>(round));
    program_.ops[last_send_].segment = static_cast<std::uint32_t>(segment);
  }

  /// One receive is open at a time: one that came too early would hold the port.
  void receive(int place, int segment, int round) {
    if (piece(segment).length == 0) return;
    here_[segment] = program_.recv(rank(place), piece(segment), {last_receive_},
                                   static_cast<std::uint32_t>(round));
    last_receive_ = here_[segment];
  }

  const Problem& problem_;
  const int segments_, place_;
  Program& program_;
  OpIds here_;  // by segment: what brought it
  OpId last_send_, last_receive_;
};

Schedule build(const Problem& problem, const ArrivalPattern&) {
  const int segments = segments_of(problem);
  return build_ranks(problem, [&](int rank, Program& program) {
    Builder(problem, segments, rank, program).build();
  });
}

}  // namespace

PAT_ALGORITHM(bcast, circulant) {
  return {.operation = Operation::bcast,
          .name = "circulant",
          .idea = "segments pass through a circulant graph in which no port is ever idle",
          .cost = "(N - 1 + ceil(log2 P))(alpha + m/N beta)",
          .flat_s =
              [](const CostTerms& t) {
                return (t.N - 1 + t.levels()) * (t.alpha + t.n / t.N * t.beta);
              },
          .source = "Traeff 2024 (arXiv 2407.18004)",
          .build = build,
          .tune = tune};
}

}  // namespace pat::algorithm_bcast_circulant
