// Results of `pat bench --format json --samples`, of which regret_table makes a table.

#include <sstream>

#include "bench/regret/cell.hpp"
#include "bench/regret/row.hpp"
#include "bench/regret/table.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text(data, size);
  fuzz::read([&] {
    std::vector<regret::Row> rows;
    for (const regret::Cell& cell : regret::parse_cells(text, "input", "network"))
      rows.push_back(regret::evaluate(cell, 1, {}));
    std::ostringstream out;
    regret::write_text(rows, {}, out);
    regret::write_csv(rows, {}, out);
  });
  return 0;
}
