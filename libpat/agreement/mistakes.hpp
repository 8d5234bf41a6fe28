#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  /// The first of a kind is said in the log for so many names of regions.
  static constexpr std::size_t most_said = 8;
  enum class Say : std::uint8_t { nothing, it, that_it_is_the_last };

  /// Counts one, and tells what there is to say of it. Beyond RegionSums::most_names names all
  /// others are one.
  Say add(std::string_view kind, const std::string& region, const std::string& sentence);
  std::vector<Mistake> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Mistake> mistakes_;
  std::map<std::string, std::size_t, std::less<>> names_;  ///< of regions, by kind
};

}  // namespace pat::detail
