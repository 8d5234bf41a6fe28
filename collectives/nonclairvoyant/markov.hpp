#pragma once

// First-step analysis of the dynamic methods where all costs are exponential (Benoit, Canon,
// Marchal 2013, Section 5): what is under way is all that matters then. It covers what the closed
// form does not: computing, odd n, values that have an order.

#include "collectives/nonclairvoyant/theory.hpp"

namespace pat::nonclairvoyant {

/// Tree-dyn; c = 0: computing costs nothing. O(n^2) states.
Expectation tree_dyn_chain(int processors, double d, double c);

/// Most processors that non_commut_chain() takes: its states grow as 2.6^n.
constexpr int most_in_non_commut_chain = 14;

/// Non-commut-tree-dyn. Throws Error(argument) beyond most_in_non_commut_chain.
Expectation non_commut_chain(int processors, double d, double c);

}  // namespace pat::nonclairvoyant
