#include "libpat/agreement/pass_down.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/errors.hpp"

namespace pat::detail {

std::vector<std::vector<int>> shares_of(const std::vector<int>& to, int fan) {
  const std::size_t shares = std::min(to.size(), static_cast<std::size_t>(fan));
  std::vector<std::vector<int>> dealt;
  for (std::size_t i = 0; i < shares; ++i) {
    const auto begin = to.begin() + static_cast<std::ptrdiff_t>(to.size() * i / shares);
    const auto end = to.begin() + static_cast<std::ptrdiff_t>(to.size() * (i + 1) / shares);
    dealt.emplace_back(begin, end);
  }
  return dealt;
}

std::vector<std::vector<std::byte>> encode(const PassDown& list, std::size_t limit) {
  const std::size_t room = limit / sizeof(std::int32_t) - 1;
  std::vector<std::vector<std::byte>> messages;
  std::size_t begin = 0;
  do {  // at least one, of an empty list
    const std::size_t here = std::min(room, list.below.size() - begin);
    std::vector<std::byte> message((1 + here) * sizeof(std::int32_t));
    std::memcpy(message.data(), &list.from, sizeof list.from);
    if (here > 0)
      std::memcpy(message.data() + sizeof list.from, &list.below[begin],
                  here * sizeof(std::int32_t));
    messages.push_back(std::move(message));
    begin += here;
  } while (begin < list.below.size());
  return messages;
}

void read_pass_down(const std::byte* message, std::size_t bytes, int ranks, PassDown& list) {
  const std::size_t count = bytes / sizeof(std::int32_t);
  if (count == 0 || bytes % sizeof(std::int32_t) != 0)
    throw Error(ErrorKind::internal, "a message of " + std::to_string(bytes) +
                                         " bytes says nothing of whom to tell, run the same PAT "
                                         "everywhere");
  std::vector<std::int32_t> named(count);
  std::memcpy(named.data(), message, bytes);
  for (const std::int32_t rank : named)
    if (rank < 0 || rank >= ranks)
      throw Error(ErrorKind::internal, "rank " + std::to_string(rank) +
                                           " is to be told something, there are " +
                                           std::to_string(ranks) + ", run the same PAT everywhere");
  list.from = named.front();
  list.below.insert(list.below.end(), named.begin() + 1, named.end());
}

}  // namespace pat::detail
