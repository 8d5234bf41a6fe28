// The files of rules that pat tune writes for MPICH.

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "tools/tune/mpich_rules.hpp"

namespace pat::tune {
namespace {

using Tree = nlohmann::ordered_json;

const Way ring{2, 0, 0, "ring"}, star{3, 0, 0, "star"};

/// A table of MPICH's form, with conditions in all the orders that its own have.
const std::string algorithms = R"({
  "collective=bcast": {
    "comm_type=intra": {
      "comm_hierarchy=parent": {
        "comm_size<8": {"avg_msg_size<=100": {"algorithm=few small": {}},
                        "avg_msg_size=any": {"algorithm=few": {}}},
        "comm_size=pow2": {"algorithm=pow2": {}},
        "comm_size=any": {"algorithm=any": {}}},
      "comm_size<=3": {"algorithm=flat few": {}},
      "comm_size=any": {"algorithm=flat": {}}},
    "comm_type=inter": {"algorithm=MPIR_Bcast_inter": {}}},
  "collective=allreduce": {
    "comm_type=intra": {
      "avg_msg_size<=8": {"algorithm=tiny": {}},
      "avg_msg_size=any": {"algorithm=usual": {}}}},
  "collective=alltoall": {
    "comm_type=intra": {
      "is_sendbuf_inplace=yes": {"algorithm=in place": {}},
      "is_sendbuf_inplace=no": {
        "comm_size<8": {"algorithm=few": {}},
        "comm_size=any": {"algorithm=many": {}}}}},
  "collective=reduce_scatter_block": {"comm_type=intra": {"algorithm=usual": {}}},
  "collective=gather": {"comm_type=intra": {"algorithm=tree": {}}},
  "collective=scatter": {"algorithm=MPIR_Bcast of another form": {}},
  "collective=scan": {"algorithm=line": {}}})";
const std::string device = R"({
  "collective=bcast": {
    "comm_type=intra": {
      "comm_hierarchy=parent": {"composition=MPIDI_Bcast_intra_composition_alpha": {}},
      "comm_hierarchy=any": {"composition=MPIDI_Bcast_intra_composition_gamma": {}}}}})";
const std::vector<std::string> leaves = {"algorithm=MPIR_Bcast_intra_ring",
                                         "algorithm=MPIR_Bcast_intra_scatter_ring",
                                         "algorithm=MPIR_Bcast_allcomm_nb",
                                         "algorithm=MPIR_Bcast_inter_send",
                                         "algorithm=MPIR_Allreduce_intra_ring",
                                         "algorithm=MPIR_Alltoall_intra_star",
                                         "algorithm=MPIR_Reduce_scatter_block_intra_ring",
                                         "algorithm=MPIR_Gather_allcomm_star",
                                         "algorithm=MPIR_Scatter_intra_star",
                                         "composition=MPIDI_Bcast_intra_composition_gamma"};

struct Asked {
  std::string collective;
  int ranks = 8;
  long bytes = 0;
  std::string hierarchy = "parent";
  bool built_in = true, commutes = true, in_place = false, intra = true;
  int count = 1000;
};

/// As MPICH asks. Below a condition on the call it takes `comm_size<` for `comm_size<=`.
bool holds(const std::string& condition, const Asked& call, bool below_the_call) {
  const auto number = [&] { return std::atol(condition.c_str() + condition.find('=') + 1); };
  const auto starts = [&](const char* beginning) { return condition.starts_with(beginning); };
  if (starts("collective=")) return condition == "collective=" + call.collective;
  if (starts("comm_type=")) return (condition == "comm_type=intra") == call.intra;
  if (condition == "comm_size=pow2") return (call.ranks & (call.ranks - 1)) == 0;
  if (condition.ends_with("=any")) return true;
  if (starts("comm_size<=")) return call.ranks <= number();
  if (condition == "comm_size<8") return call.ranks < 8 || (below_the_call && call.ranks == 8);
  if (starts("comm_hierarchy=")) return condition == "comm_hierarchy=" + call.hierarchy;
  if (starts("avg_msg_size<=") || starts("total_msg_size<=")) return call.bytes <= number();
  if (condition == "count<pow2") return call.count < call.ranks;
  if (starts("is_op_built_in=")) return call.built_in == condition.ends_with("yes");
  if (starts("is_commutative=")) return call.commutes == condition.ends_with("yes");
  if (starts("is_sendbuf_inplace=")) return call.in_place == condition.ends_with("yes");
  ADD_FAILURE() << "MPICH does not know " << condition;
  return false;
}

std::string chosen(const Tree& tree, const Asked& call, bool below_the_call = false) {
  if (tree.begin().key().starts_with("algorithm=") || tree.begin().key().starts_with("compo")) {
    EXPECT_EQ(tree.size(), 1U);
    return tree.begin().key();
  }
  for (const auto& [condition, below] : tree.items()) {
    // Both are for MPICH the end of the matter, whatever follows.
    EXPECT_FALSE(condition.ends_with("_size=any") && below != std::prev(tree.end()).value());
    below_the_call =
        below_the_call || !(condition.starts_with("comm_") || condition.starts_with("collective="));
    if (holds(condition, call, below_the_call)) return chosen(below, call, below_the_call);
  }
  return "nothing";
}

std::string chosen(const std::string& text, const Asked& call) {
  return chosen(Tree::parse(text), call);
}

MpichTables with(const std::vector<OperationRules>& rules, bool has_nodes = true) {
  return mpich_rules({algorithms, device}, rules, {8, has_nodes}, leaves);
}

TEST(TuneMpichRules, ARuleHoldsForItsSizesAndProcessesAlone) {
  for (const bool has_nodes : {true, false}) {
    const MpichTables tables = with({{"bcast", steps_of({{65536, ring}})}}, has_nodes);
    const Tree before = Tree::parse(algorithms), after = Tree::parse(tables.algorithms),
               device_before = Tree::parse(device), device_after = Tree::parse(tables.device);
    const std::string kind = has_nodes ? "parent" : "flat";
    for (int ranks = 1; ranks <= 17; ++ranks)
      for (const long bytes : {0L, 100L, 101L, 46340L, 46341L, 65536L, 92681L, 92682L, 1L << 40})
        for (const char* hierarchy : {"parent", "flat", "node", "node_roots"})
          for (const bool intra : {true, false}) {
            Asked call{.collective = "bcast", .ranks = ranks, .bytes = bytes};
            call.hierarchy = hierarchy;
            call.intra = intra;
            const bool ruled =
                intra && ranks == 8 && call.hierarchy == kind && bytes >= 46341 && bytes < 92682;
            EXPECT_EQ(chosen(after, call),
                      ruled ? "algorithm=MPIR_Bcast_intra_ring" : chosen(before, call));
            EXPECT_EQ(chosen(device_after, call),
                      ruled ? "composition=MPIDI_Bcast_intra_composition_gamma"
                            : chosen(device_before, call));
          }
    EXPECT_EQ(chosen(tables.algorithms, {.collective = "scan"}), "algorithm=line");
  }
}

TEST(TuneMpichRules, AReductionsRuleIsForMpisOwnOperators) {
  const MpichTables tables =
      with({{"allreduce", steps_of({{0, ring}})}, {"reduce-scatter", steps_of({{65536, ring}})}});
  Asked call{.collective = "allreduce"};
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=MPIR_Allreduce_intra_ring");
  call.count = 7;
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=tiny");
  call.count = 8;
  call.built_in = false;
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=tiny");
  call = {.collective = "reduce_scatter_block", .bytes = 65536};
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=MPIR_Reduce_scatter_block_intra_ring");
  call.commutes = false;
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=usual");
  EXPECT_EQ(Tree::parse(tables.device), Tree::parse(device)) << "the device hands these on";
}

TEST(TuneMpichRules, WhatIsBelowConditionsOnTheCallStaysThere) {
  const MpichTables tables = with({{"alltoall", steps_of({{65536, star}})}});
  Asked call{.collective = "alltoall", .bytes = 65536};
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=MPIR_Alltoall_intra_star");
  call.in_place = true;
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=in place");
  call = {.collective = "alltoall", .bytes = 1};
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=few");
  EXPECT_EQ(chosen(algorithms, call), "algorithm=few");
}

TEST(TuneMpichRules, OneRuleForAllSizesAsksForNone) {
  const Choice all[] = {{4096, star}, {65536, star}};
  const MpichTables tables = with({{"gather", one_step_of(all)}});
  EXPECT_EQ(chosen(tables.algorithms, {.collective = "gather"}),
            "algorithm=MPIR_Gather_allcomm_star");
  EXPECT_EQ(tables.algorithms.find("total_msg_size"), std::string::npos);
}

TEST(TuneMpichRules, SizesBeyondAnIntAreNotCompared) {
  const MpichTables tables = with({{"bcast", steps_of({{1UL << 31, ring}, {1UL << 40, ring}})}});
  Asked call{.collective = "bcast", .bytes = 1L << 31};
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=pow2");
  call.bytes = (1L << 31) - 1;
  EXPECT_EQ(chosen(tables.algorithms, call), "algorithm=MPIR_Bcast_intra_ring");
}

TEST(TuneMpichRules, NoRuleLeavesTheTables) {
  const MpichTables tables = with({{"bcast", steps_of({{65536, {}}})}});
  EXPECT_EQ(tables.algorithms, Tree::parse(algorithms).dump(1) + "\n");
  EXPECT_TRUE(mpich_rules({algorithms, ""}, {}, {8, true}, leaves).device.empty());
}

TEST(TuneMpichRules, AnotherFormIsRefused) {
  EXPECT_THROW(with({{"scatter", steps_of({{65536, star}})}}), Error);
}

/// MPICH reads on to the next 0, which is there if the file does not fill its last page.
TEST(TuneMpichRules, NoFileFillsAPage) {
  Tree tree = {{"collective=scan", Tree::object()}};
  const std::size_t rest = 4096 - tree.dump(1).size() - 1;
  tree = {{"collective=scan" + std::string(rest, ' '), Tree::object()}};
  ASSERT_EQ(tree.dump(1).size() + 1, 4096U);
  EXPECT_EQ(mpich_rules({tree.dump(), ""}, {}, {8, true}, leaves).algorithms.size(), 4097U);
}

TEST(TuneMpichRules, TheTablesAreFoundAmongTexts) {
  const std::vector<std::string> texts = {R"({"collective=)", device, algorithms,
                                          R"({"collective=bcast":{"algorithm=MPIDI_POSIX":{}}})"};
  EXPECT_EQ(mpich_tables(texts).algorithms, algorithms);
  EXPECT_EQ(mpich_tables(texts).device, device);
  EXPECT_TRUE(mpich_tables({}).algorithms.empty());
}

TEST(TuneMpichRules, AlgorithmsAreThoseOfTheVariableThatAFileCanName) {
  const std::string description =
      "Variable to select bcast algorithmauto - Internal selection (or a file)ring   - Force a "
      "ringnb - Force nonblocking algorithmscatter_ring - Force Scatter Ringother_ring - another";
  const auto ways = mpich_ways("bcast", {description, leaves});
  EXPECT_EQ(ways,
            (std::vector<Way>{{1, 0, 0, "ring"}, {2, 0, 0, "nb"}, {3, 0, 0, "scatter_ring"}}));
  EXPECT_EQ(mpich_value("What to doerror   - throwprint - sayhave_print - no", "print"), 1);
  EXPECT_EQ(mpich_value("nothing", "error"), -1);
}

}  // namespace
}  // namespace pat::tune
