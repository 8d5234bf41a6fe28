// Journals of processes (core/journal.hpp): two of a session, parted by an empty line.

#include "core/journal.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    const std::string text = fuzz::text(data, size);
    const std::size_t middle = text.find("\n\n");
    JournalJoin join("input");
    join.add(text.substr(0, middle == std::string::npos ? middle : middle + 1));
    if (middle != std::string::npos) join.add(text.substr(middle + 2));
    for (const Trace& trace : join.result().traces)
      fuzz::require(trace.iterations() > 0 && trace.arrival_s.size() == trace.computing_s.size());
  });
  return 0;
}
