// Files of particles that helsim-mini saves and loads.

#include "apps/helsim-mini/saved_particles.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const helsim::Case setup = helsim::read_case(
      R"({"a": {"cells": [4, 4, 4], "length": [1, 1, 1], "species": [{}]}})", "input", "a");
  fuzz::read([&] {
    const auto saved =
        helsim::parse_particles(fuzz::text(data, size), setup, setup.grid.box(), "input");
    fuzz::require(saved.species.size() == setup.species.size());
  });
  return 0;
}
