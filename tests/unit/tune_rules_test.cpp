// The file of rules that pat tune writes for Open MPI.

#include <gtest/gtest.h>

#include <sstream>

#include "core/errors.hpp"
#include "tools/tune/open_mpi_rules.hpp"
#include "tools/tune/rules.hpp"

namespace pat::tune {
namespace {

const Way chain{2, 8192, 4, "chain"}, ring{4, 0, 4, "ring"};

/// The numbers of a file as Open MPI reads them: what stands behind # is skipped.
std::vector<long> numbers_of(const std::string& text) {
  std::vector<long> numbers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (long number; words >> number;) numbers.push_back(number);
  }
  return numbers;
}

TEST(TuneRules, ASizeSpeaksForItsNeighbourhoodAlone) {
  const auto steps = steps_of({{4096, {}}, {65536, chain}});
  EXPECT_EQ(steps, (std::vector<Step>{{0, {}}, {46341, chain}, {92682, {}}}));
}

TEST(TuneRules, BetweenEqualChoicesTheRuleHolds) {
  const auto steps = steps_of({{1048576, chain}, {4096, chain}});  // in any order
  EXPECT_EQ(steps, (std::vector<Step>{{0, {}}, {2897, chain}, {1482911, {}}}));
}

TEST(TuneRules, NearSizesShareWhatLiesBetween) {
  const auto steps = steps_of({{1000, chain}, {1210, ring}, {1464, {}}});
  EXPECT_EQ(steps, (std::vector<Step>{{0, {}}, {708, chain}, {1100, ring}, {1331, {}}}));
}

TEST(TuneRules, NothingFoundLeavesAll) {
  EXPECT_EQ(steps_of({{4096, {}}, {65536, {}}}), (std::vector<Step>{{0, {}}}));
  EXPECT_EQ(steps_of({}), (std::vector<Step>{{0, {}}}));
  const OperationRules rules{"bcast", steps_of({})};
  EXPECT_EQ(numbers_of(open_mpi_rules({&rules, 1}, 8, "none")), std::vector<long>{0});
}

TEST(TuneRules, WithoutDataThereIsOneSize) {
  EXPECT_EQ(steps_of({{0, ring}}).front().way, ring);
}

TEST(TuneRules, WhereSizesMayDifferAllMustAgree) {
  const std::vector<Choice> alike = {{4096, ring}, {65536, ring}},
                            unlike = {{4096, ring}, {65536, {}}};
  EXPECT_EQ(one_step_of(alike), (std::vector<Step>{{0, ring}}));
  EXPECT_EQ(one_step_of(unlike), (std::vector<Step>{{0, {}}}));
  EXPECT_EQ(one_step_of({}), (std::vector<Step>{{0, {}}}));
  EXPECT_TRUE(ruled("gather").size_may_differ && ruled("scatter").size_may_differ);
}

TEST(TuneRules, OtherCommunicatorsAreLeftToTheLibrary) {
  const OperationRules all[] = {{"allgather", steps_of({{4096, {}}})},
                                {"bcast", steps_of({{65536, chain}})}};
  const std::vector<long> expected = {1,                         // operations
                                      7,                         // bcast
                                      3,                         // sizes of communicators
                                      0,     1, 0, 0,    0, 0,   // up to 7 processes
                                      8,     3, 0, 0,    0, 0,   // 8 processes
                                      46341, 2, 4, 8192,         //
                                      92682, 0, 0, 0,            //
                                      9,     1, 0, 0,    0, 0};  // more
  EXPECT_EQ(numbers_of(open_mpi_rules(all, 8, "a remark with 3 numbers, 2 of them small")),
            expected);
}

TEST(TuneRules, AnUnknownOperationIsRefusedWithTheKnownOnes) {
  try {
    ruled("scan");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'scan', choose from allgather, "), std::string::npos);
  }
}

}  // namespace
}  // namespace pat::tune
