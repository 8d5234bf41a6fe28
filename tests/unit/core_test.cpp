#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/arrival_pattern.hpp"
#include "core/clock.hpp"
#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/event_queue.hpp"
#include "core/nearest.hpp"
#include "core/printable.hpp"
#include "core/progress_bar.hpp"
#include "core/progress_event.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"

namespace pat {
namespace {

TEST(Clock, NeverGoesBack) {
  std::int64_t before = now_ns();
  for (int i = 0; i < 10000; ++i) {
    const std::int64_t now = now_ns();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(Clock, AgreesWithPapi) {
  const ClockInfo& info = clock_info();
  EXPECT_TRUE(info.papi_available);
  EXPECT_GT(info.monotonic_cost_ns, 0.0);
  EXPECT_NEAR(info.papi_rate, 1.0, 0.05);
}

TEST(ArrivalPattern, OrdersByTimeThenRank) {
  const ArrivalPattern pattern{{3.0, 1.0, 2.0, 1.0}, {}, 0};
  EXPECT_EQ(arrival_order(pattern), (std::vector<int>{1, 3, 2, 0}));
  EXPECT_DOUBLE_EQ(absolute_imbalance_s(pattern), 2.0);
}

TEST(ArrivalPattern, WhoComesTogetherIsInRankOrder) {
  const ArrivalPattern pattern{{9.0, 1.2, 0.1, 1.1, 0.0, 0.9, 2.1}, {}, 0};
  EXPECT_EQ(arrival_order(pattern, 1.0), (std::vector<int>{2, 4, 5, 1, 3, 6, 0}));
  EXPECT_EQ(arrival_order(pattern, 100.0), (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(arrival_order(ArrivalPattern{}, 1.0).empty());
}

TEST(ArrivalPattern, RefusesWhatIsNoTime) {
  EXPECT_NO_THROW(validate(ArrivalPattern{{0.0, 1.0}, {}, 0}, 2));
  EXPECT_THROW(validate(ArrivalPattern{{0.0}, {}, 0}, 2), Error);
  EXPECT_THROW(validate(ArrivalPattern{{0.0, -1.0}, {}, 0}, 2), Error);
  EXPECT_THROW(validate(ArrivalPattern{{0.0, NAN}, {}, 0}, 2), Error);
  EXPECT_THROW(validate(ArrivalPattern{{0.0, INFINITY}, {}, 0}, 2), Error);
}

TEST(Statistics, MatchesRsType7) {
  const std::vector<double> sample{4.0, 1.0, 3.0, 2.0};
  EXPECT_DOUBLE_EQ(mean(sample), 2.5);
  EXPECT_DOUBLE_EQ(median(sample), 2.5);
  EXPECT_DOUBLE_EQ(quantile(sample, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(sample, 1.0), 4.0);
  EXPECT_NEAR(standard_deviation(sample), 1.2909944487358056, 1e-15);
  EXPECT_DOUBLE_EQ(median({}), 0.0);
}

TEST(Units, ReadsTimes) {
  const auto time = [](const char* text) { return parse_seconds(text, BareNumber::seconds); };
  EXPECT_DOUBLE_EQ(time("50ms").value(), 0.05);
  EXPECT_EQ(time("25us").value(), 25e-6);
  EXPECT_DOUBLE_EQ(time("8ns").value(), 8e-9);
  EXPECT_DOUBLE_EQ(time("1.5s").value(), 1.5);
  EXPECT_DOUBLE_EQ(time("2.5e-05").value(), 25e-6);
  for (const char* wrong : {"", "ms", "-1ms", "-1", "1m", "5 ms", "nan s", "nan", "inf", "1e999s"})
    EXPECT_FALSE(time(wrong)) << wrong;
  EXPECT_DOUBLE_EQ(seconds_of("1.5us"), 1.5e-6);
  EXPECT_DOUBLE_EQ(seconds_of("0"), 0.0);
  for (const char* wrong : {"50", "soon"}) EXPECT_THROW(seconds_of(wrong), Error) << wrong;
}

TEST(Units, ReadsSizes) {
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("4096B"), 4096u);
  EXPECT_EQ(parse_bytes("8MiB"), 8u << 20);
  EXPECT_EQ(parse_bytes("64k"), 64u << 10);
  EXPECT_EQ(parse_bytes("1.5K"), 1536u);
  for (const char* bad : {"", "k", "-1", "1T", "1 k", "8i", "nan", "inf", "1e30"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  EXPECT_EQ(parse_sizes("1k,8MiB"), (std::vector<std::size_t>{1024, 8388608}));
  EXPECT_EQ(parse_sizes("4:32,100"), (std::vector<std::size_t>{4, 8, 16, 32, 100}));
  for (const char* wrong : {"", "0", "1k,", "8:4", "1:2:3", "x"})
    EXPECT_THROW(parse_sizes(wrong), Error) << wrong;
  EXPECT_EQ(format_bytes(8388608), "8 MiB");
  EXPECT_EQ(format_bytes(1000), "1000 B");
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"bench", "bench-schedule", "info", "op", "algorithm"};
  EXPECT_EQ(nearest("benhc", names), "bench");
  EXPECT_EQ(nearest("becnh-schdule", names), "bench-schedule");
  EXPECT_EQ(nearest("inof", names), "info");
  EXPECT_EQ(nearest("alg", names), "algorithm");
  EXPECT_EQ(nearest("operation", names), "op");
  for (const char* none : {"", "z", "o", "plot", "xxxxx"}) EXPECT_EQ(nearest(none, names), "");
  EXPECT_EQ(did_you_mean("--", "ifno", names, "see --help"), "did you mean --info?");
  EXPECT_EQ(did_you_mean("--", "plot", names, "see --help"), "see --help");
}

Config load(std::map<std::string, std::string> environment, const std::string& overrides = "") {
  return load_config(
      [&](const std::string& name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        if (found == environment.end()) return std::nullopt;
        return found->second;
      },
      overrides);
}

TEST(Config, ApiBeatsEnvironmentBeatsDefault) {
  EXPECT_EQ(load({}).window, 0);
  EXPECT_EQ(load({{"PAT_WINDOW", "4"}}).window, 4);
  EXPECT_EQ(load({{"PAT_WINDOW", "4"}}, "window=3;log=info").window, 3);
}

TEST(Config, NamesVariableValueAndRemedy) {
  try {
    load({{"PAT_DAEMON", "maybe"}});
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("PAT_DAEMON"), std::string::npos);
    EXPECT_NE(text.find("maybe"), std::string::npos);
    EXPECT_NE(text.find("auto, on or off"), std::string::npos);
  }
  EXPECT_THROW(load({}, "nonsense=1"), Error);
  EXPECT_THROW(load({}, "window"), Error);
  EXPECT_THROW(load({}, "window=-1"), Error);
  EXPECT_THROW(load({{"PAT_ALPHA", "nan"}}), Error);
}

TEST(Config, TakesUnitsEverywhere) {
  const Config config =
      load({{"PAT_WATCHDOG", "500ms"}, {"PAT_ALPHA", "25us"}, {"PAT_BETA", "8ns"}},
           "gamma=0.25ns;min_bytes=4MiB;scratch=1.5G");
  EXPECT_DOUBLE_EQ(config.watchdog_s, 0.5);
  EXPECT_DOUBLE_EQ(config.alpha_s, 25e-6);
  EXPECT_DOUBLE_EQ(config.beta_s_per_byte, 8e-9);
  EXPECT_DOUBLE_EQ(config.gamma_s_per_byte, 0.25e-9);
  EXPECT_EQ(config.min_bytes, 4u << 20);
  EXPECT_EQ(config.scratch_bytes, 3u << 29);
  EXPECT_DOUBLE_EQ(load({{"PAT_WATCHDOG", "20"}}).watchdog_s, 20.0);
  EXPECT_THROW(load({{"PAT_WATCHDOG", "20m"}}), Error);
  EXPECT_TRUE(load({{"PAT_WATCHDOG", "auto"}}).watchdog_auto);
  EXPECT_FALSE(load({{"PAT_WATCHDOG", "auto"}}, "watchdog=0").watchdog_auto);
  EXPECT_FALSE(load({}).watchdog_auto);
  EXPECT_FALSE(load({}).live);
  EXPECT_THROW(load({{"PAT_ALPHA", "2000s"}}), Error);
}

TEST(Config, NamesTheSettingThatWasMeant) {
  const auto refusal = [](const std::string& overrides) {
    try {
      load({}, overrides);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_TRUE(
      refusal("windw=3").ends_with("'windw=3' and there is no such key, did you mean window?"))
      << refusal("windw=3");
  EXPECT_TRUE(refusal("nonsense=3").ends_with("`pat info --env` lists them"));
  const auto unknown = unknown_variables(
      {"PATH", "PAT_WINDOW", "PAT_PREDCTOR", "PAT_CLUSTER_DILATE", "PAT_NONSENSE"});
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_TRUE(unknown[0].starts_with("PAT_PREDCTOR is set")) << unknown[0];
  EXPECT_TRUE(unknown[0].ends_with("did you mean PAT_PREDICTOR?")) << unknown[0];
  EXPECT_TRUE(unknown[1].ends_with("`pat info --env` lists them")) << unknown[1];
  const auto of_inject = unknown_variables({"PAT_INJECT", "PAT_INJECT_EVERY", "PAT_INJECT_EVRY"});
  ASSERT_EQ(of_inject.size(), 1u);
  EXPECT_TRUE(of_inject[0].ends_with("did you mean PAT_INJECT_EVERY?")) << of_inject[0];
}

TEST(Config, EveryVariableShowsAValueThatItAccepts) {
  const Config defaults = load({});
  for (const Variable& variable : variables()) {
    Config copy = defaults;
    EXPECT_TRUE(variable.show(defaults).empty() || variable.parse(copy, variable.show(defaults)))
        << variable.name;
  }
}

TEST(WholeFile, KeepsLinksAndReplacesNoPipe) {
  const std::string folder = testing::TempDir() + "pat_whole_file." + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string pipe = folder + "/pipe", file = folder + "/file", link = folder + "/link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_whole_file(pipe, "text"), Error);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::filesystem::create_symlink(file, link);
  for (const char* text : {"first", "second"}) {
    write_whole_file(link, text);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    std::string read;
    std::ifstream(file) >> read;
    EXPECT_EQ(read, text);
  }
  EXPECT_THROW(write_whole_file(folder + "/none/file", "text"), Error);
  {
    WholeFile abandoned(file);
    std::ofstream(abandoned.part()) << "half";
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder),
                          std::filesystem::directory_iterator()),
            3);
  std::filesystem::remove_all(folder);
}

TEST(WholeFile, TakesAwayWhatKilledWritersLeft) {
  const std::string folder = testing::TempDir() + "pat_left_parts." + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  const std::string file = folder + "/file";
  const pid_t gone = fork();  // numbers go round before one is given again
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  const std::string left = file + ".part" + std::to_string(gone),
                    fresh = folder + "/other.part" + std::to_string(gone),
                    alive = file + ".part" + std::to_string(getppid()), none = file + ".part1x";
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const std::string& part : {left, fresh, alive, none}) std::ofstream(part) << "half";
  for (const std::string& part : {left, alive, none}) std::filesystem::last_write_time(part, old);
  write_whole_file(folder + "/other", "text");
  EXPECT_TRUE(std::filesystem::exists(fresh));
  EXPECT_TRUE(std::filesystem::exists(left)) << "of another file";
  write_whole_file(file, "text");
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(alive));
  EXPECT_TRUE(std::filesystem::exists(none));
  std::filesystem::remove_all(folder);
}

TEST(EventQueue, KeepsEverythingFromManyThreads) {
  constexpr std::uint32_t each = 20'000;  // many times around the ring
  EventQueue<ProgressEvent, 64> queue;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&queue, t] {
      for (std::uint32_t i = 0; i < each; ++i)
        while (!queue.push({i, {{0.5f, i, t}}, ProgressEvent::Kind::edge}))
          std::this_thread::yield();
    });
  std::vector<std::uint32_t> next(4, 0);
  ProgressEvent event;
  for (std::uint32_t taken = 0; taken < 4 * each;) {
    if (!queue.pop(event)) {
      std::this_thread::yield();
      continue;
    }
    ++taken;
    ASSERT_EQ(event.progress.iteration, next[event.progress.region])
        << "one thread's events keep their order";
    ASSERT_EQ(event.time_ns, event.progress.iteration) << "an event was read while it was written";
    ++next[event.progress.region];
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(next, std::vector<std::uint32_t>(4, each));
  EXPECT_FALSE(queue.pop(event));
}

TEST(EventQueue, DropsWhenFullAndSaysSo) {
  EventQueue<int, 4> queue;
  int accepted = 0;
  while (accepted < 100 && queue.push(accepted)) ++accepted;
  EXPECT_EQ(accepted, 4);
  int value = -1;
  ASSERT_TRUE(queue.pop(value));
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(queue.push(4)) << "one place is free again";
  EXPECT_FALSE(queue.push(5));
  for (int expected = 1; expected <= 4; ++expected) {
    ASSERT_TRUE(queue.pop(value));
    EXPECT_EQ(value, expected);
  }
  EXPECT_FALSE(queue.pop(value));
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

TEST(Text, JoinsWhatSplitCuts) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(join(std::vector<int>{1, 2}, "+", [](int n) { return std::to_string(n); }), "1+2");
  EXPECT_EQ(split("a,,c,", ','), (std::vector<std::string>{"a", "", "c", ""}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{""});
}

TEST(Printable, LeavesNoControlsToATerminal) {
  EXPECT_EQ(printable("Gr\u00f6\u00dfe \u2264 3 \U0001F600, 'a'"),
            "Gr\u00f6\u00dfe \u2264 3 \U0001F600, 'a'");
  EXPECT_EQ(printable("a\x1b[31mb\r\n\tc\x7f"), "a?[31mb???c?");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "??31m")
      << "C1";
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0") << "the first letter after C1";
  EXPECT_EQ(printable("\x9b"
                      "31m\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b"),
            "?31m?????????")
      << "alone, or longer than need be";
  EXPECT_EQ(printable("cut \xe2\x89"), "cut ??");
}

TEST(Printable, ControlsAreFound) {
  for (const char* text : {"a\nb", "\x1b[31m", "end\x7f", "\xc2\x80", "a\xc2\x9f z"})
    EXPECT_TRUE(has_controls(text)) << printable(text);
  for (const char* text : {"", "Gr\u00f6\u00dfe", "\xc2\xa0", "\xe2\x82\xac", "cut \xc2"})
    EXPECT_FALSE(has_controls(text)) << printable(text);
}

}  // namespace
}  // namespace pat
