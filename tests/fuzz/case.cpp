// Input files of helsim-mini.

#include "apps/helsim-mini/case.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    const std::string text = fuzz::text(data, size);
    for (const std::string& name : helsim::case_names(text, "input"))
      fuzz::read([&] { fuzz::require(!helsim::read_case(text, "input", name).species.empty()); });
  });
  return 0;
}
