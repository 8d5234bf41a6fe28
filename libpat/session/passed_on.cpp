#include "libpat/session/passed_on.hpp"

#include <algorithm>
#include <mutex>

#include "core/seconds.hpp"

namespace pat::detail {
namespace {

std::mutex list_mutex;
std::vector<const PassedOn*>& list() {
  static auto& functions = *new std::vector<const PassedOn*>;
  return functions;
}

}  // namespace

PassedOn::PassedOn(const char* function) : function_(function) {
  const std::lock_guard lock(list_mutex);
  list().push_back(this);
}

std::vector<PassedOn::Count> PassedOn::all() {
  const std::lock_guard lock(list_mutex);
  std::vector<Count> counts;
  for (const PassedOn* one : list())
    if (one->calls_ > 0) counts.push_back({one->function_, one->calls_, seconds(one->ns_)});
  std::sort(counts.begin(), counts.end(),
            [](const Count& a, const Count& b) { return a.function < b.function; });
  return counts;
}

}  // namespace pat::detail
