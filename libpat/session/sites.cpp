#include "libpat/session/sites.hpp"

#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pat::detail {
namespace {

struct Sites {
  std::mutex mutex;
  std::map<std::pair<const void*, const char*>, std::uint16_t> numbers;
  std::vector<std::string> names;  ///< of number 1 first
};

/// Never destroyed: threads that the program left behind may call to the very end.
Sites& sites() {
  static auto& all = *new Sites;
  return all;
}

}  // namespace

std::uint16_t number_of_site(const char* function, const void* caller,
                             const std::function<std::string()>& name) {
  Sites& all = sites();
  const std::lock_guard lock(all.mutex);
  const auto [found, is_new] = all.numbers.try_emplace({caller, function}, 0);
  if (is_new && all.names.size() < std::numeric_limits<std::uint16_t>::max()) {
    all.names.push_back(name());
    found->second = static_cast<std::uint16_t>(all.names.size());
  }
  return found->second;
}

std::string name_of_site(std::uint16_t number) {
  Sites& all = sites();
  const std::lock_guard lock(all.mutex);
  return all.names.at(number - 1U);
}

}  // namespace pat::detail
