#include "libpat/preload/same_mpi.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/launcher.hpp"
#include "libpat/mpi/built_with.hpp"
#include "libpat/preload/behind.hpp"
#include "libpat/preload/say.hpp"

namespace pat::detail {
namespace {

std::string running_mpi() {
  std::array<char, 16384> text{};  // more than any library's MPI_MAX_LIBRARY_VERSION_STRING
  int length = 0;
  using Function = int (*)(char*, int*);
  const auto version = reinterpret_cast<Function>(next_function("PMPI_Get_library_version"));
  if (version != nullptr) version(text.data(), &length);
  return text.data();
}

#ifdef PAT_MPI_ABI
/// A library that is used by its own interface says -1; one without the ABI lacks the function.
bool fits(const std::string&) {
  int major = -1, minor = -1;
  using Function = int (*)(int*, int*);
  const auto version = reinterpret_cast<Function>(next_function("PMPI_Abi_get_version"));
  if (version != nullptr) version(&major, &minor);
  return major == PAT_MPI_ABI;
}
#else
bool fits(const std::string& running) {
  return running.starts_with(built_with);
}
#endif

}  // namespace

bool is_other_mpi() {
  const std::string running = running_mpi();
  if (fits(running)) return false;
  const auto end = std::min(running.find(" Version"), running.find_first_of(",:\n\t"));
  if (is_first_launched())
    say(
        fmt::format("PAT is off: its library was built with {} and this program runs with {}, "
                    "build PAT with that",
                    built_with, running.substr(0, end)));
  return true;
}

}  // namespace pat::detail
