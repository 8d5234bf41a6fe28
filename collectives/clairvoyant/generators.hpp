#pragma once

#include <string_view>
#include <vector>

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

/// Linear search in a state matrix. `skip_idle` off plays idle rounds one by one, as the papers'
/// pseudo-code does; the result is the same.
void linear_search(const Instance& instance, MessageList& out, bool skip_idle);
void linear(const Instance& instance, MessageList& out);

/// Listing 8 of Proficz, Ocetkiewicz 2020, made exact: see segment_tree.cpp.
void segment_tree(const Instance& instance, MessageList& out);

/// The generator that is used: see fast.cpp.
void fast(const Instance& instance, MessageList& out);

/// Names of the instruction sets that segment_tree and fast are built for and that this processor
/// has, the best first; "generic" is always the last. Both use the first unless use_isa() has been
/// called with another (tests and benchmarks only; not thread-safe).
std::vector<std::string_view> isas();
void use_isa(std::string_view isa);

}  // namespace pat::clairvoyant
