// The way from the leader to very many processes: who is told by whom.

#include "libpat/agreement/pass_down.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/errors.hpp"

namespace pat::detail {
namespace {

constexpr std::size_t limit = 4096;

/// The list of a share, as its receiver reads it.
PassDown received(int from, const std::vector<int>& share, int ranks) {
  PassDown list;
  for (const auto& message : encode({from, {share.begin() + 1, share.end()}}, limit)) {
    EXPECT_LE(message.size(), limit);
    read_pass_down(message.data(), message.size(), ranks, list);
  }
  return list;
}

/// Told by `teller`, at depth `depth`: counts how often each is told and the deepest.
void tell(const PassDown& list, int fan, int depth, std::vector<int>& told, int& deepest) {
  deepest = std::max(deepest, depth);
  const auto shares = shares_of(list.below, fan);
  EXPECT_LE(static_cast<int>(shares.size()), fan);
  for (const std::vector<int>& share : shares) {
    const PassDown rest = received(list.from, share, static_cast<int>(told.size()));
    EXPECT_EQ(rest.from, list.from);
    ++told[static_cast<std::size_t>(share.front())];
    tell(rest, fan, depth + 1, told, deepest);
  }
}

TEST(PassDown, EverybodyIsToldOnceInFewSteps) {
  for (const int ranks : {1, 2, 3, 17, 18, 300, 4096, 20000})
    for (const int fan : {2, 16}) {
      std::vector<int> others(static_cast<std::size_t>(ranks));
      std::iota(others.begin(), others.end(), 0);
      const int from = ranks / 2;
      others.erase(others.begin() + from);
      std::vector<int> told(static_cast<std::size_t>(ranks));
      int deepest = 0;
      tell({from, others}, fan, 0, told, deepest);
      EXPECT_EQ(told[static_cast<std::size_t>(from)], 0);
      EXPECT_EQ(std::count(told.begin(), told.end(), 1), ranks - 1) << ranks << " " << fan;
      EXPECT_LE(deepest, fan == 2 ? 14 : 4) << ranks;
    }
}

TEST(PassDown, SharesAreNearlyEqual) {
  const auto shares = shares_of({1, 2, 3, 4, 5, 6, 7, 8}, 3);
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0], (std::vector{1, 2}));
  EXPECT_EQ(shares[1], (std::vector{3, 4, 5}));
  EXPECT_EQ(shares[2], (std::vector{6, 7, 8}));
  EXPECT_TRUE(shares_of({}, 3).empty());
}

TEST(PassDown, IsReadFromWholeMessagesOnly) {
  const auto whole = encode({3, {1, 2}}, limit).front();
  PassDown list;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}, whole.size() - 1})
    EXPECT_THROW(read_pass_down(whole.data(), bytes, 4, list), Error) << bytes;
  EXPECT_THROW(read_pass_down(whole.data(), whole.size(), 3, list), Error) << "there is no rank 3";
  EXPECT_EQ(list.from, -1) << "nothing of it is taken";
  EXPECT_TRUE(list.below.empty());
  read_pass_down(whole.data(), whole.size(), 4, list);
  EXPECT_EQ(list.below, (std::vector<std::int32_t>{1, 2}));
}

}  // namespace
}  // namespace pat::detail
