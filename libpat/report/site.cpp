#include "libpat/report/site.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>

#ifdef PAT_HAS_LIBDW
#include <elfutils/libdwfl.h>
#endif

namespace pat::detail {
namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// "MPI_Gather": "gather".
std::string name_of(std::string_view function) {
  std::string name(function.substr(function.find('_') + 1));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

#ifdef PAT_HAS_LIBDW
/// "solver::iterate" of its name in C++, without its arguments.
std::string readable(const char* function) {
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(function, nullptr, nullptr, nullptr), std::free);
  std::string name = plain ? plain.get() : function;
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(nameless)) != std::string::npos;)
    name.erase(at, nameless.size());
  return name.substr(0, name.find('('));
}

/// What is not in the program's own files may be anywhere, also behind a network.
int look_no_further(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                    GElf_Word, char**) {
  return -1;
}

/// The modules of this process with their debug information, each read when it is first asked for.
Dwfl* modules() {
  static Dwfl* const all = [] {
    static Dwfl_Callbacks callbacks{dwfl_linux_proc_find_elf, look_no_further, nullptr, nullptr};
    return dwfl_begin(&callbacks);
  }();
  return all;
}

/// "solver.c:81"; empty: not known.
std::string line_of(std::uintptr_t address) {
  static std::mutex mutex;  // libdw is for one thread
  const std::lock_guard lock(mutex);
  Dwfl* all = modules();
  if (all == nullptr) return "";
  if (dwfl_addrmodule(all, address) == nullptr) {  // the program may have loaded more since
    dwfl_report_begin_add(all);
    dwfl_linux_proc_report(all, getpid());
    dwfl_report_end(all, nullptr, nullptr);
  }
  Dwfl_Module* module = dwfl_addrmodule(all, address);
  Dwfl_Line* line = module != nullptr ? dwfl_module_getsrc(module, address) : nullptr;
  int number = 0;
  const char* file =
      line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
  if (file == nullptr) return "";
  const char* function = dwfl_module_addrname(module, address);
  std::string text = fmt::format("{}:{}", last_part(file), number);
  if (function != nullptr) text += fmt::format(" ({})", readable(function));
  return text;
}
#else
std::string line_of(std::uintptr_t) {
  return "";
}
#endif

/// By file and offset.
std::string place_in_file(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller) - 1;  // inside the call itself
  Dl_info module{};
  if (dladdr(caller, &module) == 0 || module.dli_fname == nullptr) return "";
  return fmt::format("{}+{:#x}", last_part(module.dli_fname),
                     address - reinterpret_cast<std::uintptr_t>(module.dli_fbase));
}

}  // namespace

std::string place_of_site(const void* caller) {
  const std::string line = line_of(reinterpret_cast<std::uintptr_t>(caller) - 1);
  return !line.empty() ? line : place_in_file(caller);
}

std::string name_of_site(const char* function, const void* caller, bool for_people) {
  const std::string place = for_people ? place_of_site(caller) : place_in_file(caller);
  return name_of(function) + (place.empty() ? "" : " at " + place);
}

}  // namespace pat::detail
