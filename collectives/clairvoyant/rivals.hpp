#pragma once

// Generators that are kept for comparison only; libpat does not link them.

#include <span>
#include <string_view>

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

void pairing_heap(const Instance& instance, MessageList& out);
void pairing_heap_filter(const Instance& instance, MessageList& out);

/// Every generator there is, the rivals among them: linear, pairing-heap, pairing-heap-filter,
/// segment-tree, fast.
std::span<const Generator> generators_with_rivals();

/// The one of that name. Throws Error(argument) that lists the names.
const Generator& get_generator(std::string_view name);

}  // namespace pat::clairvoyant
