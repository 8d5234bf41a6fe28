#include "libpat/mpi/likely_limits.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/units.hpp"

namespace pat::detail {

std::vector<std::size_t> likely_eager_limits() {
  std::vector<std::size_t> limits;
#ifdef OPEN_MPI
  constexpr std::pair<const char*, std::size_t> ways[] = {{"vader", 4096}, {"tcp", 65536}};
  for (const auto& [way, usual] : ways) {
    const std::string name = std::string("OMPI_MCA_btl_") + way + "_eager_limit";
    const char* const set = std::getenv(name.c_str());
    limits.push_back(set == nullptr ? usual : parse_bytes(set).value_or(usual));
  }
#endif
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

}  // namespace pat::detail
