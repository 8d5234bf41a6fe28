#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pat {

/// What the linker left in a program of this kind of machine.
struct ElfProgram {
  bool is_elf = false, is_64_bit = true, is_dynamic = false;
  std::vector<std::string> libraries;  ///< that it needs, of long names the beginning
};

/// Of the whole file, whatever it is. What is damaged is left out.
ElfProgram read_elf_program(std::string_view file);

}  // namespace pat
