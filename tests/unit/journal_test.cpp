// Journals of processes, and the traces that they come to: whole rows alone, whatever is missing,
// cut off or out of order.

#include "core/journal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/errors.hpp"
#include "core/run_traces.hpp"

namespace pat {
namespace {

constexpr std::int64_t ms = 1'000'000;

std::string text_of(Journal& journal) {
  journal.write_down([](const auto& take) {
    take();
    return true;
  });
  return journal.text();
}

std::string empty_of_another_session() {
  Journal journal({2, 1, 2}, "test");
  return text_of(journal);
}

/// `calls` of each rank on a line of all: rank r arrives r ms after the start of call i at 10 i ms.
std::string of_all(int rank, int ranks, int calls) {
  Journal journal({1, rank, ranks}, "test");
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) all.push_back(r);
  const auto line = journal.line("communicator 7", all, Journal::Of::all);
  for (int i = 0; i < calls; ++i)
    journal.add(line, journal.next(line), journal.place("gather"),
                {i * 10 * ms, i * 10 * ms + rank * ms, 1e-3 * rank, {}});
  return text_of(journal);
}

JoinedJournals join(const std::vector<std::string>& texts) {
  JournalJoin join("test");
  for (const std::string& text : texts) join.add(text);
  return join.result();
}

TEST(Journals, OfAllProcessesMakeOneTrace) {
  const auto joined = join({of_all(2, 3, 4), of_all(0, 3, 4), of_all(1, 3, 4)});
  ASSERT_EQ(joined.traces.size(), 1u);
  const Trace& trace = joined.traces.front();
  EXPECT_EQ(trace.ranks, 3);
  EXPECT_EQ(trace.iterations(), 4);
  EXPECT_EQ(trace.region, "gather");
  for (int i = 0; i < 4; ++i)
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(trace.arrival(i, r), 1e-3 * r, 1e-12);
      EXPECT_NEAR(trace.computing(i, r), 1e-3 * r, 1e-12);
    }
  EXPECT_FALSE(joined.complete) << "nobody has said how it stands";
}

TEST(Journals, GoByWhoKnowsMostOfAPlace) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 2; ++rank) {
    Journal journal({1, rank, 2}, "test");
    const auto line = journal.line("communicator 1", {0, 1}, Journal::Of::all);
    for (int i = 0; i < 3; ++i) {  // the phases of rank 0 are too short, but for the last
      const bool seen = rank == 1 ? i > 0 : i == 2;
      const auto place = journal.place(seen ? "reduce, after region a.c:3" : "reduce");
      journal.add(line, journal.next(line), place, {i * 10 * ms, i * 10 * ms + rank * ms, 0.0, {}});
    }
    texts.push_back(text_of(journal));
  }
  const auto joined = join(texts);
  ASSERT_EQ(joined.traces.size(), 1u);
  const Trace& trace = joined.traces.front();
  EXPECT_EQ(trace.places, (std::vector<std::string>{"reduce", "reduce, after region a.c:3"}));
  EXPECT_EQ(trace.place, (std::vector<int>{0, 1, 1}));
}

TEST(Journals, TellWhenCallsWereLeftAndWhatTheyWereDoneWith) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 2; ++rank) {
    Journal journal({1, rank, 2}, "test");
    const auto line = journal.line("communicator 1", {0, 1}, Journal::Of::all);
    const auto place = journal.place("gather");
    if (rank == 1) journal.place("of its own");  // numbers are of one process alone
    const auto add = [&](int start, int left, std::string_view algorithm) {
      journal.add(line, journal.next(line), place,
                  {start * ms, (start + 1 + rank) * ms, 1e-3, {}, left * ms, algorithm});
    };
    add(10, 15 + rank, "bsls");
    add(20, 0, "");
    add(30, 39, "mpi");
    add(40, 49, "bsls");
    texts.push_back(text_of(journal));
  }
  const Trace trace = join(texts).traces.at(0);
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& wanted_ms) {
    ASSERT_EQ(found.size(), wanted_ms.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], 1e-3 * wanted_ms[i], 1e-12);
  };
  expect(trace.start_s, {0, 10, 20, 30});
  expect(trace.left_s, {5, 6, 1, 2, 9, 9, 9, 9});
  EXPECT_EQ(trace.algorithms, (std::vector<std::string>{"bsls", "mpi"}));
  EXPECT_EQ(trace.algorithm, (std::vector<int>{0, -1, 1, 0}));
}

TEST(Journals, KeepTheSharesThatWereSaidMostOften) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 2; ++rank) {
    Journal journal({1, rank, 2}, "test");
    const auto line = journal.line("communicator 1", {0, 1}, Journal::Of::all);
    for (std::uint8_t i = 0; i < 12; ++i) {
      std::vector<Journal::Edge> edges = {{static_cast<std::uint8_t>(10 + i), 0.25F}};
      if (i % 2 == 0) edges.push_back({90, 0.5F + static_cast<float>(rank)});
      if (i == 3) edges.clear();
      Journal::Entry entry{i * 10 * ms, (i * 10 + 2) * ms, 2e-3, {}};
      if (i == 5) entry.hints = {{"size", 1.0}};
      entry.edges = edges;
      journal.add(line, journal.next(line), journal.place("gather"), entry);
      if (i == 6) text_of(journal);  // in parts
    }
    texts.push_back(text_of(journal));
  }
  const Trace trace = join(texts).traces.at(0);
  ASSERT_EQ(trace.edges.size(), Trace::Edge::most);
  EXPECT_EQ(trace.edges.front().fraction, 0.1);
  EXPECT_EQ(trace.edges.front().time_s[1], 0.25) << "of the first call, rank 1";
  EXPECT_TRUE(std::isnan(trace.edges.front().time_s[2]));
  EXPECT_EQ(trace.edges.back().fraction, 0.9);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t r = 0; r < 2; ++r)
      if (const double time_s = trace.edges.back().time_s[2 * i + r]; i % 2 == 0)
        EXPECT_EQ(time_s, 0.5 + static_cast<double>(r));
      else
        EXPECT_TRUE(std::isnan(time_s));
  EXPECT_EQ(trace.hints.at(0).value[10], 1.0);
  const std::string whole = texts[0];
  const auto damaged = [&](const std::string& edge, const std::string& by) {
    std::string text = whole;
    text.replace(text.find(edge), edge.size(), by);
    return text;
  };
  for (const std::string& bad :
       {damaged("[10,0.25,", "[0,0.25,"), damaged("[10,0.25,", "[100,0.25,"),
        damaged("[10,0.25,", "[10,-1,"), damaged("[10,0.25,", "[10,\"\",")})
    EXPECT_THROW(join({bad}), Error);
}

TEST(Journals, AreCompleteWhenEachHasItsSummary) {
  const std::string a = of_all(0, 2, 1) + journal_summary(R"({"rank":0})");
  const std::string b = of_all(1, 2, 1) + journal_summary(R"({"rank":1})");
  const auto joined = join({a, b});
  EXPECT_TRUE(joined.complete);
  EXPECT_EQ(joined.summaries, (std::vector<std::string>{R"({"rank":0})", R"({"rank":1})"}));
  EXPECT_FALSE(join({a}).complete);
}

TEST(Journals, CutOffAnywhereKeepTheRowsThatAllHave) {
  const std::string whole = of_all(0, 2, 20), other = of_all(1, 2, 20);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    const auto entries = std::count(cut.begin(), cut.end(), '\n');
    const auto joined = join({cut, other});
    const int rows = joined.traces.empty() ? 0 : joined.traces.front().iterations();
    EXPECT_EQ(rows, std::max<std::ptrdiff_t>(0, entries - 3))
        << "at " << length;  // 3 lines of head
  }
}

TEST(Journals, WrittenDownInPartsAreTheSame) {
  Journal whole({1, 0, 1}, "test"), parts({1, 0, 1}, "test");
  for (Journal* journal : {&whole, &parts}) {
    const auto line = journal->line("communicator 1", {0}, Journal::Of::all);
    for (int i = 0; i < 10; ++i) {
      Journal::Entry entry{i * ms, (i + 1) * ms, 1e-3 * i, {}};
      if (i % 3 == 1) entry.hints = {{"size", 1.0 * i}};
      journal->add(line, journal->next(line), journal->place("gather"), entry);
      if (journal == &parts && i % 4 == 0) text_of(*journal);
      if (journal == &parts && i % 4 == 1) {
        EXPECT_FALSE(journal->write_down([](const auto&) { return false; }));
      }
    }
  }
  EXPECT_EQ(text_of(whole), text_of(parts));
  EXPECT_EQ(text_of(parts).substr(20), parts.text(20));
  EXPECT_EQ(join({parts.text()}).traces.front().iterations(), 10);
}

TEST(Journals, EntriesThatNeverCameMakeNoRow) {
  Journal journal({1, 0, 1}, "test");
  const auto line = journal.line("communicator 1", {0}, Journal::Of::all);
  const auto first = journal.next(line), second = journal.next(line);
  journal.add(line, journal.next(line), journal.place("late"), {3 * ms, 3 * ms, 0.0, {}});
  journal.add(line, first, journal.place("early"), {1 * ms, 1 * ms, 0.0, {}});
  static_cast<void>(second);
  const auto joined = join({text_of(journal)});
  ASSERT_EQ(joined.traces.size(), 1u);
  EXPECT_EQ(joined.traces[0].iterations(), 2);
  EXPECT_EQ(joined.traces[0].places, (std::vector<std::string>{"early", "late"}));
}

TEST(Journals, EachGroupOfProcessesHasATraceOfItsOwn) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 4; ++rank) {
    Journal journal({1, rank, 4}, "test");
    const int row = rank / 2;
    // Two communicators of the same processes are one group.
    for (const char* name : {"a", "b"}) {
      const auto line =
          journal.line(name + std::to_string(row), {2 * row, 2 * row + 1}, Journal::Of::all);
      for (int i = 0; i <= row; ++i)
        journal.add(line, journal.next(line), journal.place("reduce"),
                    {i * ms, i * ms, 0.0, {{"size", 1.0 * i}}});
    }
    texts.push_back(text_of(journal));
  }
  const auto joined = join(texts);
  ASSERT_EQ(joined.traces.size(), 2u);
  EXPECT_EQ(joined.groups, (std::vector<std::vector<int>>{{2, 3}, {0, 1}}));
  EXPECT_EQ(joined.traces[0].iterations(), 4);
  EXPECT_EQ(joined.traces[1].iterations(), 2);
  ASSERT_EQ(joined.traces[0].hints.size(), 1u);
  EXPECT_EQ(joined.traces[0].hints[0].value.size(), 8u);
  EXPECT_EQ(joined.traces[0].remarks.front(), "processes, by their rank in the session: 2 3");

  const auto folder = std::filesystem::temp_directory_path() / "pat-journal-test";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(write_traces(joined, folder / "run.trace"), 0u);
  EXPECT_EQ(before_ending("a/my.run.json", "-2"), "a/my.run-2.json");
  EXPECT_EQ(before_ending("run.talp.json", "-2"), "run-2.talp.json");
  EXPECT_EQ(read_trace(folder / "run.trace").iterations(), 4);
  EXPECT_EQ(read_trace(folder / "run-2.trace").iterations(), 2);
  EXPECT_FALSE(read_trace(folder / "run.trace").complete);
  const RunTraces both = read_traces(folder / "run.trace");
  EXPECT_EQ(both.ranks, 4);
  EXPECT_EQ(both.groups, joined.groups);
  EXPECT_EQ(both.traces.at(1).iterations(), 2);
  EXPECT_TRUE(both.missing.empty());
  EXPECT_EQ(read_traces(folder / "run-2.trace").groups, (std::vector<std::vector<int>>{{0, 1}}));
  EXPECT_TRUE(both.twice.empty());
  Trace three = joined.traces[0];
  three.remarks.emplace_back("other processes met in run-2.trace");
  three.remarks.emplace_back("other processes met in run-3.trace");
  write_trace(three, folder / "run.trace");
  std::filesystem::copy_file(folder / "run-2.trace", folder / "run-3.trace");
  const RunTraces copied = read_traces(folder / "run.trace");
  EXPECT_EQ(copied.groups, joined.groups) << "a copy counts once";
  EXPECT_EQ(copied.twice, std::vector{"'" + (folder / "run-3.trace").string() +
                                      "' is of the same processes as '" +
                                      (folder / "run-2.trace").string() + "'"});
  std::filesystem::remove(folder / "run-3.trace");
  write_traces(joined, folder / "run.trace");
  std::filesystem::remove(folder / "run-2.trace");
  EXPECT_EQ(read_traces(folder / "run.trace").missing,
            std::vector{(folder / "run-2.trace").string()});
  std::ofstream(folder / "run-2.trace") << "no trace\n";
  const RunTraces half = read_traces(folder / "run.trace");
  EXPECT_EQ(half.traces.size(), 1u);
  ASSERT_EQ(half.unreadable.size(), 1u);
  EXPECT_NE(half.unreadable[0].find("run-2.trace"), std::string::npos) << half.unreadable[0];
  std::filesystem::remove(folder / "run-2.trace");
  std::filesystem::create_directory(folder / "run-2.trace");
  EXPECT_EQ(read_traces(folder / "run.trace").unreadable.size(), 1u) << "no file";
  std::filesystem::remove(folder / "run-2.trace");
  Trace own = joined.traces[0];
  own.remarks.emplace_back("other processes met in run.trace");
  write_trace(own, folder / "run.trace");
  EXPECT_EQ(read_traces(folder / "run.trace").traces.size(), 1u) << "it is there already";
  Trace wrong = joined.traces[0];
  for (const char* ranks : {"2", "3 2", "2 2", "-1 2", "2 99999999", "x y"}) {
    wrong.remarks = {std::string("processes, by their rank in the session: ") + ranks};
    write_trace(wrong, folder / "run.trace");
    EXPECT_THROW(read_traces(folder / "run.trace"), Error) << ranks;
  }
  std::filesystem::remove_all(folder);
}

TEST(Journals, PhasesNeedNotBeOfAllProcesses) {
  std::vector<std::string> texts;
  for (int rank = 0; rank < 3; ++rank) {
    Journal journal({1, rank, 3}, "test");
    if (rank > 0) {  // the master computes nothing
      const auto line = journal.line("region work", {0, 1, 2}, Journal::Of::some);
      journal.add(line, journal.next(line), journal.place("work"), {0, rank * ms, 1e-3 * rank, {}});
    }
    texts.push_back(text_of(journal));
  }
  const auto joined = join(texts);
  ASSERT_EQ(joined.groups, (std::vector<std::vector<int>>{{1, 2}}));
  EXPECT_NEAR(joined.traces[0].arrival(0, 1), 2e-3, 1e-12);
}

TEST(Journals, OfDifferentSessionsAreRefused) {
  EXPECT_THROW(join({of_all(0, 2, 1), of_all(0, 2, 1)}), Error);
  EXPECT_THROW(join({of_all(0, 2, 1), of_all(1, 3, 1)}), Error);
  EXPECT_THROW(join({of_all(0, 2, 1), empty_of_another_session()}), Error);
}

TEST(Journals, NamesThatAreNoUtf8StayApart) {
  Journal journal({1, 0, 1}, "test");
  for (const std::string name : {"phase \xe8", "phase \xe9"}) {
    const auto line = journal.line(name, {0}, Journal::Of::some);
    journal.add(line, journal.next(line), journal.place(name), {0, ms, -1.0, {}});
  }
  const auto joined = join({text_of(journal)});
  ASSERT_EQ(joined.traces.size(), 1u);
  EXPECT_EQ(joined.traces[0].iterations(), 2);
  EXPECT_EQ(joined.traces[0].places, (std::vector<std::string>{"phase \\xE8", "phase \\xE9"}));
  EXPECT_EQ(joined.traces[0].computing(0, 0), 0.0) << "a time below 0 is none";
}

TEST(Journals, DamagedLinesAreRefusedWithTheirNumber) {
  const std::string head = of_all(0, 1, 1);
  for (const char* line :
       {"[9,0,0,0,0,0,0,0]", "[0,0,9,0,0,0,0,0]", "[0,0,0,0,0,-1,0,0]", "[0]", "{}", "x",
        "[0,0,0,0,0,0]", "[0,0,0,0,0,0,0,9]", R"({"algorithm":2,"name":"ls"})",
        "[0,0,0,1e111,0,0,0,0]", "[0,0,0,9223372036854775807,0,0,0,0]", "[0,-1,0,0,0,0,0,0]",
        R"({"line":5,"key":"a","ranks":[0],"all":true})",
        R"({"line":1,"key":"a","ranks":[4],"all":true})"}) {
    try {
      join({head + line + "\n"});
      ADD_FAILURE() << line << " is taken";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("test: line 5 "), 0u)
          << line << ": " << error.what();
    }
  }
  EXPECT_THROW(join({"hello\n"}), Error);
}

/// Any damage is refused or read, never more.
TEST(Journals, MutatedOnesAreReadOrRefused) {
  const std::string whole = of_all(0, 2, 5), other = of_all(1, 2, 5);
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (int changes = 0; changes < 3; ++changes)
      text[random() % text.size()] = static_cast<char>(random() % 128);
    try {
      for (const Trace& trace : join({text, other}).traces) EXPECT_LE(trace.iterations(), 5);
    } catch (const Error&) {
    }
  }
}

// ---------------------------------------------------------------- clocks that drift

/// Two processes that meet every second for `calls` seconds; the second comes 20 us after the first
/// in calls with an even number, 20 us before it in the others. Its clock is 50 ms off, which was
/// measured to 2 us, and runs 50 ppm slow.
std::string on_its_own_clock(int rank, int calls, bool compared_again) {
  constexpr std::int64_t second = 1000 * ms, measured_wrong = 2000;
  const auto shown = [&](std::int64_t time_ns) {
    return rank == 0 ? time_ns : time_ns - 50 * ms - time_ns / 20'000;
  };
  const std::int64_t offset = rank == 0 ? 0 : 50 * ms + measured_wrong;
  Journal journal({1, rank, 2}, "test");
  const auto line = journal.line("communicator 0", {0, 1}, Journal::Of::all);
  for (int i = 0; i < calls; ++i) {
    const std::int64_t late = rank == 0 ? 0 : (i % 2 == 0 ? 20'000 : -20'000);
    const std::int64_t arrival = shown((i + 1) * second + late) + offset;
    journal.add(line, journal.next(line), journal.place("gather"),
                {arrival - 10 * ms, arrival, 0.01, {}, arrival + ms, "mpi"});
  }
  if (rank == 1 && compared_again) {
    const std::int64_t end = calls * second;
    journal.note_drift(offset + shown(0), offset + shown(end), end - offset - shown(end));
  }
  return text_of(journal);
}

int in_order(const JoinedJournals& joined) {
  const Trace& trace = joined.traces.front();
  int right = 0;
  for (int i = 0; i < trace.iterations(); ++i)
    right += (trace.arrival(i, 1) > trace.arrival(i, 0)) == (i % 2 == 0);
  return right;
}

TEST(Journals, ClocksThatDriftAreTakenTogetherAgain) {
  constexpr int calls = 1000;
  const auto once = join({on_its_own_clock(0, calls, false), on_its_own_clock(1, calls, false)});
  EXPECT_LT(in_order(once), calls * 6 / 10) << "it takes the second comparison";
  const auto again = join({on_its_own_clock(0, calls, true), on_its_own_clock(1, calls, true)});
  EXPECT_EQ(in_order(again), calls);
  const Trace& trace = again.traces.front();
  for (int i = 0; i < calls; ++i) {
    EXPECT_NEAR(std::abs(trace.arrival(i, 1) - trace.arrival(i, 0)), 20e-6, 4e-6);
    const std::size_t second = 2 * static_cast<std::size_t>(i) + 1;
    EXPECT_NEAR(trace.left_s[second] - trace.arrival(i, 1), 1e-3, 1e-6);
  }
  EXPECT_NE(trace.clock.find("drift taken out"), std::string::npos);
  EXPECT_EQ(once.traces.front().clock.find("drift"), std::string::npos);
}

TEST(Journals, ADriftThatIsNoneIsRefused) {
  for (const char* drift :
       {R"({"drift":5,"from":10,"to":10})", R"({"drift":50,"from":0,"to":100})",
        R"({"drift":-11,"from":0,"to":100})", R"({"drift":1.5,"from":0,"to":100})"}) {
    JournalJoin join("test");
    EXPECT_THROW(join.add(on_its_own_clock(0, 1, false) + drift + "\n"), Error) << drift;
  }
}

}  // namespace
}  // namespace pat
