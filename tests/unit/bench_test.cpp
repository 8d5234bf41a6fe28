// pat bench without MPI: what is made of the measured times, and its figures.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>

#include "core/errors.hpp"
#include "tools/bench/results.hpp"
#include "tools/plot_figure.hpp"

namespace pat::bench {

using namespace measure;

namespace {

Series series_of(const std::string& algorithm, double centre_s, double delay_s = 0.05) {
  Series series;
  series.operation = "gather";
  series.algorithm = algorithm;
  series.pattern = "uniform:50ms";
  series.delay_s = delay_s;
  series.bytes = 8388608;
  series.ranks = 4;
  series.root = "0";
  for (int i = 0; i < 30; ++i) {
    Sample sample;
    sample.iteration = static_cast<std::uint64_t>(i);
    sample.run_s = centre_s * (1.0 + 0.001 * (i * 7 % 30));
    sample.imbalance_s = 0.04;
    sample.elapsed_mean_s = centre_s / 2;
    sample.waiting_s = {0.0, 0.1, 0.2, 0.3};
    series.samples.push_back(sample);
  }
  return series;
}

Results two_series() {
  Results results;
  results.baseline = "mpi";
  results.series = {series_of("mpi", 0.100), series_of("bsls", 0.080)};
  results.series[1].balanced_run_s = std::vector<double>(9, 0.070);
  return results;
}

TEST(Results, AbsorptionFollowsItsDefinition) {
  const Results results = two_series();
  const Summary summary = summarize(results.series[1], 1);
  ASSERT_TRUE(summary.has_absorption);
  EXPECT_NEAR(summary.absorption_s, 0.070 + 0.04 - summary.median_s, 1e-12);
  EXPECT_NEAR(summary.normalized_absorption, summary.absorption_s / 0.070, 1e-12);
}

TEST(Results, ComparesIterationsThatBothHave) {
  Results results = two_series();
  Series& own = results.series[1];
  EXPECT_NEAR(compare(own, results.series[0], 1)->test.ratio, 0.8, 1e-12);
  // What the delays of an iteration do to both cancels, whatever was dropped.
  for (Series& series : results.series)
    for (Sample& sample : series.samples) sample.run_s *= 1.0 + double(sample.iteration);
  own.samples.erase(own.samples.begin() + 3, own.samples.begin() + 9);
  const Interval interval = compare(own, results.series[0], 1)->interval;
  EXPECT_NEAR(interval.lower, 0.8, 1e-9);
  EXPECT_NEAR(interval.upper, 0.8, 1e-9);
  own.samples.resize(1);
  own.samples[0].iteration = 99;
  EXPECT_FALSE(compare(own, results.series[0], 1).has_value());
}

std::string written(const Results& results, Format format, bool samples = false) {
  std::ostringstream out;
  write(results, {format, true, samples}, out);
  return out.str();
}

TEST(Results, AreWrittenInEveryFormat) {
  const Results results = two_series();
  EXPECT_NE(written(results, Format::table).find("0.800 ["), std::string::npos);
  const std::string osu = written(results, Format::osu);
  EXPECT_NE(osu.find("# Size"), std::string::npos);
  EXPECT_NE(osu.find("\n8388608 "), std::string::npos);
  const auto json = nlohmann::json::parse(written(results, Format::json, true));
  EXPECT_EQ(json["results"][1]["algorithm"], "bsls");
  EXPECT_NEAR(json["results"][1]["ratio"]["value"].get<double>(), 0.8, 1e-12);
  EXPECT_EQ(json["results"][0]["samples"]["run_s"].size(), 30u);
  EXPECT_NEAR(json["results"][0]["waiting_per_rank_s"][3].get<double>(), 0.3, 1e-12);
  for (const bool samples : {false, true}) {
    std::istringstream csv(written(results, Format::csv, samples));
    std::string line;
    std::getline(csv, line);
    const auto columns = std::count(line.begin(), line.end(), ',');
    int rows = 0;
    while (std::getline(csv, line)) {
      EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
      ++rows;
    }
    EXPECT_EQ(rows, samples ? 60 : 2);
  }
}

TEST(Results, NameTheIterationsThatWereKept) {
  Results results = two_series();
  auto& samples = results.series[1].samples;
  samples.erase(samples.begin(), samples.begin() + 4);  // warm-up and dropped ones
  samples[0].forecast_error_s = 0.25;
  std::istringstream csv(written(results, Format::csv, true));
  std::string line, last;
  while (std::getline(csv, line)) {
    if (line.starts_with("gather,bsls") && last.starts_with("gather,mpi")) {
      EXPECT_NE(line.find(",0.05,4,"), std::string::npos) << line;
    }
    last = line;
  }
  EXPECT_NE(last.find(",0.05,29,"), std::string::npos) << last;
  const auto raw = to_json(results, true)["results"][1]["samples"];
  EXPECT_EQ(raw["iteration"][0], 4);
  EXPECT_EQ(raw["iteration"].size(), 26u);
  EXPECT_EQ(raw["forecast_error_s"][0], 0.25);
  EXPECT_TRUE(raw["forecast_error_s"][1].is_null());
  EXPECT_EQ(raw["waiting_per_rank_s"][0].size(), 4u);
  EXPECT_EQ(raw["elapsed_max_s"].size(), 26u);
  const double run_s = raw["run_s"][0].get<double>();
  EXPECT_NEAR(raw["absorption_s"][0].get<double>(), 0.070 + 0.04 - run_s, 1e-12);
  EXPECT_NEAR(raw["normalized_absorption"][0].get<double>(), (0.110 - run_s) / 0.070, 1e-12);
  EXPECT_FALSE(to_json(results, true)["results"][0]["samples"].contains("absorption_s"));
}

TEST(Results, SayWhereNoScheduleIsGenerated) {
  Results results = two_series();
  results.series[1].schedule_s = 2e-6;
  const auto entries = to_json(results, false)["results"];
  EXPECT_TRUE(entries[0].at("schedule_s").is_null());
  EXPECT_EQ(entries[1].at("schedule_s"), 2e-6);
  std::ostringstream table;
  write(results, {Format::table, true, false}, table);
  EXPECT_NE(table.str().find("schedule generated in -\n"), std::string::npos);
  EXPECT_NE(table.str().find("schedule generated in 2.0 us\n"), std::string::npos);
}

TEST(Results, HaveNoLeveneTestOfAFewIterations) {
  Results results = two_series();
  EXPECT_TRUE(to_json(results, false)["results"][0]["levene"]["p"].is_number());
  for (Series& series : results.series) series.samples.resize(8);
  EXPECT_TRUE(to_json(results, false)["results"][0]["levene"]["p"].is_null());
  std::ostringstream table;
  write(results, {Format::table, true, false}, table);
  EXPECT_NE(table.str().find("Levene p -\n"), std::string::npos);
}

TEST(Results, WithoutSamplesAreStillWritten) {
  Results results = two_series();
  results.series[0].samples.clear();
  results.series[1].samples.clear();
  for (const Format format : {Format::table, Format::osu, Format::csv, Format::json})
    EXPECT_NO_THROW(written(results, format));
}

TEST(Figure, IsDrawnFromSeveralRunsOrRefused) {
  Results first = two_series(), second = two_series();
  for (Series& series : second.series) series.delay_s = 0.1;
  const std::string path = testing::TempDir() + "bench_figure.png";
  plot_figure({to_json(first, false), to_json(second, false)}, {}, path);
  std::ifstream file(path, std::ios::binary);
  std::string head(8, ' ');
  file.read(head.data(), 8);
  EXPECT_EQ(head, "\x89PNG\r\n\x1a\n");
  EXPECT_THROW(plot_figure({to_json(first, false)}, {}, "figure.txt"), Error);
  EXPECT_THROW(plot_figure({nlohmann::json::object()}, {}, path), Error);
  FigureOptions no_such_axis;
  no_such_axis.x = "colour";
  EXPECT_THROW(plot_figure({to_json(first, false)}, no_such_axis, path), Error);
  FigureOptions no_such_value;
  no_such_value.y = "colour";
  EXPECT_THROW(plot_figure({to_json(first, false)}, no_such_value, path), Error);
}

TEST(Figure, DrawsAutocorrelationsAndSpectra) {
  const auto one = to_json(two_series(), false);
  const std::string path = testing::TempDir() + "bench_correlation.png";
  for (const char* kind : {"autocorrelation", "spectrum"}) {
    std::remove(path.c_str());
    FigureOptions options;
    options.y = kind;
    EXPECT_NO_THROW(plot_figure({one}, options, path)) << kind;
    EXPECT_TRUE(std::ifstream(path).good()) << kind;
    EXPECT_THROW(plot_figure(std::vector<nlohmann::json>(9, one), options, path), Error);
    auto empty = one;
    for (auto& result : empty["results"])
      result.erase("autocorrelation"), result.erase("periodogram_s2");
    EXPECT_THROW(plot_figure({empty}, options, path), Error);
  }
}

TEST(Results, SayWhichLagsAreCorrelated) {
  Results results = two_series();
  for (std::size_t i = 0; i < 30; ++i)
    results.series[1].samples[i].run_s = 0.08 + 0.01 * (i / 2 % 2 ? 1.0 : -1.0);  // period 4
  std::mt19937 random(3);
  for (Sample& sample : results.series[0].samples)
    sample.run_s = 0.1 + 1e-12 * static_cast<double>(random());
  std::ostringstream table;
  write(results, {Format::table, true, false}, table);
  EXPECT_NE(table.str().find("autocorrelation outside +-0.358 (95 %): none of 20 lags\n"),
            std::string::npos)
      << table.str();
  EXPECT_NE(table.str().find("lags, strongest -0.933 at lag 2, last at lag 18\n"),
            std::string::npos)
      << table.str();
  EXPECT_NEAR(to_json(results, false)["results"][1]["autocorrelation_bound"].get<double>(), 0.3578,
              1e-4);
}

}  // namespace
}  // namespace pat::bench
