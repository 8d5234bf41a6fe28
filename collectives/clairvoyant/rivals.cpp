#include "collectives/clairvoyant/rivals.hpp"

#include <array>
#include <string>

#include "collectives/clairvoyant/generators.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::clairvoyant {
namespace {

template <HeapOperations (*heaps)(const Instance&, MessageList&, bool), bool skip_idle>
void generate(const Instance& instance, MessageList& out) {
  heaps(instance, out, skip_idle);
}

void linear_idle(const Instance& instance, MessageList& out) {
  linear_search(instance, out, false);
}

}  // namespace

std::span<const Generator> generators_with_rivals() {
  static constexpr std::array table = {
      Generator{"linear", "state matrix, linear search (seed 000, Listing 2)", linear},
      Generator{"pairing-heap", "a heap a segment, senders erased at once",
                generate<pairing_heap_erasing, true>},
      Generator{"pairing-heap-filter", "a heap a segment, senders dropped on extraction",
                generate<pairing_heap_filtering, true>},
      Generator{"segment-tree", "a tree of segment bits (seed 000, Listing 8)", segment_tree},
      Generator{"fast", "process bits by segment beside segment bits by process", fast},
  };
  return table;
}

std::span<const Generator> generators_with_idle_rounds() {
  static constexpr std::array table = {
      Generator{"linear-idle", "linear, every idle round played", linear_idle},
      Generator{"pairing-heap-idle", "pairing-heap, every idle round played",
                generate<pairing_heap_erasing, false>},
      Generator{"pairing-heap-filter-idle", "pairing-heap-filter, every idle round played",
                generate<pairing_heap_filtering, false>},
  };
  return table;
}

const Generator& get_generator(std::string_view wanted) {
  for (const auto table : {generators_with_rivals(), generators_with_idle_rounds()})
    for (const Generator& generator : table)
      if (generator.name == wanted) return generator;
  throw Error(ErrorKind::argument, "there is no generator named '" + std::string(wanted) +
                                       "', choose one of " +
                                       join(generators_with_rivals(), ", ", &Generator::name));
}

}  // namespace pat::clairvoyant
