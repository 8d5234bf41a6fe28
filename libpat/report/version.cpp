#include "libpat/report/version.hpp"

#include "libpat/report/revision.hpp"  // made at every build

namespace pat::detail {

std::string version() {
  return PAT_VERSION;
}

std::string revision() {
  return PAT_REVISION;
}

}  // namespace pat::detail
