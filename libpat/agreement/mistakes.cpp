#include "libpat/agreement/mistakes.hpp"

#include "libpat/agreement/region_sums.hpp"

namespace pat::detail {

Mistakes::Say Mistakes::add(std::string_view kind, const std::string& region,
                            const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  std::pair<std::string, std::string> key(kind, region);
  if (mistakes_.size() >= RegionSums::most_names && !mistakes_.contains(key))
    key.second = RegionSums::others;
  Mistake& mistake = mistakes_[key];
  if (++mistake.times > 1) return Say::nothing;
  mistake = {key.first, key.second, sentence, 1};
  const std::size_t names = ++names_[key.first];
  return names < most_said ? Say::it : names == most_said ? Say::that_it_is_the_last : Say::nothing;
}

std::vector<Mistake> Mistakes::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Mistake> list;
  for (const auto& [key, mistake] : mistakes_) list.push_back(mistake);
  return list;
}

}  // namespace pat::detail
