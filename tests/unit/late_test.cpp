// Who keeps a call from going on: the sentences of PAT_WATCHDOG=auto.

#include "libpat/report/late.hpp"

#include <gtest/gtest.h>

namespace pat::detail {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr LiveState::Place seventh{1, 99, 7};

LiveState process(int rank) {
  LiveState state;
  state.rank = rank;
  state.ranks = 8;
  state.now_ns = 100 * second_ns;
  state.entered = {{1, 99, 6}};
  return state;
}

/// In its seventh call on the communicator, for 2 s.
LiveState waits(int rank, const std::string& function = "PAT_Gather",
                const std::string& what = "gather, root 0, 8 bytes", const std::string& site = "") {
  LiveState state = process(rank);
  state.present = {function, 98 * second_ns, what, site, seventh, {}};
  state.entered = {{1, 99, 7}};
  return state;
}

/// Began this long ago; foretold to last 1 s.
LiveState computes(int rank, double for_s, double half_width_s) {
  LiveState state = process(rank);
  const auto start_ns = state.now_ns - static_cast<std::int64_t>(for_s * 1e9);
  state.phase = {"solve", false, start_ns, 0.5, 1.0, half_width_s};
  state.left = {"PAT_Bcast", "io.c:3", start_ns};
  return state;
}

Neighbour seen(const LiveState& state) {
  return {state.rank, 1000 + state.rank, Neighbour::Condition::answers, state};
}

Neighbour unseen(int rank, Neighbour::Condition condition) {
  return {rank, 1000 + rank, condition, std::nullopt};
}

std::string said(const LiveState& own, const std::vector<Neighbour>& others,
                 double excused_s = 0.0) {
  return who_is_late(own, others, excused_s).value_or(Alarm()).sentence;
}

TEST(Late, NamesWhoIsLaterThanForetold) {
  EXPECT_EQ(said(waits(0), {seen(waits(1)), seen(computes(2, 2.5, 0.01)), seen(waits(3))}),
            "ranks 0, 1 and 3 have waited 2.00 s in PAT_Gather: rank 2 is 1.50 s later than "
            "foretold (+- 10.0 ms): it computes solve for 2.50 s, 50 % done at its last edge, and "
            "left PAT_Bcast at io.c:3 2.50 s ago");
}

TEST(Late, SaysWhereTheyWereSeen) {
  LiveState late = computes(2, 2.5, 0.01);
  late.phase->seen_at = "solver.c:81 (iterate)";
  EXPECT_EQ(said(waits(0), {seen(late)}),
            "rank 0 has waited 2.00 s in PAT_Gather: rank 2 is 1.50 s later than foretold (+- 10.0 "
            "ms): it computes solve for 2.50 s, 50 % done at its last edge, was seen at "
            "solver.c:81 (iterate), and left PAT_Bcast at io.c:3 2.50 s ago");
}

TEST(Late, WhoIsOverdueIsNamed) {
  EXPECT_FALSE(is_overdue(process(1)));
  EXPECT_FALSE(is_overdue(computes(1, 1.9, 0.01)));
  EXPECT_TRUE(is_overdue(computes(1, 2.1, 0.01)));
  EXPECT_FALSE(is_overdue(computes(1, 2.1, 0.01), 0.5));
  LiveState unforetold = computes(1, 29.0, 0.0);
  unforetold.phase->lasts_s.reset();
  EXPECT_FALSE(is_overdue(unforetold));
  unforetold.now_ns += 2 * second_ns;
  EXPECT_TRUE(is_overdue(unforetold));
}

TEST(Late, WaitsForThreeWidthsOfTheIntervalOrASecond) {
  EXPECT_EQ(said(waits(0), {seen(computes(1, 1.9, 0.01))}), "");
  EXPECT_NE(said(waits(0), {seen(computes(1, 2.1, 0.01))}), "");
  EXPECT_EQ(said(waits(0), {seen(computes(1, 3.9, 0.5))}), "");  // three widths: 3 s
  EXPECT_NE(said(waits(0), {seen(computes(1, 4.1, 0.5))}), "");
  EXPECT_EQ(said(waits(0), {seen(computes(1, 2.5, 0.01))}, 1.0), "");  // this process stood still
}

TEST(Late, IsPatientWithWhatHasTakenThatLongBefore) {
  LiveState slow = computes(1, 4.9, 0.01);
  EXPECT_NE(said(waits(0), {seen(slow)}), "");
  slow.phase->longest_s = 4.0;  // and a second
  EXPECT_EQ(said(waits(0), {seen(slow)}), "");
  LiveState slower = computes(1, 5.1, 0.01);
  slower.phase->longest_s = 4.0;
  EXPECT_NE(said(waits(0), {seen(slower)}).find("rank 1 is 4.10 s later than foretold"),
            std::string::npos);
  LiveState usual = computes(1, 2.1, 0.01);
  usual.phase->longest_s = 0.1;  // shorter than what is foretold
  EXPECT_NE(said(waits(0), {seen(usual)}), "");
}

TEST(Late, IsPatientWithTheFirstPhases) {
  LiveState first = computes(1, 5.9, 0.01);
  first.phase->before = 2;
  EXPECT_EQ(said(waits(0), {seen(first)}), "");
  first.now_ns += second_ns;
  EXPECT_NE(said(waits(0), {seen(first)}).find("rank 1 is 5.90 s later than foretold"),
            std::string::npos);
}

TEST(Late, IsPatientWithWhatNobodyForetold) {
  LiveState own = waits(0), other = process(1);
  EXPECT_EQ(said(own, {seen(other)}), "");
  own.present->since_ns = 60 * second_ns;
  EXPECT_EQ(said(own, {seen(other)}),
            "rank 0 has waited 40.0 s in PAT_Gather: rank 1 has not come, and nothing was foretold "
            "of it: it is between calls");
  EXPECT_EQ(said(own, {seen(other)}, 20.0), "");
  other.waits_in = "MPI_Recv";
  EXPECT_EQ(said(own, {seen(other)}).substr(25),
            "in PAT_Gather: rank 1 has not come, and nothing was foretold of it: it waits in "
            "MPI_Recv");
}

/// Has waited for a message for 9 s.
LiveState receives(int rank) {
  LiveState state = process(rank);
  state.waits_in = "MPI_Recv";
  state.waits_since_ns = state.now_ns - 9 * second_ns;
  return state;
}

/// In its seventh call, for 6 s; of three processes.
LiveState waits_long(int rank) {
  LiveState state = waits(rank);
  state.ranks = 3;
  state.present->since_ns = state.now_ns - 6 * second_ns;
  return state;
}

TEST(Late, NamesWhoIsBlockedWhereNobodyComputes) {
  const LiveState own = waits_long(0), other = waits_long(2);
  EXPECT_EQ(said(own, {seen(receives(1)), seen(other)}),
            "ranks 0 and 2 have waited 6.00 s in PAT_Gather: rank 1 has not come, and all ranks "
            "wait: it waits in MPI_Recv");
  EXPECT_EQ(who_is_late(own, {seen(receives(1)), seen(other)}, 0.0)->late, std::vector<int>{1});
  EXPECT_EQ(said(own, {seen(receives(1))}), "") << "rank 2 may compute";
  EXPECT_EQ(said(own, {seen(receives(1)), seen(process(2))}), "") << "rank 2 computes";
  LiveState just_now = receives(1), file = receives(1), newcomer = other;
  just_now.waits_since_ns = just_now.now_ns - 4 * second_ns;
  file.waits_since_ns = 0;
  newcomer.present->since_ns = newcomer.now_ns - 4 * second_ns;
  EXPECT_EQ(said(own, {seen(just_now), seen(other)}), "");
  EXPECT_EQ(said(own, {seen(file), seen(other)}), "") << "that may last by itself";
  EXPECT_EQ(said(own, {seen(receives(1)), seen(newcomer)}), "");
  EXPECT_EQ(said(own, {seen(waits_long(1)), seen(other)}), "") << "data may be moving";
}

TEST(Late, NamesWhoWaitsOnAnotherCommunicatorForThoseWhoWait) {
  const LiveState own = waits_long(0), other = waits_long(2);
  LiveState crossed = waits_long(1);
  crossed.entered = {{1, 99, 6}, {4, 5, 1}};
  crossed.present = {"MPI_Barrier", crossed.now_ns - 6 * second_ns, "barrier",
                     "io.c:12",     LiveState::Place{4, 5, 1},      {0, 1}};
  EXPECT_EQ(said(own, {seen(crossed), seen(other)}),
            "ranks 0 and 2 have waited 6.00 s in PAT_Gather: rank 1 has not come, and all ranks "
            "wait: it is in MPI_Barrier at io.c:12, on another communicator");
  crossed.present->ranks = {1};
  EXPECT_EQ(said(own, {seen(crossed), seen(other)}), "") << "all have come to that: data moves";
}

TEST(Late, IsAsPatientAsTheUserSays) {
  const auto after = [](double patience_s, const LiveState& other) {
    return who_is_late(waits(0), {seen(other)}, 0.0, patience_s).value_or(Alarm()).sentence;
  };
  EXPECT_EQ(after(1.5, process(1)),
            "rank 0 has waited 2.00 s in PAT_Gather: rank 1 has not come: it is between calls");
  EXPECT_EQ(after(2.5, process(1)), "");
  EXPECT_NE(after(1.5, computes(1, 1.2, 0.5)), "") << "whatever was foretold";
  EXPECT_EQ(after(1.5, waits(1)), "");
}

TEST(Late, LooksWhenPatienceEnds) {
  EXPECT_EQ(next_look_s(1.0), 1.5);
  EXPECT_EQ(next_look_s(4.8), all_wait_patience_s);
  EXPECT_EQ(next_look_s(8.0), 10.0);
  EXPECT_EQ(next_look_s(29.0), unforetold_patience_s);
  EXPECT_EQ(next_look_s(40.0), 50.0);
}

TEST(Late, SaysWhoHasComeAfterAll) {
  LiveState came = process(3), there = process(4), before = process(5);
  came.entered = there.entered = {{1, 99, 7}};
  before.entered = {{1, 99, 6}};
  EXPECT_EQ(who_came(waits(0), {seen(came), seen(there), seen(before), seen(process(6)),
                                unseen(7, Neighbour::Condition::gone)}),
            (std::vector<int>{3, 4}));
  EXPECT_EQ(goes_on(waits(0, "PAT_Gather", "", "a.c:3"), {3}, 12.3),
            "rank 3 has come after 12.3 s: rank 0 goes on from PAT_Gather at a.c:3");
  EXPECT_EQ(goes_on(waits(0), {3, 4}, 12.3),
            "ranks 3 and 4 have come after 12.3 s: rank 0 goes on from PAT_Gather");
  EXPECT_EQ(goes_on(waits(0), {}, 12.3), "rank 0 goes on after 12.3 s in PAT_Gather");
}

TEST(Late, LeavesThoseAloneWhoHaveBeenThereOrWaitThemselves) {
  LiveState ahead = computes(1, 9.0, 0.01);
  ahead.entered = {{1, 99, 7}};
  EXPECT_EQ(said(waits(0), {seen(ahead)}), "");
  ahead.entered = {{2, 99, 7}, {1, 98, 7}};  // other communicators
  EXPECT_NE(said(waits(0), {seen(ahead)}), "");
  LiveState elsewhere = computes(1, 9.0, 0.01);
  elsewhere.present = {"PAT_Barrier", 90 * second_ns, "barrier", "", LiveState::Place{4, 5, 1}, {}};
  EXPECT_EQ(said(waits(0), {seen(elsewhere)}), "");
  LiveState own = waits(0);
  own.present->ranks = {0, 2};
  EXPECT_EQ(said(own, {seen(computes(1, 9.0, 0.01))}), "");  // not of this communicator
  EXPECT_EQ(said(process(0), {seen(computes(1, 9.0, 0.01))}), "");
}

TEST(Late, NamesWhoIsStoppedOrGoneOrSilent) {
  EXPECT_EQ(said(waits(0), {unseen(3, Neighbour::Condition::stopped)}),
            "rank 0 has waited 2.00 s in PAT_Gather: rank 3 (process 1003) is stopped, kill -CONT "
            "1003 lets it go on");
  EXPECT_EQ(
      said(waits(0),
           {unseen(3, Neighbour::Condition::gone), unseen(4, Neighbour::Condition::silent)}),
      "rank 0 has waited 2.00 s in PAT_Gather: rank 3 (process 1003) has ended, or has called "
      "PAT_Finalize; rank 4 (process 1004) does not answer, it may get no processor");
}

TEST(Late, NamesWhoIsAtTheEnd) {
  LiveState ended = process(1);
  ended.present = {"PAT_Finalize", 98 * second_ns, "", "", std::nullopt, {}};
  EXPECT_EQ(said(waits(0), {seen(ended)}),
            "rank 0 has waited 2.00 s in PAT_Gather: rank 1 is in PAT_Finalize without having made "
            "this call");
  ended.entered = {{1, 99, 7}};  // the message that is missing is on its way
  EXPECT_EQ(said(waits(0), {seen(ended)}), "");
}

TEST(Late, NamesDifferentCollectives) {
  const auto reduces = [](int rank) {
    return waits(rank, "MPI_Reduce", "reduce, root 0, 8 bytes, MPI_SUM", "solver.c:81");
  };
  EXPECT_EQ(said(reduces(0), {seen(reduces(1)), seen(reduces(2)),
                              seen(waits(3, "MPI_Barrier", "barrier", "io.c:12"))}),
            "ranks 0-2 are in MPI_Reduce at solver.c:81, rank 3 is in MPI_Barrier at io.c:12: all "
            "ranks of a communicator must make the same collectives in the same order, with the "
            "same root, size and operation");
}

TEST(Late, NamesOtherRootsSizesAndOperations) {
  const std::string whole = "reduce, root 0, 8 bytes, MPI_SUM";
  for (const std::string other :
       {"reduce, root 1, 8 bytes, MPI_SUM", "reduce, root 0, 4 bytes, MPI_SUM",
        "reduce, root 0, 8 bytes, MPI_MAX"}) {
    const std::string text =
        said(waits(0, "PAT_Reduce", whole),
             {seen(waits(1, "MPI_Reduce", other)), seen(waits(2, "PAT_Reduce", whole))});
    EXPECT_TRUE(text.starts_with("ranks 0 and 2 are in PAT_Reduce (" + whole +
                                 "), rank 1 is in MPI_Reduce (" + other + "): "))
        << text;
  }
  EXPECT_EQ(said(waits(0, "PAT_Reduce", whole), {seen(waits(1, "PAT_Reduce_c", whole))}), "");
  // The same from elsewhere, by a program that calls PAT, or of which less is known.
  EXPECT_EQ(said(waits(0, "PAT_Reduce", whole, "a.c:1"),
                 {seen(waits(1, "MPI_Reduce", whole, "b.c:2")), seen(waits(2, "PAT_Reduce", ""))}),
            "");
}

TEST(Late, ComparesCallsOfOneNumberOnly) {
  LiveState before = waits(1, "PAT_Barrier", "barrier");
  before.present->place->number = 6;
  EXPECT_EQ(said(waits(0), {seen(before)}), "");
  LiveState request = waits(1, "PAT_Wait", "allreduce, 8 bytes");
  request.present->place.reset();
  EXPECT_EQ(said(waits(0), {seen(request)}), "");
}

/// "gather, root R, 8 bytes" from call `first` to call `last`.
LiveState::Made gathers(std::uint32_t first, std::uint32_t last, int root) {
  return {
      {1, 99, first}, last, "PAT_Gather", "gather, root " + std::to_string(root) + ", 8 bytes", ""};
}

constexpr const char* rule =
    ": all ranks of a communicator must make the same collectives in the same order, with the same "
    "root, size and operation";

TEST(Late, NamesWhoWasInAnotherCallAndHasLeftIt) {
  LiveState next = waits(1, "PAT_Barrier", "barrier");
  next.present->place->number = 8;
  LiveState ended = process(2), computing = computes(3, 9.0, 0.01);
  ended.present = {"PAT_Finalize", 98 * second_ns, "", "", std::nullopt, {}};
  for (LiveState* one : {&next, &ended, &computing}) {
    one->made = {gathers(1, 6, 0), gathers(7, 7, 2)};
    one->entered = {{1, 99, one->present && one->present->place ? 8U : 7U}};
  }
  computing.made = {gathers(2, 7, 0)};
  EXPECT_EQ(
      said(waits(0), {seen(next), seen(ended), seen(computing)}),
      std::string("rank 0 is in PAT_Gather (gather, root 0, 8 bytes), ranks 1 and 2 have been "
                  "in PAT_Gather (gather, root 2, 8 bytes), rank 3 has been in PAT_Gather "
                  "(gather, root 0, 8 bytes)") +
          rule);
  EXPECT_EQ(said(waits(0), {seen(ended)}),
            std::string("rank 0 is in PAT_Gather (gather, root 0, 8 bytes), rank 2 has been in "
                        "PAT_Gather (gather, root 2, 8 bytes)") +
                rule);
}

TEST(Late, NamesADifferenceThatAllHaveLeft) {
  LiveState own = waits(0), other = waits(1);
  own.made = {gathers(1, 6, 0)};
  other.made = {gathers(2, 4, 0), gathers(5, 5, 1), gathers(6, 6, 0)};
  EXPECT_EQ(said(own, {seen(other)}),
            std::string("rank 0 has been in PAT_Gather (gather, root 0, 8 bytes), rank 1 has been "
                        "in PAT_Gather (gather, root 1, 8 bytes)") +
                rule);
}

TEST(Late, IsSilentOfCallsThatWereAlikeOrAreForgotten) {
  LiveState own = waits(0), ahead = process(1);
  own.made = {gathers(3, 6, 0)};
  ahead.present = {"PAT_Finalize", 98 * second_ns, "", "", std::nullopt, {}};
  ahead.entered = {{1, 99, 9}};
  ahead.made = {gathers(1, 2, 5), gathers(4, 8, 0), gathers(9, 9, 3)};
  EXPECT_EQ(said(own, {seen(ahead)}), "");
  ahead.made = {gathers(8, 8, 3), {{1, 98, 7}, 7, "PAT_Barrier", "barrier", ""}};
  EXPECT_EQ(said(own, {seen(ahead)}), "");
}

TEST(Late, TheLowestRankOnACommunicatorSpeaks) {
  EXPECT_TRUE(leaves_word_to(waits(3), waits(1)));
  EXPECT_FALSE(leaves_word_to(waits(1), waits(3)));
  EXPECT_FALSE(leaves_word_to(waits(3), computes(1, 9.0, 0.1)));
  LiveState elsewhere = waits(1);
  elsewhere.present->place->communicator = 2;
  EXPECT_FALSE(leaves_word_to(waits(3), elsewhere));
  LiveState newcomer = waits(1);  // it does not look yet
  newcomer.present->since_ns = newcomer.now_ns - second_ns / 10;
  EXPECT_FALSE(leaves_word_to(waits(3), newcomer));
  LiveState unplaced = waits(1, "PAT_Finalize", "");
  unplaced.present->place.reset();
  EXPECT_FALSE(leaves_word_to(waits(3), unplaced));
}

Neighbour elsewhere(const LiveState& state, std::uint64_t machine) {
  Neighbour one = seen(state);
  one.machine = machine;
  one.state->host = "node" + std::to_string(machine);
  return one;
}

TEST(Late, OnAnotherMachineIsNamedHereIfNobodyWaitsThere) {
  const Neighbour late = elsewhere(computes(2, 2.5, 0.01), 7);
  EXPECT_EQ(said(waits(0), {seen(waits(1)), late, elsewhere(waits(3), 8)}),
            "ranks 0, 1 and 3 have waited 2.00 s in PAT_Gather: rank 2 is 1.50 s later than "
            "foretold (+- 10.0 ms): it computes solve for 2.50 s, 50 % done at its last edge, and "
            "left PAT_Bcast at io.c:3 2.50 s ago, on node7");
  EXPECT_EQ(said(waits(0), {late, elsewhere(waits(3), 7)}), "") << "rank 3 says it";
}

TEST(Late, OnAnotherMachineThatIsSilentIsNamedWithoutItsProcess) {
  Neighbour silent = unseen(5, Neighbour::Condition::silent);
  silent.machine = 7;
  EXPECT_EQ(said(waits(0), {silent}),
            "rank 0 has waited 2.00 s in PAT_Gather: rank 5 on another machine does not answer, it "
            "may be stopped or get no processor");
}

TEST(Late, OfWhichNotAllIsKnownIsNotNamed) {
  LiveState cut = computes(2, 2.5, 0.01);
  cut.entered.clear();
  cut.all_entered = false;
  EXPECT_EQ(said(waits(0), {elsewhere(cut, 7)}), "") << "it may have been in the call";
}

TEST(Late, OtherCallsOnAnotherMachineAreNamed) {
  const std::string text =
      said(waits(0), {seen(waits(1)), elsewhere(waits(2, "PAT_Barrier", "barrier"), 7),
                      elsewhere(waits(3, "PAT_Barrier", "barrier"), 7)});
  EXPECT_EQ(text.substr(0, text.find(':')),
            "ranks 0 and 1 are in PAT_Gather, ranks 2 and 3 are in PAT_Barrier");
}

}  // namespace
}  // namespace pat::detail
