#include "libpat/preload/behind.hpp"

#include <dlfcn.h>

#include <cstdint>

#include "libpat/report/loaded_file.hpp"

namespace pat::detail {
namespace {

/// Where the linker says that this library begins and ends in memory.
extern "C" {
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

std::uintptr_t base_of(const void* address) {
  return file_loaded_at(address).base;
}

}  // namespace

bool is_own(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  return address >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) &&
         address < reinterpret_cast<std::uintptr_t>(&_end);
}

bool is_the_librarys(const void* caller) {
  static const std::uintptr_t library = base_of(next_function("PMPI_Init"));
  const LoadedFile file = file_loaded_at(caller);
  if (file.path.empty() || file.is_program) return false;
  return file.base == library || file.name().starts_with("mca_");
}

void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

void* tool_function(const char* mpi_name, const char* pmpi_name) {
  void* const next = next_function(mpi_name);
  return base_of(next) == base_of(next_function(pmpi_name)) ? nullptr : next;
}

}  // namespace pat::detail
