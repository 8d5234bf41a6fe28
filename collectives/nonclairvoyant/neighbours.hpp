#pragma once

#include <memory>

#include "collectives/nonclairvoyant/method.hpp"

namespace pat::nonclairvoyant {

/// How idle processors that hold neighbouring values find each other.
struct NeighbourRules {
  /// A processor whose preferred neighbour is busy refuses the other for so long, as a share of
  /// what its own last operation took; 0: it takes whoever is free. Preferred is the neighbour with
  /// which the binomial tree would combine it first.
  double patience = 0.0;
  /// It is patient only while the operations that led to its value took alike: up to this
  /// coefficient of variation, of which each value brings what it needs along. 0: always.
  double patient_up_to_cv = 0.0;
  /// A value may be sent to a neighbour that still combines the one before.
  bool overlap = false;
};

/// A dynamic reduction that combines neighbouring values alone.
std::unique_ptr<Method> neighbour_method(int processors, const NeighbourRules& rules);

std::unique_ptr<Method> make_non_commut_tree_dyn(int processors);
std::unique_ptr<Method> make_non_commut_patient(int processors);
std::unique_ptr<Method> make_non_commut_overlap(int processors);
std::unique_ptr<Method> make_non_commut_tree_dyn_plus(int processors);

}  // namespace pat::nonclairvoyant
