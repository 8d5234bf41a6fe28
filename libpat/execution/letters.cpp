#include "libpat/execution/letters.hpp"

#include <cstring>
#include <string>

#include "core/errors.hpp"

namespace pat::detail {
namespace {

/// For 64 streams; so many calls apart numbers come again, when no letter is left.
constexpr unsigned number_bits = 26;
constexpr std::uint32_t numbers = 1u << number_bits;

/// How many calls of a stream `call` is before `latest`; half of all numbers or more: it is later.
std::uint32_t age(std::uint32_t latest, std::uint32_t call) {
  return (latest - call) % numbers;
}

}  // namespace

Letters::Name Letters::name_of(CallKey call) {
  return call.stream << number_bits | call.call % numbers;
}

void Letters::put(int from, const std::byte* message, std::size_t bytes) {
  Letter letter;
  if (bytes != sizeof letter)
    throw Error(ErrorKind::internal, "a letter of " + std::to_string(bytes) +
                                         " bytes came, it has " + std::to_string(sizeof letter));
  std::memcpy(&letter, message, sizeof letter);
  if (!is_closed(letter.call)) waiting_[letter.call].emplace_back(from, letter.note);
}

std::vector<std::pair<int, Note>> Letters::take(CallKey call) {
  const auto found = waiting_.find(name_of(call));
  if (found == waiting_.end()) return {};
  return std::exchange(found->second, {});
}

void Letters::close(CallKey call) {
  const Name name = name_of(call);
  waiting_.erase(name);
  Closed& closed = closed_[call.stream];
  if (closed.last.empty() || age(closed.latest, name) >= numbers / 2) closed.latest = name;
  closed.last.insert(name);
  std::erase_if(closed.last, [&](Name one) { return age(closed.latest, one) >= calls_apart; });
}

bool Letters::is_closed(Name call) const {
  const auto found = closed_.find(call >> number_bits);
  if (found == closed_.end()) return false;
  const std::uint32_t before = age(found->second.latest, call);
  return (before >= calls_apart && before < numbers / 2) || found->second.last.contains(call);
}

}  // namespace pat::detail
