#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pat::detail {

/// What the leader tells all of very many processes goes to a few of them, who pass it on: each
/// message follows a list of those to whom its receiver passes it. So a process passes on also what
/// is about a communicator that it does not know yet. Ranks are those of the session. No MPI here.
struct PassDown {
  std::int32_t from = -1;  ///< who said it first; -1: nothing came, it is the sender
  std::vector<std::int32_t> below;
};

/// The receivers, dealt out to the first of at most `fan` shares of nearly equal length, in order.
/// `fan` is at least 1.
std::vector<std::vector<int>> shares_of(const std::vector<int>& to, int fan);

/// As messages of at most `limit` bytes each; the list is those of all of them together.
std::vector<std::vector<std::byte>> encode(const PassDown& list, std::size_t limit);

/// Adds what a message holds, in a session of so many ranks. Throws Error(internal) if it is none,
/// or names a rank that there is not.
void read_pass_down(const std::byte* message, std::size_t bytes, int ranks, PassDown& list);

}  // namespace pat::detail
