#include "libpat/report/loaded_file.hpp"

#include <errno.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <span>

namespace pat::detail {
namespace {

struct FileSearch {
  std::uintptr_t address = 0;
  LoadedFile found;
};

int look_at(dl_phdr_info* one, std::size_t, void* data) {
  FileSearch& search = *static_cast<FileSearch*>(data);
  const std::span parts(one->dlpi_phdr, one->dlpi_phnum);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = [&](const ElfW(Phdr) & part) {
    return (one->dlpi_addr + part.p_vaddr) & ~(page - 1);
  };
  const auto is_around = [&](const ElfW(Phdr) & part) {
    return part.p_type == PT_LOAD && search.address >= begin(part) &&
           search.address < one->dlpi_addr + part.p_vaddr + part.p_memsz;
  };
  if (std::ranges::none_of(parts, is_around)) return 0;
  const auto first =
      std::ranges::find(parts, ElfW(Word){PT_LOAD}, [](const auto& part) { return part.p_type; });
  const bool is_program = *one->dlpi_name == '\0';
  search.found = {is_program ? program_invocation_name : one->dlpi_name, begin(*first), is_program};
  return 1;
}

}  // namespace

LoadedFile file_loaded_at(const void* address) {
  FileSearch search{.address = reinterpret_cast<std::uintptr_t>(address), .found = {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

std::uint64_t loads_and_unloads() {
  std::uint64_t sum = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* one, std::size_t, void* data) {
        *static_cast<std::uint64_t*>(data) = one->dlpi_adds + one->dlpi_subs;
        return 1;
      },
      &sum);
  return sum;
}

}  // namespace pat::detail
