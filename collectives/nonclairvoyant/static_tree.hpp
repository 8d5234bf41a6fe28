#pragma once

#include <memory>
#include <vector>

#include "collectives/nonclairvoyant/method.hpp"

namespace pat::nonclairvoyant {

/// Whether a processor may receive a value while it still combines the one before. Benoit, Canon,
/// Marchal 2013: a round of Binomial-stat begins when the one before is over (Section 3.2),
/// Fibonacci-stat sends during the last computation of the receiver.
enum class Overlap { no, yes };

/// Who sends to a processor, in the order in which it receives.
using Children = std::vector<std::vector<int>>;

/// Binomial-stat: in round k = 1, 2, ... processor i 2^k + 2^(k-1) sends to i 2^k.
Children binomial_children(int processors);

/// The least order of a Fibonacci schedule that holds so many processors: F(k+2) >= n. At least 0.
int fibonacci_order(int processors);

/// Fibonacci-stat: a schedule of order k is one of order k - 1, whose root then receives from that
/// of one of order k - 2; cut to the first processors.
Children fibonacci_children(int processors);

/// A method whose tree is known beforehand.
std::unique_ptr<Method> static_method(const Children& children, Overlap overlap);

std::unique_ptr<Method> make_binomial_stat(int processors);
std::unique_ptr<Method> make_fibonacci_stat(int processors);

}  // namespace pat::nonclairvoyant
