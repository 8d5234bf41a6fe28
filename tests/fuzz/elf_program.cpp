// Programs, as `pat run` looks at what it is about to start.

#include "tools/run/elf_program.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ElfProgram program = read_elf_program({reinterpret_cast<const char*>(data), size});
  std::size_t held = 0;
  for (const std::string& library : program.libraries) {
    fuzz::require(library.find('\0') == std::string::npos);
    held += library.size();
  }
  fuzz::require(program.is_elf || !program.is_dynamic);
  fuzz::require(held <= 16 * size);  // an entry of 16 bytes names 255 at most
  return 0;
}
