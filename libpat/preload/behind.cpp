#include "libpat/preload/behind.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <string_view>

namespace pat::detail {
namespace {

/// Where the linker says that this library begins and ends in memory.
extern "C" {
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

Dl_info module_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) info = {};
  return info;
}

std::string_view file_name(const Dl_info& module) {
  const std::string_view path = module.dli_fname != nullptr ? module.dli_fname : "";
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool is_own(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  return address >= reinterpret_cast<std::uintptr_t>(&__ehdr_start) &&
         address < reinterpret_cast<std::uintptr_t>(&_end);
}

bool is_the_librarys(const void* caller) {
  static const void* const library = module_of(next_function("PMPI_Init")).dli_fbase;
  const Dl_info module = module_of(caller);
  return module.dli_fbase != nullptr &&
         (module.dli_fbase == library || file_name(module).starts_with("mca_"));
}

void* next_function(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

void* tool_function(const char* mpi_name, const char* pmpi_name) {
  void* const next = next_function(mpi_name);
  const bool is_mpi = module_of(next).dli_fbase == module_of(next_function(pmpi_name)).dli_fbase;
  return is_mpi ? nullptr : next;
}

}  // namespace pat::detail
