#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pat::detail {

/// Why the calls of a stream went where they went. Reasons that differ in their numbers alone
/// (times, shares, ranks) count as one, of which the latest text is kept; so there are few, however
/// many calls there are. Not thread-safe.
class Reasons {
 public:
  struct Count {
    std::string latest;  ///< text with the numbers of the latest of these calls
    std::uint64_t calls = 0;
  };

  /// The next `calls` calls go by `reason`.
  void add(const std::string& reason, std::uint64_t calls);

  /// The last `calls` of those that were added last were not made: the rest of a lease.
  void take_back(std::uint64_t calls);

  /// The text that was added last; empty before the first.
  std::string latest() const;

  /// Most calls first, equal ones in the order of their texts.
  std::vector<Count> by_calls() const;

 private:
  std::map<std::string, Count> counts_;  // by the text without its numbers
  std::string last_;
};

}  // namespace pat::detail
