#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pat::detail {

/// What a program did wrong in saying how far it is, all that is alike.
struct Mistake {
  std::string kind;    ///< "edge outside a phase"
  std::string region;  ///< its name
  std::string first;   ///< the sentence about the first of them
  std::uint64_t times = 0;
};

/// The mistakes of one process, by kind and name of the region: programs ignore return codes, and
/// then nobody hears of them. Thread-safe.
class Mistakes {
 public:
  /// Counts one. True: it is the first of its kind in regions of that name.
  bool add(std::string_view kind, const std::string& region, const std::string& sentence);
  std::vector<Mistake> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Mistake> mistakes_;
};

}  // namespace pat::detail
