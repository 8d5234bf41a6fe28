#pragma once

#include <array>
#include <atomic>
#include <string>

#include "collectives/algorithm.hpp"
#include "core/config.hpp"
#include "libpat/agreement/signature.hpp"

namespace pat::detail {

/// The algorithms that the user forces, one an operation; null: auto. Every process makes the same
/// choice before the same collective. Thread-safe.
class Forced {
 public:
  /// Nothing was asked for: auto, and the library where a row says so (library_unasked).
  Forced();
  /// From PAT_ALG: "gather=bsls,reduce=auto", or a name for all operations: "mpi". Throws
  /// Error(config or argument).
  void parse(const std::string& pairs);
  /// Whether that changed anything.
  bool set(Operation operation, const Algorithm* algorithm);

  /// What runs in calls of this kind, see fit_for(); null: auto.
  const Algorithm* algorithm_for(const CallSignature& signature) const;
  /// Whether the user has said what.
  bool asked(Operation operation) const { return asked_[static_cast<std::size_t>(operation)]; }

 private:
  void set_everywhere(const std::string& name);

  std::array<std::atomic<const Algorithm*>, operation_count> algorithms_ = {};
  std::array<std::atomic<bool>, operation_count> asked_ = {};
};

}  // namespace pat::detail
