#include "core/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "tests/unit/textbook_series.hpp"

namespace pat {
namespace {

namespace fs = std::filesystem;

class TraceFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("pat-trace-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

Trace small_trace(bool with_computing) {
  Trace trace;
  trace.ranks = 3;
  trace.region = "solve";
  trace.clock = "one clock";
  trace.origin = "written by hand";
  trace.remarks = {"seed 7"};
  trace.arrival_s = {0.0, 1e-9, 0.25, 1.5, 2.000000001, 3.0};
  if (with_computing) trace.computing_s = {0.5, 0.5, 0.5, 1.0, 1.0, 1.0};
  return trace;
}

TEST_F(TraceFile, KeepsEdges) {
  Trace trace = small_trace(true);
  trace.edges = {{0.5, {0.25, NAN, 0.3, 0.0, 1e-9, 0.6}}, {0.07, {NAN, NAN, NAN, NAN, 0.1, NAN}}};
  trace.places = {"a", "b"};
  trace.place = {0, 1};
  write_trace(trace, path("t"));
  const Trace again = read_trace(path("t"));
  ASSERT_EQ(again.edges.size(), 2U);
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(again.edges[e].fraction, trace.edges[e].fraction);
    ASSERT_EQ(again.edges[e].time_s.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i)
      if (std::isnan(trace.edges[e].time_s[i]))
        EXPECT_TRUE(std::isnan(again.edges[e].time_s[i]));
      else
        EXPECT_DOUBLE_EQ(again.edges[e].time_s[i], trace.edges[e].time_s[i]);
  }
  const auto parts = by_place(again);
  ASSERT_EQ(parts[0].edges.size(), 1U) << "0.07 was never said there";
  EXPECT_EQ(parts[0].edges[0].time_s.size(), 3U);
  ASSERT_EQ(parts[1].edges.size(), 2U);
  EXPECT_DOUBLE_EQ(parts[1].edges[1].time_s[1], 0.1);
  trace.edges[0].time_s.pop_back();
  EXPECT_THROW(write_trace(trace, path("t")), Error);
}

TEST_F(TraceFile, ComesBackAsItWas) {
  for (const bool with_computing : {false, true}) {
    const Trace trace = small_trace(with_computing);
    write_trace(trace, path("t"));
    const Trace again = read_trace(path("t"));
    EXPECT_EQ(again.ranks, 3);
    EXPECT_EQ(again.iterations(), 2);
    EXPECT_EQ(again.region, trace.region);
    EXPECT_EQ(again.clock, trace.clock);
    EXPECT_EQ(again.origin, trace.origin);
    EXPECT_EQ(again.remarks, trace.remarks);
    EXPECT_EQ(again.arrival_s, trace.arrival_s);
    EXPECT_EQ(again.computing_s, trace.computing_s);
    EXPECT_TRUE(again.complete);
    EXPECT_EQ(files(), 1u) << "no temporary file stays";
  }
}

TEST_F(TraceFile, KeepsHintsAndPlaces) {
  Trace trace = small_trace(true);
  trace.hints = {{"particles", {1e6, 0.1, -3.0, 12345678.9, NAN, 0.0}},
                 {"share of work", {NAN, NAN, NAN, NAN, NAN, 0.5}}};
  trace.places = {"gather, root 0", "reduce, root 1"};
  trace.place = {1, 0};
  write_trace(trace, path("t"));
  const Trace again = read_trace(path("t"));
  ASSERT_EQ(again.hints.size(), 2u);
  for (std::size_t h = 0; h < 2; ++h) {
    EXPECT_EQ(again.hints[h].name, trace.hints[h].name);
    for (std::size_t i = 0; i < 6; ++i)
      if (std::isnan(trace.hints[h].value[i]))
        EXPECT_TRUE(std::isnan(again.hints[h].value[i]));
      else
        EXPECT_EQ(again.hints[h].value[i], trace.hints[h].value[i]);
  }
  EXPECT_EQ(again.places, trace.places);
  EXPECT_EQ(again.place, trace.place);
  EXPECT_EQ(again.arrival_s, trace.arrival_s);
}

TEST_F(TraceFile, PartsByPlace) {
  Trace trace = small_trace(true);
  trace.hints = {{"rebuild", {1, 2, 3, NAN, NAN, NAN}}};
  EXPECT_EQ(by_place(trace).size(), 1u);
  EXPECT_EQ(by_place(trace)[0].region, "solve");
  trace.places = {"gather", "reduce"};
  trace.place = {1, 0};
  const std::vector<Trace> parts = by_place(trace);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].region, "gather");
  EXPECT_EQ(parts[0].arrival_s, (std::vector<double>{1.5, 2.000000001, 3.0}));
  EXPECT_EQ(parts[0].computing_s, (std::vector<double>{1.0, 1.0, 1.0}));
  EXPECT_TRUE(parts[0].hints.empty()) << "never given there";
  EXPECT_EQ(parts[1].iterations(), 1);
  EXPECT_EQ(parts[1].hints.at(0).value, (std::vector<double>{1, 2, 3}));
}

TEST_F(TraceFile, OfADeadProgramSaysSo) {
  std::ofstream(path("t")) << "# pat-trace 1\n# P: 3\n# iterations: open\n"
                              "1 2 3\n4 5 6\n7.0 8.";  // stopped within a line
  const Trace trace = read_trace(path("t"));
  EXPECT_FALSE(trace.complete);
  EXPECT_EQ(trace.iterations(), 2);
  EXPECT_DOUBLE_EQ(trace.arrival(1, 2), 6.0);
}

TEST_F(TraceFile, IsNotWrittenWhereItCannotBeRead) {
  std::ofstream(path("t")) << "an older trace\n";
  Trace trace = small_trace(false);
  for (const double bad : {double{NAN}, -1.0, double{INFINITY}}) {
    trace.arrival_s[4] = bad;
    EXPECT_THROW(write_trace(trace, path("t")), Error);
  }
  trace.arrival_s.pop_back();
  EXPECT_THROW(write_trace(trace, path("t")), Error) << "uneven";
  trace = small_trace(true);
  trace.computing_s.resize(3);
  EXPECT_THROW(write_trace(trace, path("t")), Error);
  trace = small_trace(false);
  trace.hints = {{"particles", {1, 2, 3}}};
  EXPECT_THROW(write_trace(trace, path("t")), Error);
  trace = small_trace(false);
  trace.places = {"a", "b"};
  EXPECT_THROW(write_trace(trace, path("t")), Error);
  EXPECT_THROW(write_trace(small_trace(false), "/nonexistent/folder/t"), Error);
  EXPECT_THROW(write_trace(small_trace(false), folder_.string()), Error) << "a folder";
  EXPECT_EQ(files(), 1u);
  std::string line;
  std::getline(std::ifstream(path("t")), line);
  EXPECT_EQ(line, "an older trace") << "stays when the new one cannot be made";
}

std::string complaint(const std::string& text) {
  std::istringstream input(text);
  try {
    parse_trace(input, "t.trace");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    return error.what();
  }
  return "";
}

TEST(ParseTrace, NamesTheLine) {
  const std::string head = "# pat-trace 1\n# P: 2\n";
  EXPECT_NE(complaint("1 2\n").find("line 1"), std::string::npos);
  EXPECT_NE(complaint("").find("line 1"), std::string::npos);
  EXPECT_NE(complaint(head + "1 2\n1 x\n").find("line 4: 'x'"), std::string::npos);
  EXPECT_NE(complaint(head + "1 nan\n").find("line 3"), std::string::npos);
  EXPECT_NE(complaint(head + "1 -2\n").find("line 3"), std::string::npos);
  EXPECT_NE(complaint(head + "1 1e308\n").find("30 years"), std::string::npos);
  EXPECT_NE(complaint(head + "1 2 3\n").find("3 times, P is 2"), std::string::npos);
  EXPECT_NE(complaint("# pat-trace 1\n1 2\n").find("before"), std::string::npos);
  EXPECT_NE(complaint("# pat-trace 1\n# P: 0\n").find("line 2"), std::string::npos);
  EXPECT_NE(complaint(head + "# unit: h\n").find("line 3"), std::string::npos);
  EXPECT_NE(complaint(head + "# iterations: 2\n1 2\n").find("promises 2"), std::string::npos);
  EXPECT_NE(complaint(head + "# block: other\n").find("block"), std::string::npos);
  EXPECT_NE(complaint(head + "1 2\n# block: computing\n1 2\n1 2\n").find("computing"),
            std::string::npos);
  EXPECT_NE(complaint(head + "1 2\n# block: hint size\n1 2\n3 4\n").find("'size'"),
            std::string::npos);
  EXPECT_NE(complaint(head + "1 2\n# block: hint size\n1 inf\n").find("line 5"), std::string::npos);
  EXPECT_NE(complaint(head + "# place: a\n1 2\n").find("place block"), std::string::npos);
  EXPECT_NE(complaint(head + "# place: a\n1 2\n# block: place\n2\n").find("from 1 to 1"),
            std::string::npos);
  EXPECT_NE(complaint(head + "# place: a\n1 2\n# block: place\n1 1\n").find("of one iteration"),
            std::string::npos);
  EXPECT_EQ(complaint(head + "# place: a\n1 2\n# block: place\n1\n# block: hint a b\nnan -2\n"),
            "");
  EXPECT_EQ(complaint(head + "# iterations: 1\n\n1 2\n"), "");
  const std::string edge = head + "1 2\n# block: edge ";
  EXPECT_EQ(complaint(edge + "0.5\n1 nan\n"), "");
  EXPECT_NE(complaint(edge + "0.5\n1 2\n3 4\n").find("of an edge"), std::string::npos);
  EXPECT_NE(complaint(edge + "1\n1 2\n").find("'1' is no share"), std::string::npos);
  EXPECT_NE(complaint(edge + "half\n1 2\n").find("'half' is no share"), std::string::npos);
  EXPECT_NE(complaint(edge + "0.5\n1 -1\n").find("line 5: '-1'"), std::string::npos);
  EXPECT_NE(complaint(edge + "0.5\n1 2\n# block: edge 0.501\n").find("twice"), std::string::npos);
  std::string many = head + "1 2\n";
  for (int e = 1; e <= 9; ++e) many += "# block: edge 0." + std::to_string(e) + "\n1 2\n";
  EXPECT_NE(complaint(many).find("more than 8"), std::string::npos);
}

TEST(ParseTrace, ConvertsUnits) {
  std::istringstream input("# pat-trace 1\n# P: 2\n# unit: ms\n1 2.5\n");
  EXPECT_DOUBLE_EQ(parse_trace(input, "t").arrival(0, 1), 0.0025);
}

TEST(Statistics, KendallAgainstWorkedExamples) {
  // By hand: of the ten pairs, (1,2) and (4,5) disagree, so tau = (8 - 2) / 10.
  const std::vector<double> a{1, 2, 3, 4, 5}, b{2, 1, 3, 5, 4};
  EXPECT_DOUBLE_EQ(kendall_tau(a, b), 0.6);
  EXPECT_DOUBLE_EQ(kendall_tau(a, a), 1.0);
  const std::vector<double> reversed{5, 4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(kendall_tau(a, reversed), -1.0);
  EXPECT_DOUBLE_EQ(kendall_tau(a, std::vector<double>(5, 1.0)), 0.0);
  EXPECT_DOUBLE_EQ(kendall_tau({}, {}), 0.0);
  // R 4.2.2: cor(LakeHuron, 1:98, method = "kendall"); the series has ties.
  std::vector<double> year(test::lake_huron.size());
  std::iota(year.begin(), year.end(), 1.0);
  EXPECT_NEAR(kendall_tau(test::lake_huron, year), -0.3543667075, 1e-9);
}

TEST(Statistics, RunsTestAgainstR) {
  // R 4.2.2, package tseries 0.10: runs.test(factor(x > median(x))), values at the median left out.
  const RunsTest hormone = runs_test(test::luteinizing_hormone);
  EXPECT_EQ(hormone.runs, 13);
  EXPECT_EQ(hormone.above, 23);
  EXPECT_EQ(hormone.below, 21);
  EXPECT_NEAR(hormone.z, -3.043366912, 1e-8);
  EXPECT_NEAR(hormone.p_value, 0.002339468972, 1e-9);
  EXPECT_NEAR(runs_test(test::lake_huron).z, -5.8893, 5e-5);
  EXPECT_EQ(runs_test(std::vector<double>(9, 1.0)).p_value, 1.0);
}

TEST(Statistics, AutocorrelationAgainstR) {
  const std::vector<double> r = autocorrelation(test::lake_huron, 5);  // R 4.2.2: acf(LakeHuron)
  const double expected[] = {1.0,          0.8319112104, 0.6099371036,
                             0.4582506053, 0.3705030652, 0.3255536661};
  for (std::size_t lag = 0; lag < 6; ++lag) EXPECT_NEAR(r[lag], expected[lag], 1e-9) << lag;
  EXPECT_EQ(autocorrelation(std::vector<double>{2.0, 2.0}, 3), (std::vector<double>{1, 0, 0, 0}));
}

TEST(Statistics, KendallCountsEveryPairAndItsTies) {
  std::uint64_t state = 1;
  std::vector<double> a(60), b(60);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>((state = state * 6364136223846793005u + 1442695040888963407u) >> 60);
    b[i] = static_cast<double>((state = state * 6364136223846793005u + 1442695040888963407u) >> 60);
  }
  double agree = 0, tied_a = 0, tied_b = 0, pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double product = (a[i] - a[j]) * (b[i] - b[j]);
      agree += product > 0 ? 1 : product < 0 ? -1 : 0;
      tied_a += a[i] == a[j];
      tied_b += b[i] == b[j];
      ++pairs;
    }
  }
  EXPECT_NEAR(kendall_tau(a, b), agree / std::sqrt((pairs - tied_a) * (pairs - tied_b)), 1e-12);
}

TEST(ParseTrace, KnowsWhenCallsWereLeftAndWhatTheyWereDoneWith) {
  const std::string head =
      "# pat-trace 1\n# P: 2\n# iterations: 2\n# unit: s\n# algorithm: bsls\n# block: arrival\n1 "
      "2\n1 "
      "1\n";
  const auto parse = [&](const std::string& blocks) {
    std::istringstream text(head + blocks);
    return parse_trace(text, "test");
  };
  const Trace trace =
      parse("# block: left\n3 2\n4 4\n# block: start\n0\n7\n# block: algorithm\n1\n0\n");
  EXPECT_EQ(trace.left_s, (std::vector<double>{3, 2, 4, 4}));
  EXPECT_EQ(trace.start_s, (std::vector<double>{0, 7}));
  EXPECT_EQ(trace.algorithm, (std::vector<int>{0, -1}));
  const std::string path = testing::TempDir() + "left.trace";
  write_trace(trace, path);
  const Trace again = read_trace(path);
  std::remove(path.c_str());
  EXPECT_EQ(again.left_s, trace.left_s);
  EXPECT_EQ(again.start_s, trace.start_s);
  EXPECT_EQ(again.algorithms, trace.algorithms);
  EXPECT_EQ(again.algorithm, trace.algorithm);
  for (const char* wrong :
       {"# block: left\n3 2\n", "# block: start\n0\n", "# block: start\n0 1\n7\n",
        "# block: start\n-1\n7\n", "# block: algorithm\n1\n2\n", "# block: algorithm\n1\n"})
    EXPECT_THROW(parse(wrong), Error) << wrong;
}

}  // namespace
}  // namespace pat
