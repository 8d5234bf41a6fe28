#include "tools/tune/constants.hpp"

#include <link.h>

#include <cstddef>
#include <cstring>

namespace pat::tune {
namespace {

struct ConstantSearch {
  const std::string& beginning;
  std::vector<std::string> found = {};

  void look_in(const char* from, std::size_t bytes) {
    const char* const end = from + bytes;
    while (const void* hit = memmem(from, static_cast<std::size_t>(end - from), beginning.data(),
                                    beginning.size())) {
      const char* const text = static_cast<const char*>(hit);
      const void* const last = std::memchr(text, 0, static_cast<std::size_t>(end - text));
      if (last == nullptr) return;
      found.emplace_back(text, static_cast<const char*>(last));
      from = text + beginning.size();
    }
  }
};

/// For dl_iterate_phdr: searches what one library has loaded and may not write.
int look_in_object(dl_phdr_info* object, std::size_t, void* search) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_R) == 0 || (part.p_flags & PF_W) != 0)
      continue;
    const auto* const from = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    static_cast<ConstantSearch*>(search)->look_in(from, part.p_memsz);
  }
  return 0;
}

}  // namespace

std::vector<std::string> constants_with(const std::string& beginning) {
  ConstantSearch search{beginning};
  dl_iterate_phdr(look_in_object, &search);
  return search.found;
}

}  // namespace pat::tune
