#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/problem.hpp"
#include "collectives/schedule.hpp"
#include "libpat/agreement/decision.hpp"

namespace pat::detail {

/// This rank's last program of a stream, kept by what determines it: the arrivals of a decision as
/// they are, or, where the algorithm can tell (Algorithm::key), what its schedule makes of them. An
/// unchanged pattern costs a comparison of its ticks. Not thread-safe. No MPI here.
class KeptProgram {
 public:
  /// The kept program if it was made for the same arrivals and settings, else null. `fresh`: the
  /// pattern to go by in place of the decision's, or null. `links`: Problem::link_slowdown.
  std::shared_ptr<const Program> find(const Decision& decision, const ArrivalPattern* fresh,
                                      const std::vector<double>& links = {}) const;

  /// The program of problem.only_rank, built unless the kept one is the same. Throws as
  /// build_schedule().
  std::shared_ptr<const Program> get(const Problem& problem, const Decision& decision,
                                     const ArrivalPattern* fresh);

  /// The kept program receives data that need not wait for the join.
  bool moves_early() const { return moves_early_; }
  /// How many programs were built.
  std::size_t built() const { return built_; }

 private:
  bool same_settings(const Decision& decision, const std::vector<double>& links) const;

  std::shared_ptr<const Program> program_;
  Decision decision_;
  std::optional<ArrivalPattern> fresh_;
  std::vector<std::uint32_t> key_;
  std::vector<double> links_;
  bool moves_early_ = false;
  std::size_t built_ = 0;
};

}  // namespace pat::detail
