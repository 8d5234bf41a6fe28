#include "libpat/agreement/mistakes.hpp"

namespace pat::detail {

bool Mistakes::add(std::string_view kind, const std::string& region, const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  Mistake& mistake = mistakes_[{std::string(kind), region}];
  if (++mistake.times > 1) return false;
  mistake.kind = kind;
  mistake.region = region;
  mistake.first = sentence;
  return true;
}

std::vector<Mistake> Mistakes::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Mistake> list;
  for (const auto& [key, mistake] : mistakes_) list.push_back(mistake);
  return list;
}

}  // namespace pat::detail
