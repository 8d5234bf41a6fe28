// pat bench without MPI: patterns, units, what is made of the measured times, and the engine.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <sstream>

#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/trace.hpp"
#include "measure/delays.hpp"
#include "measure/engine.hpp"
#include "measure/units.hpp"
#include "tools/bench/results.hpp"
#include "tools/plot_figure.hpp"

namespace pat::bench {

using namespace measure;

namespace {

TEST(Units, ReadsTimesAndSizes) {
  EXPECT_DOUBLE_EQ(parse_seconds("50ms"), 0.05);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5us"), 1.5e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("0"), 0.0);
  for (const char* wrong : {"", "50", "ms", "-1ms", "1m", "5 ms", "nan s", "1e999s"})
    EXPECT_THROW(parse_seconds(wrong), Error) << wrong;
  EXPECT_EQ(parse_sizes("1k,8MiB"), (std::vector<std::size_t>{1024, 8388608}));
  EXPECT_EQ(parse_sizes("4:32,100"), (std::vector<std::size_t>{4, 8, 16, 32, 100}));
  for (const char* wrong : {"", "0", "1k,", "8:4", "1:2:3", "x"})
    EXPECT_THROW(parse_sizes(wrong), Error) << wrong;
  EXPECT_EQ(format_bytes(8388608), "8 MiB");
  EXPECT_EQ(format_bytes(1000), "1000 B");
}

std::vector<double> many(const std::string& pattern, int ranks = 50, int iterations = 200) {
  const auto delays = make_delays(pattern, {ranks, 0, 42});
  std::vector<double> all;
  for (int i = 0; i < iterations; ++i)
    for (const double delay : delays->at(static_cast<std::uint64_t>(i))) all.push_back(delay);
  return all;
}

TEST(Delays, FixedPatternsDelayWhomTheyName) {
  using Row = std::vector<double>;
  const DelaysFor four{4, 2, 1};
  EXPECT_EQ(make_delays("none", four)->at(3), (Row{0, 0, 0, 0}));
  EXPECT_EQ(make_delays("single:1:5ms", four)->at(0), (Row{0, 5e-3, 0, 0}));
  EXPECT_EQ(make_delays("single:-1:5ms", four)->at(0), (Row{0, 0, 0, 5e-3}));
  EXPECT_EQ(make_delays("late-root:1s", four)->at(0), (Row{0, 0, 1, 0}));
  EXPECT_EQ(make_delays("alternating:1ms:2ms", four)->at(9), (Row{1e-3, 2e-3, 1e-3, 2e-3}));
}

TEST(Delays, RandomPatternsHaveTheirMoments) {
  const auto uniform = many("uniform:50ms");
  EXPECT_NEAR(mean(uniform), 25e-3, 0.5e-3);
  EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 50e-3);
  EXPECT_NEAR(standard_deviation(uniform), 50e-3 / std::sqrt(12.0), 0.3e-3);
  const auto normal = many("normal:50ms:5ms");
  EXPECT_NEAR(mean(normal), 50e-3, 0.3e-3);
  EXPECT_NEAR(standard_deviation(normal), 5e-3, 0.2e-3);
  EXPECT_GE(quantile(many("normal:1ms:5ms"), 0.0), 0.0);
  const auto gamma = many("gamma:4:10ms");
  EXPECT_NEAR(mean(gamma), 40e-3, 1e-3);
  EXPECT_NEAR(standard_deviation(gamma), 20e-3, 1e-3);
  const auto bernoulli = many("bernoulli:0.25:8ms");
  EXPECT_NEAR(mean(bernoulli), 2e-3, 0.2e-3);
  for (const double delay : bernoulli) EXPECT_TRUE(delay == 0.0 || delay == 8e-3);
}

TEST(Delays, DependOnSeedAndIterationOnly) {
  const auto a = make_delays("uniform:1ms", {8, 0, 1});
  const auto again = make_delays("uniform:1ms", {8, 0, 1});
  const auto other = make_delays("uniform:1ms", {8, 0, 2});
  a->at(0);
  EXPECT_EQ(a->at(5), again->at(5));
  EXPECT_NE(a->at(5), a->at(6));
  EXPECT_NE(a->at(5), other->at(5));
}

TEST(Delays, TraceStartsOverAndCountsFromTheEarliest) {
  const std::string path = testing::TempDir() + "bench_delays.trace";
  Trace trace;
  trace.ranks = 2;
  trace.arrival_s = {0.5, 0.2, 0.1, 0.4};
  write_trace(trace, path);
  const auto delays = make_delays("trace:" + path, {2, 0, 1});
  EXPECT_NEAR(delays->at(0)[0], 0.3, 1e-9);
  EXPECT_EQ(delays->at(0)[1], 0.0);
  EXPECT_EQ(delays->at(3), delays->at(1));
  EXPECT_THROW(make_delays("trace:" + path, {3, 0, 1}), Error);
  EXPECT_THROW(make_delays("trace:/nowhere", {2, 0, 1}), Error);
}

TEST(Delays, RefuseWhatTheyCannotRead) {
  for (const char* wrong :
       {"", "nune", "none:1", "single:4:1ms", "single:x:1ms", "single:1", "uniform", "uniform:5",
        "uniform:-1ms", "gamma:0:1ms", "bernoulli:1.5:1ms", "normal:1ms", "alternating:1ms",
        "trace", "trace:", "late-root"})
    EXPECT_THROW(make_delays(wrong, {4, 0, 1}), Error) << wrong;
}

TEST(Sample, IsComputedFromAllRanks) {
  //                        start planned arrival exit forecast
  const std::vector<RankTimes> ranks = {
      {0.0, 1.0, 1.0, 5.0, 1.5}, {0.1, 2.0, 2.2, 3.0, -1.0}, {0.0, 4.0, 4.0, 4.5, 3.0}};
  const Sample sample = evaluate(ranks);
  EXPECT_DOUBLE_EQ(sample.run_s, 4.0);
  EXPECT_DOUBLE_EQ(sample.elapsed_mean_s, (4.0 + 0.8 + 0.5) / 3);
  EXPECT_DOUBLE_EQ(sample.elapsed_max_s, 4.0);
  EXPECT_DOUBLE_EQ(sample.imbalance_s, 3.0);
  EXPECT_DOUBLE_EQ(sample.start_skew_s, 0.1);
  EXPECT_NEAR(sample.lateness_s, 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(sample.forecast_error_s, 0.75);
  ASSERT_EQ(sample.waiting_s.size(), 3u);
  EXPECT_DOUBLE_EQ(sample.waiting_s[0], 3.0);        // until the last one came
  EXPECT_DOUBLE_EQ(sample.waiting_s[1], 3.0 - 2.2);  // left before that
  EXPECT_DOUBLE_EQ(sample.waiting_s[2], 0.0);
  EXPECT_THROW(evaluate({}), Error);
}

/// An engine whose clock is counted by hand: synchronising takes 1, computing as told, operating 2.
struct FakeRank {
  double clock = 0.0;
  std::vector<std::string> log;
  double oversleeps_s = 0.0;
  int stop_after = -1, wrong_at = -1, measured = 0;

  Hooks hooks() {
    Hooks h;
    h.prepare = [this](const Entry& e, std::uint64_t i) {
      log.push_back(e.algorithm + std::to_string(i));
    };
    h.synchronise = [this] { clock += 1.0; };
    h.compute = [this](const Entry& e, std::uint64_t, RankTimes& t) {
      t.start_s = clock;
      t.planned_s = e.balanced ? 1.0 : 3.0;
      clock += t.planned_s + oversleeps_s;
    };
    h.operate = [this](const Entry&) { clock += 2.0; };
    h.check = [this](const Entry&, std::uint64_t) -> std::optional<std::string> {
      if (measured++ == wrong_at) return "rank 0 has a wrong element at index 7.";
      return std::nullopt;
    };
    h.now_s = [this] { return clock; };
    h.collect = [this](const RankTimes& t, const std::optional<std::string>& wrong) {
      return Hooks::Collected{{t}, measured == stop_after, wrong};
    };
    return h;
  }
};

Plan two_algorithms() {
  Plan plan;
  plan.entries = {{"a", false}, {"b", true}};
  plan.warmup = 1;
  plan.iterations = 3;
  return plan;
}

TEST(Engine, InterleavesAndLeavesTheWarmUpOut) {
  FakeRank rank;
  Engine engine(two_algorithms(), rank.hooks());
  const auto measured = engine.run();
  EXPECT_EQ(rank.log, (std::vector<std::string>{"a0", "b0", "b1", "a1", "a2", "b2", "b3", "a3"}));
  ASSERT_EQ(measured.size(), 2u);
  for (const Measured& m : measured) {
    ASSERT_EQ(m.samples.size(), 3u);
    EXPECT_DOUBLE_EQ(m.samples[0].run_s, 2.0);
    EXPECT_EQ(m.dropped, 0);
  }
  EXPECT_FALSE(engine.stopped());
  EXPECT_EQ(Engine::measurements(two_algorithms()), 8);
}

TEST(Engine, DropsAndCountsLateWakeUps) {
  FakeRank rank;
  rank.oversleeps_s = 0.01;
  const auto measured = Engine(two_algorithms(), rank.hooks()).run();
  EXPECT_EQ(measured[0].dropped, 3);
  EXPECT_TRUE(measured[0].samples.empty());
}

TEST(Engine, KeepsWhatItHasWhenStopped) {
  FakeRank rank;
  rank.stop_after = 5;
  Engine engine(two_algorithms(), rank.hooks());
  const auto measured = engine.run();
  EXPECT_TRUE(engine.stopped());
  EXPECT_EQ(measured[0].samples.size(), 2u);
  EXPECT_EQ(measured[1].samples.size(), 1u);
}

TEST(Engine, ShowsWhatItHasWhileItRuns) {
  FakeRank rank;
  Engine* running = nullptr;
  std::vector<std::size_t> seen;
  Hooks hooks = rank.hooks();
  hooks.progress = [&](long) { seen.push_back(running->measured()[0].samples.size()); };
  Engine engine(two_algorithms(), hooks);
  running = &engine;
  engine.run();
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 0, 0, 1, 2, 2, 2, 3}));
}

TEST(Engine, EndsWithAWrongResult) {
  FakeRank rank;
  rank.wrong_at = 3;
  try {
    Engine(two_algorithms(), rank.hooks()).run();
    FAIL() << "the wrong result went unnoticed";
  } catch (const WrongResult& wrong) {
    const std::string sentence = wrong.what();
    EXPECT_NE(sentence.find("'a', iteration 1"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("rank 0 has a wrong element at index 7"), std::string::npos);
  }
}

TEST(Effort, IsFullForFewSamplesAndBoundedForMany) {
  const Effort full;
  std::vector<Series> all(3);
  EXPECT_EQ(quick_effort(all), full);
  for (Series& series : all) series.samples.resize(20);
  EXPECT_EQ(quick_effort(all), full);
  for (Series& series : all) series.samples.resize(3000);
  const Effort quick = quick_effort(all);
  EXPECT_LT(quick.permutations, full.permutations);
  EXPECT_LT(quick.permutations * 9000.0, 4e7);
  EXPECT_GE(quick.resamples, 20);
}

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

TEST(ProgressBar, ShowsShareAndTimeToGo) {
  const std::string line = progress_line("pat bench", 30, 120, 10.0);
  EXPECT_NE(line.find("25 %"), std::string::npos) << line;
  EXPECT_NE(line.find("0:30 to go"), std::string::npos) << line;
  EXPECT_NE(progress_line("x", 1, 3601, 2.0).find("2:00:00 to go"), std::string::npos);
  EXPECT_EQ(progress_line("x", 0, 10, 0.0).find("to go"), std::string::npos);
}

TEST(ProgressBar, WritesWholeLinesWhereThereIsNoTerminal) {
  const auto written = [](ProgressStyle style, double seconds_between_lines) {
    std::FILE* file = std::tmpfile();
    {
      ProgressBar bar("pat bench", 4, style, file, seconds_between_lines);
      for (int done = 1; done <= 4; ++done) bar.update(done);
    }
    std::string text(static_cast<std::size_t>(std::ftell(file)), ' ');
    std::rewind(file);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
    return text;
  };
  EXPECT_EQ(written(ProgressStyle::lines, 0.0),
            "pat bench: 25 %, 0:00 to go\npat bench: 50 %, 0:00 to go\n"
            "pat bench: 75 %, 0:00 to go\npat bench: 100 %, 0:00 to go\n");
  EXPECT_EQ(written(ProgressStyle::lines, 1e3), "");
  EXPECT_EQ(written(ProgressStyle::none, 0.0), "");
  EXPECT_NE(written(ProgressStyle::bar, 1e3).find("100 %"), std::string::npos);
}

}  // namespace
}  // namespace pat::bench
