// Recorded traces (core/trace.hpp), and what `pat trace show` and `pat predict` take from them.

#include "core/trace.hpp"

#include <sstream>

#include "collectives/call_name.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/study/describe.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    std::istringstream input(fuzz::text(data, size));
    for (const Trace& trace : by_place(parse_trace(input, "input"))) {
      parse_call_name(trace.region);
      if (trace.iterations() > 0) study::describe(trace, 10);
    }
  });
  return 0;
}
