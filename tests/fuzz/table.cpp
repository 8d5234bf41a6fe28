// Tables that `pat trace import` reads.

#include "tools/trace/table.hpp"

#include <sstream>

#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    fuzz::Bytes bytes(data, size);
    const int skip_columns = bytes.upto(3);
    std::istringstream input(bytes.rest());
    const auto rows = parse_table(input, "input", skip_columns);
    for (const auto& row : rows) fuzz::require(row.size() == rows.front().size());
  });
  return 0;
}
