#include "libpat/report/site.hpp"

#include <cxxabi.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libpat/report/loaded_file.hpp"

#ifdef PAT_HAS_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
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
/// "solver::iterate" of its name in C++, without its arguments. (A C function's name may be that of
/// a type there: "f" of float.)
std::string readable(const char* function) {
  if (!std::string_view(function).starts_with("_Z")) return function;
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

struct Line {
  const char* file = nullptr;  ///< null: not known
  int number = 0;
  Dwarf_Addr first = 0;  ///< of the code that it stands for
  bool is_of_a_header() const { return std::string_view(file).starts_with("/usr/"); }
};

Line line_at(Dwfl_Module* module, Dwarf_Addr address) {
  Line found;
  if (Dwfl_Line* line = dwfl_module_getsrc(module, address))
    found.file = dwfl_lineinfo(line, &found.first, &found.number, nullptr, nullptr, nullptr);
  return found;
}

/// The innermost line of the program itself that calls what was built in at the address.
Line inlined_call_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  Dwarf_Files* files = nullptr;
  if (unit == nullptr || dwarf_getsrcfiles(unit, &files, nullptr) != 0) return {};
  using Scopes = std::unique_ptr<Dwarf_Die, void (*)(void*)>;
  Dwarf_Die *innermost = nullptr, *scopes = nullptr;
  if (dwarf_getscopes(unit, address - bias, &innermost) <= 0) return {};
  const Scopes where(innermost, std::free);  // behind a function that was built in, its class
  const int count = dwarf_getscopes_die(innermost, &scopes);
  const Scopes callers(scopes, std::free);
  for (int i = 0; i < count; ++i) {
    const auto number = [&](unsigned int name, Dwarf_Word& value) {
      Dwarf_Attribute attribute;
      return dwarf_formudata(dwarf_attr(&scopes[i], name, &attribute), &value) == 0;
    };
    Dwarf_Word file = 0, line = 0;
    if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine || !number(DW_AT_call_file, file) ||
        !number(DW_AT_call_line, line))
      continue;
    const Line call{dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line)};
    if (call.file != nullptr && !call.is_of_a_header()) return call;
  }
  return {};
}

/// Of a module's symbol table.
struct Function {
  GElf_Addr begin, end;
  const char* name;
  int binding;  ///< 0: global, 1: weak, 2: local
};

std::vector<Function> read_functions(Dwfl_Module* module) {
  std::vector<Function> all;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr begin = 0;
    const char* name =
        dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
    if (name == nullptr || *name == '\0' || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
        symbol.st_size == 0)
      continue;
    const int binding = GELF_ST_BIND(symbol.st_info);
    all.push_back({begin, begin + symbol.st_size, name,
                   binding == STB_GLOBAL ? 0
                   : binding == STB_WEAK ? 1
                                         : 2});
  }
  std::ranges::stable_sort(all, {},
                           [](const Function& one) { return std::pair(one.begin, one.binding); });
  return all;
}

std::map<Dwfl_Module*, std::vector<Function>>& functions() {
  static auto& of_modules = *new std::map<Dwfl_Module*, std::vector<Function>>;
  return of_modules;
}

/// The function at the address, as dwfl_module_addrname finds it, which looks at all symbols each
/// time. Null: not known.
const Function* function_at(Dwfl_Module* module, Dwarf_Addr address) {
  const auto [known, is_new] = functions().try_emplace(module);
  const std::vector<Function>& all = known->second;
  if (is_new) known->second = read_functions(module);
  const auto next = std::ranges::upper_bound(all, address, {}, &Function::begin);
  if (next == all.begin()) return nullptr;
  auto one =
      std::ranges::lower_bound(all.begin(), next, std::prev(next)->begin, {}, &Function::begin);
  while (one != next && address >= one->end) ++one;
  return one != next ? &*one : nullptr;
}

/// What stands in the program itself: code of the system's headers that was built into a function
/// counts to the line that calls it, or, where that is not told, to the line of this function
/// before it. If there is none it is the header's.
Line own_line_at(Dwfl_Module* module, Dwarf_Addr address) {
  const Line line = line_at(module, address);
  if (line.file == nullptr || !line.is_of_a_header()) return line;
  if (const Line call = inlined_call_at(module, address); call.file != nullptr) return call;
  const Function* function = function_at(module, address);
  if (function == nullptr) return line;
  Line before = line;
  while (before.file != nullptr && before.is_of_a_header() && before.first > function->begin)
    before = line_at(module, before.first - 1);
  return before.file != nullptr && !before.is_of_a_header() ? before : line;
}

/// /proc/self/maps without what is mapped for reading, as libdwfl does with the files themselves:
/// such a part beside a loaded one is taken for it.
std::string maps_of_loaded_files() {
  std::ifstream maps("/proc/self/maps");
  std::string loaded;
  for (std::string line; std::getline(maps, line);) {
    const std::uintptr_t begin = std::strtoull(line.c_str(), nullptr, 16);
    if (!file_loaded_at(reinterpret_cast<const void*>(begin)).path.empty()) loaded += line + "\n";
  }
  return loaded;
}

void report_loaded_files(Dwfl* all) {
  std::string maps = maps_of_loaded_files();
  FILE* const file = fmemopen(maps.data(), maps.size(), "r");
  if (file == nullptr) return;
  dwfl_linux_proc_maps_report(all, file);
  std::fclose(file);
}

/// Brings `all` up to date where the program has loaded or unloaded something since.
void report_modules(Dwfl* all) {
  static auto& reported = *new std::optional<std::uint64_t>;
  const std::uint64_t loads = loads_and_unloads();
  if (reported == loads) return;
  reported = loads;
  dwfl_report_begin(all);
  report_loaded_files(all);
  dwfl_report_end(
      all,
      [](Dwfl_Module* gone, void*, const char*, Dwarf_Addr, void*) -> int {
        functions().erase(gone);
        return DWARF_CB_OK;
      },
      nullptr);
}

/// Null: none is loaded there. (libdwfl gives what lies in a gap to the module before it.)
Dwfl_Module* module_around(Dwfl* all, Dwarf_Addr address) {
  report_modules(all);
  Dwfl_Module* module = dwfl_addrmodule(all, address);
  Dwarf_Addr begin = 0, end = 0;
  if (module == nullptr) return nullptr;
  dwfl_module_info(module, nullptr, &begin, &end, nullptr, nullptr, nullptr, nullptr);
  return begin <= address && address < end ? module : nullptr;
}

/// Where the address is, told to `tell` with its module, if it is known.
template <class Tell>
void with_line(std::uintptr_t address, const Tell& tell) {
  static std::mutex mutex;  // libdw is for one thread
  const std::lock_guard lock(mutex);
  Dwfl* all = modules();
  if (all == nullptr) return;
  Dwfl_Module* module = module_around(all, address);
  const Line line = module != nullptr ? own_line_at(module, address) : Line{};
  if (line.file != nullptr) tell(line, module);
}

/// "solver.c:81 (solve)"; empty: not known.
std::string line_of(std::uintptr_t address) {
  std::string text;
  with_line(address, [&](const Line& line, Dwfl_Module* module) {
    text = fmt::format("{}:{}", last_part(line.file), line.number);
    if (const Function* function = function_at(module, address))
      text += fmt::format(" ({})", readable(function->name));
  });
  return text;
}

bool is_line_of_a_header(std::uintptr_t address) {
  bool is_so = false;
  with_line(address, [&](const Line& line, Dwfl_Module*) { is_so = line.is_of_a_header(); });
  return is_so;
}
#else
bool is_line_of_a_header(std::uintptr_t) {
  return false;
}

std::string line_of(std::uintptr_t) {
  return "";
}
#endif

/// By file and offset.
std::string place_in_file(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller) - 1;  // inside the call itself
  const LoadedFile file = file_loaded_at(caller);
  return file.path.empty() ? "" : fmt::format("{}+{:#x}", file.name(), address - file.base);
}

}  // namespace

std::string place_of_site(const void* caller) {
  const std::string line = line_of(reinterpret_cast<std::uintptr_t>(caller) - 1);
  return !line.empty() ? line : place_in_file(caller);
}

bool is_in_a_system_header(const void* caller) {
  return is_line_of_a_header(reinterpret_cast<std::uintptr_t>(caller) - 1);
}

std::string name_of_site(const char* function, const void* caller, bool for_people) {
  const std::string place = for_people ? place_of_site(caller) : place_in_file(caller);
  return name_of(function) + (place.empty() ? "" : " at " + place);
}

}  // namespace pat::detail
