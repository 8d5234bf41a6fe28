#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "collectives/cost/simulate.hpp"
#include "collectives/problem.hpp"

namespace pat {

/// The symbols of the algorithms' cost formulas (Algorithm::cost): P processes, n bytes of one
/// block, or m of the vector, in N segments; alpha, beta and gamma of the links.
struct CostTerms {
  CostTerms(const Problem& p, const CostModel& model)
      : problem(p),
        P(p.ranks),
        n(p.counts.empty() ? static_cast<double>(p.units * p.unit_bytes)
                           : static_cast<double>(p.total() * p.unit_bytes) / p.ranks),
        N(std::max(1, p.segments)),
        alpha(model.alpha_s),
        beta(model.beta_s_per_byte),
        gamma(model.gamma_s_per_byte) {}

  const Problem& problem;
  double P, n, N, alpha, beta, gamma;

  /// ceil(log2 P)
  double levels() const {
    return std::bit_width(static_cast<unsigned>(std::max(1, problem.ranks) - 1));
  }
  /// ceil(log_k P), k > 1
  double levels(int k) const {
    int levels = 0;
    for (std::int64_t reached = 1; reached < problem.ranks; reached *= k) ++levels;
    return levels;
  }
  /// (P-1)/P m (2 beta + gamma): what a reduce-scatter and a gather or allgather move and combine.
  double scattered() const { return (P - 1) / P * n * (2 * beta + gamma); }
  /// alpha + (P-1)(alpha + n beta), and alpha more for each where one leaf at a time may send:
  /// nobody has a go-ahead while a block travels.
  double paced_star_s() const {
    return alpha + (P - 1) * ((problem.window == 1 ? 2 : 1) * alpha + n * beta);
  }
  /// (P + N - 2)(alpha + n/N (beta + gamma)): segments that are combined on their way along a chain
  /// of all ranks.
  double combining_chain_s() const {
    const double segments = segments_or_best(P - 2, true);
    return (P + segments - 2) * (alpha + n / segments * (beta + gamma));
  }
  /// The problem's segments, or as many as make hops passes through a pipeline take least time on
  /// links as they are planned with: sqrt(hops m (beta + gamma) / alpha).
  double segments_or_best(double hops, bool combines) const {
    if (problem.segments > 0) return problem.segments;
    const LinkCost& cost = problem.cost;
    const double per_byte = cost.beta_s_per_byte + (combines ? cost.gamma_s_per_byte : 0.0);
    return std::max(1.0,
                    std::sqrt(std::max(0.0, hops) * n * per_byte / std::max(cost.alpha_s, 1e-12)));
  }
};

}  // namespace pat
