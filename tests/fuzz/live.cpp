// The state of a process, as it comes from its socket (core/live_state.hpp).

#include "core/live_state.hpp"

#include <string>

#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::read([&] {
    const LiveState state = read_live_state(text);
    fuzz::require(state.rank >= 0 && state.rank < state.ranks);
    for (const LiveState::Foretold& one : state.foretold)
      fuzz::require(one.offset_s.size() == one.ranks.size() &&
                    one.half_width_s.size() == one.ranks.size());
    const std::string again = text_of(state);
    fuzz::require(text_of(read_live_state(again)) == again);
  });
  return 0;
}
