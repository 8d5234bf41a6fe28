#include "collectives/clairvoyant/rivals.hpp"

#include <array>
#include <string>

#include "collectives/clairvoyant/generators.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::clairvoyant {

std::span<const Generator> generators_with_rivals() {
  static constexpr std::array table = {
      Generator{"linear", "state matrix, linear search (seed 000, Listing 2)", linear},
      Generator{"pairing-heap", "a heap a segment, senders erased at once", pairing_heap},
      Generator{"pairing-heap-filter", "a heap a segment, senders dropped on extraction",
                pairing_heap_filter},
      Generator{"segment-tree", "a tree of segment bits (seed 000, Listing 8)", segment_tree},
      Generator{"fast", "process bits by segment beside segment bits by process", fast},
  };
  return table;
}

const Generator& get_generator(std::string_view wanted) {
  for (const Generator& generator : generators_with_rivals())
    if (generator.name == wanted) return generator;
  throw Error(ErrorKind::argument, "there is no generator named '" + std::string(wanted) +
                                       "', choose one of " +
                                       join(generators_with_rivals(), ", ", &Generator::name));
}

}  // namespace pat::clairvoyant
