#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collectives/dynamic/protocol.hpp"

namespace pat::detail {

/// Which call a letter belongs to, the same on all ranks: its stream on the communicator, and its
/// number there.
struct CallKey {
  std::uint32_t stream = 0, call = 0;
  auto operator<=>(const CallKey&) const = default;
};

/// A letter as it travels: 16 bytes. On the wire a call is a number: its stream, and the last bits
/// of its own.
struct Letter {
  std::uint32_t call = 0;
  Note note;
};
static_assert(sizeof(Letter) == 16);

/// The letters that came to a process on one communicator, of any number of calls at once. Those of
/// calls that have not begun here are kept, those of calls that are over are dropped. Not
/// thread-safe. No MPI here.
class Letters {
 public:
  /// Calls of one stream that may be under way at once: a call begins only when the one so many
  /// before it is over, so that older letters are known to be late.
  static constexpr std::uint32_t calls_apart = 16;

  /// The letter that takes this note to another process's part of the call.
  static Letter letter(CallKey call, const Note& note) { return {name_of(call), note}; }

  /// A message of `from` came. Throws Error(internal) if it is no letter.
  void put(int from, const std::byte* message, std::size_t bytes);
  /// Letters of this call that have come, in the order in which each sender sent them.
  std::vector<std::pair<int, Note>> take(CallKey call);
  /// The call is over here: what still comes for it is dropped.
  void close(CallKey call);

 private:
  using Name = std::uint32_t;
  struct Closed {
    Name latest = 0;
    std::set<Name> last;  // those of the last calls_apart
  };

  static Name name_of(CallKey call);
  bool is_closed(Name call) const;

  std::map<Name, std::vector<std::pair<int, Note>>> waiting_;
  std::map<std::uint32_t, Closed> closed_;  // by stream
};

}  // namespace pat::detail
