#pragma once

// What is known of the methods without a simulation. Times are in the unit of d and c.

#include <optional>
#include <string>

#include "collectives/nonclairvoyant/draws.hpp"

namespace pat::nonclairvoyant {

/// Mean and variance of the time that a method takes.
struct Expectation {
  double mean = 0.0;
  double variance = 0.0;
};

/// All communications cost d and all computations c: ceil(log2 n) (c + d) for the binomial tree
/// (Benoit, Canon, Marchal 2013, Section 3.2).
double binomial_time(int processors, double d, double c);
/// d + (k - 1) max(d, c) + c for the Fibonacci tree of order k (Benoit, Canon, Marchal 2013,
/// Section 4); 0 for one processor.
double fibonacci_time(int processors, double d, double c);
/// The c / d from which on, up to d / c, the Fibonacci tree is ahead of the binomial one; nothing
/// if it never is.
std::optional<double> fibonacci_crossing(int processors);

/// Tree-dyn, n even, communications exponential with mean d, no computing: the closed forms of
/// Benoit, Canon, Marchal 2013, Section 5.
Expectation tree_dyn_closed_form(int processors, double d);

/// The ratio to the optimum which Benoit, Canon, Marchal 2013 proves (Theorems 1 to 5, its Table 1)
/// for communications from d to delta d and computations that all cost c.
double proven_ratio(const std::string& method, int processors, double delta, double d, double c);

/// What the method takes for costs of these laws, where that is known: constant costs on a static
/// tree, and exponential ones of a dynamic method where the chain is small.
std::optional<Expectation> expectation(const std::string& method, int processors,
                                       const CostLaw& communication, const CostLaw& computation);

}  // namespace pat::nonclairvoyant
