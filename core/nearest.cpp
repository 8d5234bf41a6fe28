#include "core/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pat {
namespace {

/// How many letters must be changed, left out, put in or swapped with their neighbour.
std::size_t changes(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last, last, now(b.size() + 1);  // of beginnings of `a`
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, now);
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
  }
  return now[b.size()];
}

bool is_near(const std::string& a, const std::string& b, std::size_t apart) {
  const std::string &shorter = a.size() < b.size() ? a : b, &longer = &shorter == &a ? b : a;
  return apart <= longer.size() / 3 || (shorter.size() > 1 && longer.starts_with(shorter));
}

}  // namespace

std::string nearest(const std::string& wrong, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = 0;
  for (const std::string& name : names) {
    const std::size_t apart = changes(wrong, name);
    if (!is_near(wrong, name, apart) || (!best.empty() && apart >= least)) continue;
    best = name;
    least = apart;
  }
  return best;
}

std::string did_you_mean(const std::string& before, const std::string& wrong,
                         const std::vector<std::string>& names, const std::string& otherwise) {
  const std::string meant = nearest(wrong, names);
  return meant.empty() ? otherwise : "did you mean " + before + meant + "?";
}

}  // namespace pat
