#include "libpat/agreement/report_tree.hpp"

#include <cstring>
#include <string>

#include "core/errors.hpp"

namespace pat::detail {

std::vector<ForwardedReport> read_reports(const std::byte* message, std::size_t bytes, int ranks) {
  if (bytes == 0 || bytes % sizeof(ForwardedReport) != 0)
    throw Error(ErrorKind::internal, "a message of " + std::to_string(bytes) +
                                         " bytes holds no reports, run the same PAT everywhere");
  std::vector<ForwardedReport> reports(bytes / sizeof(ForwardedReport));
  std::memcpy(reports.data(), message, bytes);
  for (const ForwardedReport& one : reports)
    if (one.from < 0 || one.from >= ranks)
      throw Error(ErrorKind::internal, "a report of rank " + std::to_string(one.from) +
                                           " came, there are " + std::to_string(ranks) +
                                           ", run the same PAT everywhere");
  return reports;
}

}  // namespace pat::detail
