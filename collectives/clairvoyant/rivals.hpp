#pragma once

// Generators that are kept for comparison only; libpat does not link them.

#include <cstddef>
#include <span>
#include <string_view>

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

/// What was done to the heaps of one schedule, all segments together.
struct HeapOperations {
  std::size_t inserts = 0;
  std::size_t erases = 0;
};

/// A pairing heap of possible senders a segment. Who has sent leaves all heaps at once, or is
/// dropped when it comes to the top. `skip_idle` off plays idle rounds one by one, as the papers'
/// implementation does; the result is the same. Proficz, Ocetkiewicz 2020 Lemma 1: O(P N^2)
/// operations either way.
HeapOperations pairing_heap_erasing(const Instance& instance, MessageList& out, bool skip_idle);
HeapOperations pairing_heap_filtering(const Instance& instance, MessageList& out, bool skip_idle);

/// Every generator there is, the rivals among them: linear, pairing-heap, pairing-heap-filter,
/// segment-tree, fast.
std::span<const Generator> generators_with_rivals();

/// The slow ones as the papers had them, playing idle rounds one by one: linear-idle,
/// pairing-heap-idle, pairing-heap-filter-idle.
std::span<const Generator> generators_with_idle_rounds();

/// The one of that name, of both. Throws Error(argument) that lists the names.
const Generator& get_generator(std::string_view name);

}  // namespace pat::clairvoyant
