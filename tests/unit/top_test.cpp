// What pat top makes of what the processes of a job tell (tools/top/job.hpp, show.hpp).

#include <gtest/gtest.h>

#include "tools/top/job.hpp"
#include "tools/top/show.hpp"

namespace pat {
namespace {

constexpr std::int64_t ms = 1'000'000;

LiveState::Past call(std::uint32_t number, std::int64_t arrival_ms, std::int64_t exit_ms,
                     std::uint64_t group = 1) {
  return {0, group, number, "barrier", "mpi", arrival_ms * ms, exit_ms * ms};
}

RankAnswer answer(int rank, std::vector<LiveState::Past> past) {
  LiveState state;
  state.job = "job-1";
  state.host = "here";
  state.rank = rank;
  state.ranks = 4;
  state.past = std::move(past);
  return {rank, 100 + rank, true, state};
}

const RankView& rank_of(const JobView& view, int rank) {
  for (const RankView& row : view.rank)
    if (row.rank == rank) return row;
  throw std::out_of_range("no such rank");
}

TEST(Top, SplitsTheTimeInCallsAsTheReportDoes) {
  // Two calls in 100 ms; rank 1 comes 10 and 30 ms late, rank 0 leaves the second before that.
  const auto view = view_of("job-1", {answer(0, {call(0, 0, 15), call(1, 60, 80)}),
                                      answer(1, {call(0, 10, 15), call(1, 90, 100)})});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->calls, 2u);
  EXPECT_DOUBLE_EQ(view->span_s, 0.1);
  const RankView &first = rank_of(*view, 0), &late = rank_of(*view, 1);
  EXPECT_NEAR(*first.late_s, 0.0, 1e-12);
  EXPECT_NEAR(*late.late_s, 0.02, 1e-12);
  EXPECT_NEAR(first.skew_share, 0.30, 1e-12);  // 10 ms, and the 20 ms of its second call
  EXPECT_NEAR(first.transfer_share, 0.05, 1e-12);
  EXPECT_NEAR(late.skew_share, 0.0, 1e-12);
  EXPECT_NEAR(late.transfer_share, 0.15, 1e-12);
}

TEST(Top, JoinsOnlyCallsOfWhichAllThatMakeThemHaveTold) {
  // Call 2 has not been told by rank 1 yet; group 2 is another communicator with the same number.
  const auto view =
      view_of("job-1", {answer(0, {call(1, 0, 5), call(2, 10, 15)}), answer(1, {call(1, 1, 5)}),
                        answer(2, {call(1, 100, 105, 2)})});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->calls, 1u);
  EXPECT_FALSE(rank_of(*view, 2).late_s);
}

TEST(Top, ShowsWhoDoesNotAnswerAndWhoIsElsewhere) {
  RankAnswer leader = answer(0, {call(0, 0, 5)});
  leader.state->foretold = {{"barrier", {0, 1, 2, 3}, {0.0, 0.1, 0.2, 0.3}, {0.0, 0.0, 0.05, {}}}};
  auto view = view_of("job-1", {leader, {1, 101, true, std::nullopt}});
  ASSERT_TRUE(view);
  ASSERT_EQ(view->rank.size(), 3u);  // of rank 3 nothing is known
  EXPECT_EQ(rank_of(*view, 2).pid, 0);
  EXPECT_DOUBLE_EQ(*rank_of(*view, 2).late_s, 0.2);
  EXPECT_DOUBLE_EQ(*rank_of(*view, 2).half_width_s, 0.05);
  sort_ranks(*view, TopOrder::late);
  EXPECT_EQ(view->rank[0].rank, 1);  // silent
  EXPECT_EQ(view->rank[1].rank, 2);
  const auto lines = lines_of(*view, 60);
  EXPECT_EQ(lines[0], "job-1 on here: 4 ranks, 2 here, 1 without an answer");
  for (const std::string& line : lines) EXPECT_LE(line.size(), 60u) << line;
  const auto json = json_of(*view);
  EXPECT_EQ(json["ranks"][0]["answers"], false);
  EXPECT_TRUE(json["ranks"][1]["pid"].is_null());
  EXPECT_FALSE(view_of("job-1", {{1, 101, true, std::nullopt}}));  // nobody answers
}

TEST(Top, CountsRanksOfOtherMachinesOfWhichRank0Tells) {
  const RankAnswer here = answer(0, {call(0, 10, 20)});
  RankAnswer elsewhere = answer(2, {call(0, 16, 20)});
  elsewhere.here = false;
  elsewhere.state->host = "there";
  const auto view = view_of("job-1", {here, elsewhere});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->host, "here");
  EXPECT_EQ(view->calls, 1u);
  EXPECT_DOUBLE_EQ(*rank_of(*view, 2).late_s, 0.006);
  EXPECT_DOUBLE_EQ(rank_of(*view, 0).skew_share, 0.6);
  const auto lines = lines_of(*view, 200);
  EXPECT_EQ(lines[0], "job-1 on here: 4 ranks, 1 here, 1 by way of rank 0");
  EXPECT_NE(lines[5].find("between calls, on there"), std::string::npos) << lines[5];
  const auto json = json_of(*view);
  EXPECT_EQ(json["ranks"][1]["here"], false);
  EXPECT_EQ(json["ranks"][1]["answers"], true);
  EXPECT_EQ(json["ranks"][1]["host"], "there");
}

TEST(Top, SaysHowFarAPhaseIsAndWhenItEnds) {
  RankAnswer one = answer(0, {});
  one.state->now_ns = 1000 * ms;
  one.state->phase = LiveState::Phase{"solve", false, 900 * ms, 0.5, 0.3, 0.01};
  const auto line = [](const RankAnswer& of) { return lines_of(*view_of("job-1", {of}), 200)[4]; };
  EXPECT_NE(line(one).find("computes solve 50 %, 200 ms +- 10.0 ms left"), std::string::npos);
  one.state->phase->region = "\x1b[2Jsolve\n";
  EXPECT_NE(line(one).find("computes ?[2Jsolve? 50 %"), std::string::npos) << line(one);
  one.state->phase->lasts_s = 0.04;
  EXPECT_NE(line(one).find("60.0 ms +- 10.0 ms over"), std::string::npos) << line(one);
  one.state->present = LiveState::Present{"PAT_Reduce", 750 * ms};
  EXPECT_NE(line(one).find("in PAT_Reduce for 250 ms"), std::string::npos) << line(one);
}

TEST(Top, ShowsWhereAPhaseIsAndItsTimeInItsColumns) {
  RankAnswer one = answer(0, {});
  one.state->now_ns = 1000 * ms;
  one.state->phase =
      LiveState::Phase{"allreduce at fields/solver.cpp:81 (ns::Solver<double>::step)",
                       false,
                       900 * ms,
                       0.5,
                       0.3,
                       0.01};
  for (const std::size_t width : {94u, 110u}) {
    const std::string line = lines_of(*view_of("job-1", {one}), width)[4];
    EXPECT_NE(line.find("solver.cpp:81"), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with(" 50 %, 200 ms +- 10.0 ms left")) << line;
  }
}

TEST(Top, NeedsNoMoreThan80Columns) {
  // As wide as numbers become: 64 calls of each of many kinds, and a phase whose region has no name
  // of its own.
  RankAnswer one = answer(12345, {call(0, 0, 5), call(1, 123400, 123456)});
  one.state->now_ns = 1000 * ms;
  one.state->phase = LiveState::Phase{"default", false, 900 * ms, 1.0, 0.1155, 0.0862};
  auto view =
      view_of("program-1234567", {one, answer(0, {call(0, 10, 20), call(1, 99999, 123456)})});
  ASSERT_TRUE(view);
  view->calls = 123456;
  for (const std::string& line : lines_of(*view, 200)) EXPECT_LE(line.size(), 80u) << line;
  one.state->phase->lasts_s = 0.0155;
  for (const std::string& line : lines_of(*view_of("job-1", {one}), 200))
    EXPECT_LE(line.size(), 80u) << line;
  for (const std::string& line : top_help) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace pat
