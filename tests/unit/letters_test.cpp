// The letters of dynamic algorithms: whose they are, which are kept and which dropped. No MPI.

#include "libpat/execution/letters.hpp"

#include <gtest/gtest.h>

#include "core/errors.hpp"

namespace pat::detail {
namespace {

void put(Letters& letters, int from, CallKey call, int value) {
  const Letter letter = Letters::letter(call, {0, 0, value});
  letters.put(from, reinterpret_cast<const std::byte*>(&letter), sizeof letter);
}

std::vector<int> values(Letters& letters, CallKey call) {
  std::vector<int> list;
  for (const auto& [from, note] : letters.take(call)) list.push_back(note.value);
  return list;
}

TEST(Letters, WaitForTheirCallInOrder) {
  Letters letters;
  put(letters, 1, {2, 7}, 10);
  put(letters, 1, {2, 8}, 20);
  put(letters, 1, {2, 7}, 30);
  EXPECT_EQ(values(letters, {2, 7}), (std::vector<int>{10, 30}));
  EXPECT_TRUE(values(letters, {2, 7}).empty()) << "each is taken once";
  EXPECT_EQ(values(letters, {2, 8}), std::vector<int>{20});
}

TEST(Letters, OfCallsThatAreOverAreDropped) {
  Letters letters;
  put(letters, 1, {0, 40}, 1);
  letters.close({0, 40});
  put(letters, 1, {0, 40}, 2);
  put(letters, 1, {0, 40 - Letters::calls_apart}, 3);
  put(letters, 1, {0, 39}, 4);
  put(letters, 1, {1, 40}, 5);
  EXPECT_TRUE(values(letters, {0, 40}).empty());
  EXPECT_TRUE(values(letters, {0, 40 - Letters::calls_apart}).empty());
  EXPECT_EQ(values(letters, {0, 39}), std::vector<int>{4}) << "may still be under way";
  EXPECT_EQ(values(letters, {1, 40}), std::vector<int>{5}) << "of another stream";
}

TEST(Letters, RefuseMessagesOfAnotherLength) {
  Letters letters;
  const Letter letter = Letters::letter({0, 1}, {});
  const auto* bytes = reinterpret_cast<const std::byte*>(&letter);
  EXPECT_THROW(letters.put(1, bytes, 0), Error);
  EXPECT_THROW(letters.put(1, bytes, sizeof letter - 1), Error);
  EXPECT_TRUE(letters.take({0, 1}).empty());
}

}  // namespace
}  // namespace pat::detail
