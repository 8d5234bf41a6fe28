// The regret table without MPI: what is made of the measured calls.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/regret/cell.hpp"
#include "bench/regret/row.hpp"
#include "bench/regret/table.hpp"
#include "core/errors.hpp"

namespace pat::regret {
namespace {

using nlohmann::json;

constexpr int calls = 40;

/// Run times around `centre_s`, the same noise for all ways, as the delays of a call are.
std::vector<double> around(double centre_s) {
  std::vector<double> run_s;
  for (int i = 0; i < calls; ++i) run_s.push_back(centre_s * (1.0 + 0.01 * (i * 7 % 5)));
  return run_s;
}

json result(const std::string& algorithm, const std::vector<double>& run_s,
            const std::string& pattern = "none") {
  std::vector<int> iteration(run_s.size());
  for (std::size_t i = 0; i < run_s.size(); ++i) iteration[i] = static_cast<int>(i) + 8;
  return {{"operation", "gather"},
          {"algorithm", algorithm},
          {"ranks", 8},
          {"bytes", 1048576},
          {"pattern", pattern},
          {"samples", {{"iteration", iteration}, {"run_s", run_s}}}};
}

json document(const std::vector<json>& results, const json& edges = {0.5}) {
  return {{"format", "pat-bench 1"},
          {"settings", {{"edges", edges}, {"knowledge", "predicted"}, {"warmup", 8}}},
          {"results", results}};
}

/// mpi 100 ms, auto and two algorithms as told.
json usual(double auto_s, double fast_s, const std::string& pattern = "none",
           const json& edges = {0.5}) {
  return document({result("mpi", around(0.100), pattern), result("plain", around(0.099), pattern),
                   result("ls", around(0.120), pattern), result("bsls", around(fast_s), pattern),
                   result("auto", around(auto_s), pattern)},
                  edges);
}

Row row_of(const json& measured) {
  const auto cells = parse_cells(measured.dump(), "cell.json", "8x1gbit");
  EXPECT_EQ(cells.size(), 1u);
  return evaluate(cells.at(0), 1, {});
}

TEST(Regret, ComparesAutoWithTheBestWayAndWithMpi) {
  const Row row = row_of(usual(0.063, 0.060));
  EXPECT_EQ(row.best, "bsls");
  EXPECT_EQ(row.calls, calls);
  EXPECT_NEAR(row.best_over_mpi->value, 0.60, 1e-9);
  EXPECT_NEAR(row.auto_over_best->value, 1.05, 1e-9);
  EXPECT_NEAR(row.auto_over_best->interval.lower, 1.05, 1e-9);  // the noise cancels
  EXPECT_NEAR(row.auto_over_mpi->value, 0.63, 1e-9);
  EXPECT_NEAR(row.mpi_over_plain->value, 100.0 / 99.0, 1e-9);
  EXPECT_NEAR(*row.gain_share, 37.0 / 40.0, 1e-9);
  EXPECT_FALSE(row.settling);
}

TEST(Regret, NeitherAutoNorPlainIsTheBestWay) {
  const Row row = row_of(usual(0.050, 0.100));
  EXPECT_EQ(row.best, "mpi");
  EXPECT_NEAR(row.auto_over_best->value, 0.5, 1e-9);
  EXPECT_FALSE(row.gain_share);  // nobody is ahead of mpi
}

TEST(Regret, JudgesByTheAims) {
  const Aims aims;
  const Row good = row_of(usual(0.061, 0.060));
  EXPECT_EQ(good.near_best(aims), true);
  EXPECT_EQ(good.never_slower(aims), true);
  EXPECT_EQ(good.shares_gain(aims), true);
  EXPECT_EQ(good.settles(aims), std::nullopt);
  const Row bad = row_of(usual(0.103, 0.060));
  EXPECT_EQ(bad.near_best(aims), false);
  EXPECT_EQ(bad.never_slower(aims), false);
  EXPECT_EQ(bad.shares_gain(aims), false);
  EXPECT_EQ(row_of(usual(0.099, 0.095)).shares_gain(aims), std::nullopt);  // not 10 % ahead
}

TEST(Regret, TheUpperEndOfTheIntervalCounts) {
  std::vector<double> wild = around(0.060);
  for (std::size_t i = 0; i < wild.size(); i += 2) wild[i] *= 1.3;
  const Row row = row_of(document(
      {result("mpi", around(0.100)), result("bsls", around(0.060)), result("auto", wild)}));
  ASSERT_GT(row.auto_over_best->interval.upper, 1.08);
  EXPECT_EQ(row.near_best({}), false);
}

TEST(Regret, AsksForTheGainOnlyWhereArrivalsCouldBeKnown) {
  const json none = json::array();
  EXPECT_FALSE(row_of(usual(0.099, 0.060, "uniform:5ms", none)).known);
  EXPECT_EQ(row_of(usual(0.099, 0.060, "uniform:5ms", none)).shares_gain({}), std::nullopt);
  EXPECT_TRUE(row_of(usual(0.099, 0.060, "uniform:5ms")).known);
  EXPECT_TRUE(row_of(usual(0.099, 0.060, "fixed:5ms", none)).known);
  EXPECT_EQ(row_of(usual(0.099, 0.060, "fixed:5ms", none)).cell.knowledge, "history");
}

TEST(Regret, ComparesTheCallsThatBothHave) {
  json measured = usual(0.060, 0.060);
  json& samples = measured["results"][4]["samples"];
  for (int dropped = 0; dropped < 10; ++dropped)
    for (const char* column : {"iteration", "run_s"}) samples[column].erase(3);
  const Row row = row_of(measured);
  EXPECT_EQ(row.calls, calls - 10);
  EXPECT_NEAR(row.auto_over_best->value, 1.0, 1e-9);
}

/// Calls 8 to 47 of a pattern with ten calls in each state; `slow` calls of `auto` after each
/// change are twice as long. In the end it takes what mpi takes times `over_mpi`.
json changing(int slow, double over_mpi = 1.0) {
  std::vector<double> mpi_s, auto_s;
  for (int i = 8; i < 48; ++i) {
    mpi_s.push_back(i / 10 % 2 == 1 ? 0.050 : 0.020);
    auto_s.push_back(mpi_s.back() * over_mpi * (i >= 10 && i % 10 < slow ? 2.0 : 1.0));
  }
  const std::string pattern = "change:10:single:-1:20ms";
  return document({result("mpi", mpi_s, pattern), result("auto", auto_s, pattern)});
}

TEST(Regret, SplitsAPatternThatChangesAndCountsTheCallsUntilAutoIsThere) {
  for (const int slow : {0, 3, 9}) {
    const auto cells = parse_cells(changing(slow).dump(), "cell.json", "8x1gbit");
    ASSERT_EQ(cells.size(), 2u);
    const Row before = evaluate(cells[0], 1, {}), changed = evaluate(cells[1], 1, {});
    EXPECT_EQ(before.cell.changed, false);
    EXPECT_EQ(changed.cell.changed, true);
    EXPECT_EQ(before.calls, 20);
    EXPECT_EQ(changed.calls, 20);
    for (const Row& row : {before, changed})  // one that never settles has settled at once
      EXPECT_EQ(row.settling->calls, slow < 9 ? slow : 0);
  }
}

TEST(Regret, SettlesWhereAutoIsSoonNearTheBestWay) {
  const auto changed = [](int slow, double over_mpi) {
    const auto cells = parse_cells(changing(slow, over_mpi).dump(), "cell.json", "8x1gbit");
    return evaluate(cells.at(1), 1, {});
  };
  EXPECT_EQ(changed(5, 1.0).settles({}), true);
  EXPECT_EQ(changed(6, 1.0).settles({}), false);
  EXPECT_EQ(changed(0, 1.04).settles({}), true);
  EXPECT_EQ(changed(0, 1.06).settles({}), false);  // settled, but elsewhere
  EXPECT_NEAR(changed(0, 1.06).settling->over_best, 1.06, 1e-9);
}

TEST(Regret, SaysWhatAutoTook) {
  const std::string report = R"({"process": [
    {"rank": 0, "streams": [
      {"operation": "gather", "choice": "auto", "leader": 0,
       "calls_by_algorithm": {"bsls": 20, "mpi": 4},
       "reasons": [{"calls": 20, "reason": "it is cheapest"}, {"calls": 4, "reason": "other"}]},
      {"operation": "gather", "choice": "ls", "leader": 0, "calls_by_algorithm": {"ls": 24},
       "reasons": []}]},
    {"rank": 1, "streams": [
      {"operation": "gather", "choice": "auto", "leader": 0,
       "calls_by_algorithm": {"bsls": 20, "mpi": 4}, "reasons": []}]}]})";
  const auto cells = parse_cells(usual(0.099, 0.060).dump(), "cell.json", "8x1gbit", report);
  EXPECT_EQ(cells.at(0).chosen, "bsls 20, mpi 4: it is cheapest");
}

std::size_t commas_outside_quotes(const std::string& line) {
  std::size_t commas = 0;
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    commas += !inside && c == ',';
  }
  return commas;
}

TEST(Regret, WritesTableAndCsv) {
  std::vector<Row> rows = {row_of(usual(0.061, 0.060)), row_of(usual(0.103, 0.060, "uniform:5ms"))};
  rows[1].cell.chosen = "mpi 28: balanced, so \"mpi\"";
  std::ostringstream text, csv;
  write_text(rows, {}, text);
  EXPECT_NE(text.str().find("auto at most 1.02 of mpi: in 1 of 2 cells"), std::string::npos)
      << text.str();
  EXPECT_NE(text.str().find("after a change: asked in no cell"), std::string::npos);
  EXPECT_NE(text.str().find("uniform:5ms, edge at 0.5; mpi 28: balanced"), std::string::npos);
  EXPECT_NE(text.str().find("best,mpi,gain"), std::string::npos);
  write_csv(rows, {}, csv);
  std::istringstream lines(csv.str());
  std::string heading, line;
  std::getline(lines, heading);
  int count = 0;
  for (; std::getline(lines, line); ++count)
    EXPECT_EQ(commas_outside_quotes(line), commas_outside_quotes(heading)) << line;
  EXPECT_EQ(count, 2);
}

TEST(Regret, RefusesWhatItCannotUse) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      parse_cells(text, "cell.json", "8x1gbit");
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(refusal("{").find("'cell.json'"), std::string::npos);
  EXPECT_NE(refusal("[]").find("pat bench"), std::string::npos);
  EXPECT_NE(refusal(document({}).dump()).find("no results"), std::string::npos);
  EXPECT_NE(refusal(document({result("mpi", around(1.0))}).dump()).find("has no 'auto'"),
            std::string::npos);
  json broken = usual(0.1, 0.1);
  broken["results"][1]["samples"]["run_s"].erase(0);
  EXPECT_NE(refusal(broken.dump()).find("are not all there"), std::string::npos);
  broken = usual(0.1, 0.1);
  broken["results"][1]["samples"]["run_s"][0] = -1.0;
  EXPECT_NE(refusal(broken.dump()).find("is no time"), std::string::npos);
  broken = usual(0.1, 0.1);
  broken["results"][1]["ranks"] = 3e73;
  EXPECT_NE(refusal(broken.dump()).find("3e+73 is not a whole number up to 2147483647"),
            std::string::npos);
  broken = usual(0.1, 0.1);
  broken["results"][1]["samples"]["iteration"][0] = -1;
  EXPECT_NE(refusal(broken.dump()).find("-1 is not a whole number"), std::string::npos);
  broken["results"][1].erase("samples");
  EXPECT_NE(refusal(broken.dump()).find("--samples"), std::string::npos);
  broken["format"] = "pat-bench 2";
  EXPECT_NE(refusal(broken.dump()).find("--samples"), std::string::npos);
}

}  // namespace
}  // namespace pat::regret
