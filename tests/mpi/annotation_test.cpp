// What programs say of their computing phases: pauses, mistakes, regions that come and go.

#include <mpi.h>
#include <pat/pat.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <pat/pat.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/mpi/session.hpp"
#include "tests/mpi/written.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;
using test::sleep_ms;

bool says(const std::string& text) {
  return std::string(PAT_Error_string()).find(text) != std::string::npos;
}

void gather_once() {
  const int mine = rank();
  std::vector<int> all(static_cast<std::size_t>(size()));
  ASSERT_EQ(PAT_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
}

class Pauses : public test::Running {};

TEST_F(Pauses, HaveAnOrder) {
  EXPECT_EQ(PAT_Pause(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("PAT_Pause was called outside a computing phase of region 'default'"));
  EXPECT_EQ(PAT_Resume(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("PAT_Resume was called outside")) << PAT_Error_string();
  ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Resume(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("which is not paused")) << PAT_Error_string();
  EXPECT_EQ(PAT_Pause(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Pause(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("PAT_Pause was called twice")) << PAT_Error_string();
  EXPECT_EQ(PAT_ProcessingStart(), MPI_ERR_OTHER) << "a pause does not end the phase";
  EXPECT_EQ(PAT_Edge(0.5), MPI_ERR_OTHER);
  EXPECT_TRUE(says("inside a pause of region 'default'")) << PAT_Error_string();
  EXPECT_EQ(PAT_Resume(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
  EXPECT_EQ(PAT_Pause(), MPI_SUCCESS);
  EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS) << "ends the pause, too";
  EXPECT_EQ(PAT_Resume(), MPI_ERR_OTHER);
  EXPECT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Edge(0.5), MPI_SUCCESS) << "a new phase is not paused";
  EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
}

TEST_F(Pauses, OfRegionsAreTheirOwn) {
  Region one(MPI_COMM_WORLD, "one"), two(MPI_COMM_WORLD, "two");
  Processing first = one.processing(), second = two.processing();
  {
    const Pause pause = first.pause();
    EXPECT_NO_THROW(second.edge(0.5));
    EXPECT_THROW(first.edge(0.5), Failure);
    EXPECT_EQ(PAT_Region_free(std::vector{one.handle()}.data()), MPI_ERR_OTHER) << "in its phase";
  }
  EXPECT_NO_THROW(first.edge(0.5));
}

/// Phases that hardly compute, in which the last rank pauses: what is foretold of its computing
/// time leaves the pause out, what is foretold of its arrival does not.
TEST_F(Pauses, AreNoComputingButPutOffTheArrival) {
  constexpr double pause_ms = 40.0;
  ASSERT_EQ(PAT_UseAlgName("gather", "sls"), MPI_SUCCESS);
  std::vector<int> block(1000), whole(1000 * static_cast<std::size_t>(size()));
  double longest_s = 0.0;  // of a phase without its pause, from outside
  for (int i = 0; i < 12; ++i) {
    const double start_s = MPI_Wtime();
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    ASSERT_EQ(PAT_Pause(), MPI_SUCCESS);
    const double pause_start_s = MPI_Wtime();
    sleep_ms(rank() == size() - 1 ? pause_ms : 4.0);
    const double pause_end_s = MPI_Wtime();
    ASSERT_EQ(PAT_Resume(), MPI_SUCCESS);
    ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    longest_s = std::max(longest_s, MPI_Wtime() - start_s - (pause_end_s - pause_start_s));
    ASSERT_EQ(
        PAT_Gather(block.data(), 1000, MPI_INT, whole.data(), 1000, MPI_INT, 0, MPI_COMM_WORLD),
        MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double mean_s = -1.0;
  ASSERT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &mean_s, nullptr, nullptr), MPI_SUCCESS);
  if (rank() == size() - 1) {
    EXPECT_LT(mean_s, longest_s + 0.5 * pause_ms * 1e-3);
  }
  if (size() == 1) return;
  std::vector<double> offsets_s(static_cast<std::size_t>(size()));
  std::uint64_t epoch = 0;
  ASSERT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size(), &epoch), MPI_SUCCESS);
  EXPECT_GT(epoch, 0u);
  for (int r = 0; r + 1 < size(); ++r)
    EXPECT_LT(offsets_s[static_cast<std::size_t>(r)], offsets_s.back()) << "rank " << r;
}

/// What each process has, at rank 0.
std::vector<double> at_root(double value) {
  std::vector<double> all(static_cast<std::size_t>(size()));
  MPI_Gather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

TEST(PausesOf, ATraceAndAReportAreNoComputing) {
  constexpr double pause_s = 0.020;
  double phases_s = 0.0;  // with their pauses, from outside
  const auto program = [&] {
    phases_s = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double start_s = MPI_Wtime();
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      ASSERT_EQ(PAT_Pause(), MPI_SUCCESS);
      sleep_ms(1e3 * pause_s);
      ASSERT_EQ(PAT_Resume(), MPI_SUCCESS);
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      phases_s += MPI_Wtime() - start_s;
      gather_once();
    }
  };
  const Trace trace = test::trace_of(program);
  std::stringstream text = test::written_to("report", program);
  const std::vector<double> all_phases_s = at_root(phases_s);
  if (rank() != 0) return;
  ASSERT_EQ(trace.iterations(), 3);
  double arrivals_s = 0.0, computing_s = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int r = 0; r < size(); ++r) {
      arrivals_s += trace.row(i)[static_cast<std::size_t>(r)];
      computing_s += trace.computing(i, r);
    }
  EXPECT_GE(arrivals_s, 3 * size() * pause_s) << "the arrivals come after the pauses";
  EXPECT_LE(computing_s, arrivals_s - 3 * size() * pause_s) << "which are no computing";
  const auto report = nlohmann::json::parse(text);
  for (const auto& process : report["process"]) {
    const auto& region = process["regions"][0];
    EXPECT_GE(region["paused_s"].get<double>(), 3 * pause_s);
    EXPECT_LE(region["computing_s"].get<double>(),
              all_phases_s.at(process["rank"].get<std::size_t>()) - 3 * pause_s);
  }
}

/// Before anybody waits for a forecast they leave no events of their own.
TEST(PausesOf, APhaseThatNobodyForetellsAreSummed) {
  constexpr double pause_s = 0.020;
  double phases_s = 0.0;
  std::stringstream text = test::written_to("report", [&] {
    const double start_s = MPI_Wtime();
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(PAT_Pause(), MPI_SUCCESS);
      sleep_ms(1e3 * pause_s);
      if (i < 3) {
        ASSERT_EQ(PAT_Resume(), MPI_SUCCESS);
      }
      if (i == 1) {
        ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
      }
    }
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);  // ends the last one, too
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    phases_s = MPI_Wtime() - start_s;
  });
  const std::vector<double> all_phases_s = at_root(phases_s);
  if (rank() != 0) return;
  const auto report = nlohmann::json::parse(text);
  for (const auto& process : report["process"]) {
    const auto& region = process["regions"][0];
    EXPECT_EQ(region["edges"], 1);
    EXPECT_EQ(region["phases"], 2);
    EXPECT_GE(region["paused_s"].get<double>(), 4 * pause_s);
    EXPECT_LE(region["computing_s"].get<double>(),
              all_phases_s.at(process["rank"].get<std::size_t>()) - 4 * pause_s)
        << "no pause is computing";
  }
}

/// What each process has to say: times by kind and region.
std::vector<std::map<std::string, int>> mistakes_in(std::stringstream& text) {
  std::vector<std::map<std::string, int>> processes;
  const auto report = nlohmann::json::parse(text);
  for (const auto& process : report["process"]) {
    processes.emplace_back();
    for (const auto& mistake : process["mistakes"])
      processes.back()[mistake["kind"].get<std::string>() + ", " +
                       mistake["region"].get<std::string>()] = mistake["times"];
  }
  return processes;
}

TEST(NamesOfRegions, FitIntoALine) {
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  PAT_Region region = PAT_REGION_DEFAULT;
  EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD, std::string(256, 'x').c_str(), &region), MPI_ERR_ARG);
  EXPECT_TRUE(says("a name of 256 bytes")) << PAT_Error_string();
  EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD, "two\nlines", &region), MPI_ERR_ARG);
  EXPECT_TRUE(says("'two?lines'")) << PAT_Error_string();
  EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD,
                              "\xc2\x9b"
                              "31m",
                              &region),
            MPI_ERR_ARG);
  for (const char* blank : {"", " \t"}) {
    EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD, blank, &region), MPI_ERR_ARG);
    EXPECT_TRUE(says("a blank name")) << PAT_Error_string();
  }
  EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD, std::string(255, 'x').c_str(), &region), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_free(&region), MPI_SUCCESS);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(Mistakes, AreAllInTheReport) {
  std::stringstream text = test::written_to("report", [] {
    PAT_Edge(0.5);
    PAT_ProcessingEnd();
    for (int i = 0; i < 3; ++i) PAT_ProcessingStart();  // whose ends were forgotten
    for (int i = 0; i < 4; ++i) PAT_Edge(50);
    PAT_Progress(2.0, 1.0);
    PAT_Edge(0.7);
    PAT_Edge(0.3);
    PAT_Edge(0.6);
    PAT_Hint("", 1.0);
    EXPECT_EQ(PAT_Hint(nullptr, 1.0), MPI_ERR_ARG);
    EXPECT_NE(std::string(PAT_Error_string()).find("null pointer"), std::string::npos)
        << PAT_Error_string();
    PAT_Pause();
    PAT_Pause();
    PAT_Edge(0.8);
    PAT_ProcessingEnd();
    PAT_Resume();
    if (rank() != size() - 1) return;
    PAT_Region region = nullptr, copy = nullptr;
    ASSERT_EQ(PAT_Region_create(MPI_COMM_SELF, "mesh", &region), MPI_SUCCESS);
    copy = region;
    PAT_Region_end(region);
    PAT_Region_free(&region);
    PAT_Region_start(copy);
    PAT_Region_edge(copy, 0.5);
  });
  if (rank() != 0) return;
  const std::map<std::string, int> everywhere = {
      {"edge outside a phase, default", 1},  {"end outside a phase, default", 1},
      {"start inside a phase, default", 2},  {"share of the work out of range, default", 5},
      {"edge that goes back, default", 1},   {"hint without a name or a value, default", 2},
      {"pause inside a pause, default", 1},  {"edge inside a pause, default", 1},
      {"resume outside a phase, default", 1}};
  std::vector<std::map<std::string, int>> expected(static_cast<std::size_t>(size()), everywhere);
  expected.back()["end outside a phase, mesh"] = 1;
  expected.back()["use of a freed region, mesh"] = 2;
  EXPECT_EQ(mistakes_in(text), expected);
}

TEST(Mistakes, OfARightProgramAreNone) {
  std::stringstream text = test::written_to("report", [] {
    for (int i = 0; i < 3; ++i) {
      PAT_ProcessingStart();
      PAT_Edge(0.3);
      PAT_Edge(0.3);
      PAT_Edge(0.9);
      PAT_ProcessingEnd();  // and the next phase begins at 0.3 again
      gather_once();
    }
  });
  if (rank() != 0) return;
  EXPECT_EQ(mistakes_in(text),
            (std::vector<std::map<std::string, int>>(static_cast<std::size_t>(size()))));
}

/// Phases that end in calls of the library alone: nobody needs their forecasts. More of them than
/// the event queue holds.
TEST(Watching, OfCallsThatAreTheLibrarysForetellsNothingAndLosesNothing) {
  constexpr int phases = 3000;
  double mean_s = -1.0;
  std::stringstream text = test::written_to("min_bytes=4096;report", [&] {
    for (int i = 0; i < phases; ++i) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      gather_once();
    }
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    for (int i = 0; i < 20000; ++i) ASSERT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    EXPECT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &mean_s, nullptr, nullptr), MPI_SUCCESS);
  });
  EXPECT_GE(mean_s, 0.0) << "who asks is told";
  if (rank() != 0) return;
  const auto report = nlohmann::json::parse(text);
  EXPECT_EQ(report["calls"], phases + 1) << "and the phase after them";
  for (const auto& process : report["process"]) {
    EXPECT_EQ(process["dropped_events"], 0);
    const auto& region = process["regions"][0];
    EXPECT_EQ(region["phases"], phases + 1);
    EXPECT_EQ(region["forecasts"], 0);
    EXPECT_TRUE(region["forecast_mean_absolute_error_s"].is_null()) << "not measured";
  }
}

/// Each of three threads computes in a region and sums on a communicator of its own: its calls
/// follow its own phases, whatever the others end meanwhile.
void compute_and_sum(int thread, MPI_Comm comm, PAT_Region region) {
  for (int i = 0; i < 30; ++i) {
    PAT_Region_start(region);
    sleep_ms(0.3 * ((rank() + 2 * thread + i) % 4));
    PAT_Region_end(region);
    if (i % 3 == thread) sleep_ms(0.5);
    int one = 1, all = 0;
    PAT_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
    ASSERT_EQ(all, size());
  }
}

TEST(Watching, OfSeveralThreadsKnowsWhosePhaseACallFollows) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) return;
  constexpr int threads = 3;
  std::stringstream text = test::written_to("min_bytes=4096;report", [&] {
    MPI_Comm comms[threads];
    PAT_Region regions[threads] = {};
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
      const std::string name = "work " + std::to_string(t);
      ASSERT_EQ(PAT_Region_create(comms[t], name.c_str(), &regions[t]), MPI_SUCCESS);
    }
    for (int t = 0; t < threads; ++t)
      running.emplace_back(compute_and_sum, t, comms[t], regions[t]);
    for (std::thread& thread : running) thread.join();
    for (int t = 0; t < threads; ++t) {
      PAT_Region_free(&regions[t]);
      MPI_Comm_free(&comms[t]);
    }
  });
  if (rank() != 0) return;
  const auto report = nlohmann::json::parse(text);
  std::map<std::string, int> calls;
  for (const auto& place : report["analysis"]["places"])
    calls[place["place"].get<std::string>()] += place["iterations"].get<int>();
  std::map<std::string, int> expected;
  for (int t = 0; t < threads; ++t)
    expected["allreduce, 4 bytes, after region work " + std::to_string(t)] = 30;
  EXPECT_EQ(calls, expected);
}

TEST(Watching, OfMoreKindsOfCallsThanAreToldApartNamesNoRoot) {
  constexpr int kinds = 300, told_apart = 256;
  std::stringstream text = test::written_to("min_bytes=4096;report", [] {
    std::vector<char> mine(kinds), all(kinds * static_cast<std::size_t>(size()));
    for (int bytes = 1; bytes <= kinds; ++bytes)
      ASSERT_EQ(PAT_Gather(mine.data(), bytes, MPI_CHAR, all.data(), bytes, MPI_CHAR, size() - 1,
                           MPI_COMM_WORLD),
                MPI_SUCCESS);
  });
  // One process meets nobody, and of more than 13 some are no small calls.
  if (rank() != 0 || size() == 1 || size() > 13) return;
  const auto report = nlohmann::json::parse(text);
  int of_any_root = 0;
  for (const auto& stream : report["process"][0]["streams"])
    if (stream["root"].is_null()) of_any_root += stream["calls"].get<int>();
  EXPECT_EQ(of_any_root, kinds - told_apart);
  int of_any_kind = 0;
  for (const auto& place : report["analysis"]["places"])
    if (place["place"] == "gather of any kind") of_any_kind += place["iterations"].get<int>();
  EXPECT_EQ(of_any_kind, kinds - told_apart);
}

class RegionsOfASession : public test::Running {};

TEST_F(RegionsOfASession, AreRefusedByNameOnceFreedWhateverCameAfter) {
  std::vector<std::pair<std::string, PAT_Region>> freed;
  for (int i = 0; i < 200; ++i) {
    const std::string name = i % 2 == 0 ? "even" : "odd";
    PAT_Region region = nullptr;
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, name.c_str(), &region), MPI_SUCCESS);
    for (const auto& [former_name, former] : freed) {
      ASSERT_NE(former, region) << i;
      if (i < 190) continue;
      ASSERT_EQ(PAT_Region_start(former), MPI_ERR_ARG) << i;
      EXPECT_TRUE(says("'" + former_name + "', which was freed")) << PAT_Error_string();
    }
    ASSERT_EQ(PAT_Region_start(region), MPI_SUCCESS);
    ASSERT_EQ(PAT_Region_end(region), MPI_SUCCESS);
    freed.emplace_back(name, region);
    ASSERT_EQ(PAT_Region_free(&region), MPI_SUCCESS);
  }
}

TEST_F(RegionsOfASession, AreRefusedByNameWhileTheirPlacesAreTheirs) {
  std::vector<PAT_Region> freed;
  for (int i = 0; i < 200; ++i) {
    PAT_Region region = nullptr;
    const std::string name = "step " + std::to_string(i);
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, name.c_str(), &region), MPI_SUCCESS);
    freed.push_back(region);
    ASSERT_EQ(PAT_Region_free(&region), MPI_SUCCESS);
  }
  for (std::size_t i = 0; i < freed.size(); ++i) {
    ASSERT_EQ(PAT_Region_start(freed[i]), MPI_ERR_ARG) << i;
    const bool is_known = i >= freed.size() - 60;  // the default region has had one, too
    EXPECT_TRUE(says(is_known  ? "'step " + std::to_string(i) + "', which was freed"
                     : i < 100 ? "got a region that was freed"
                               : "was freed"))
        << i << ": " << PAT_Error_string();
  }
}

TEST_F(RegionsOfASession, ThatAreNoneAreRefused) {
  int other = 0;
  EXPECT_EQ(PAT_Region_start(reinterpret_cast<PAT_Region>(&other)), MPI_ERR_ARG);
  EXPECT_TRUE(says("what is no region")) << PAT_Error_string();
}

TEST_F(RegionsOfASession, KnowNothingOfTheRegionWhosePlaceTheyTake) {
  double mean_s = 0.0;
  std::vector<double> offsets_s(static_cast<std::size_t>(size()));
  for (int i = 0; i < 3; ++i) {
    PAT_Region region = nullptr;
    ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "one after the other", &region), MPI_SUCCESS);
    EXPECT_EQ(PAT_GetForecast(region, &mean_s, nullptr, nullptr), MPI_ERR_PENDING) << i;
    std::uint64_t epoch = 1;
    ASSERT_EQ(PAT_GetPattern(region, offsets_s.data(), size(), &epoch), MPI_SUCCESS);
    EXPECT_EQ(epoch, 0u) << i;
    for (int call = 0; call < 4; ++call) {
      ASSERT_EQ(PAT_Region_start(region), MPI_SUCCESS);
      ASSERT_EQ(PAT_Region_end(region), MPI_SUCCESS);
      std::vector<int> mine(2000), all(2000 * static_cast<std::size_t>(size()));
      ASSERT_EQ(
          PAT_Gather(mine.data(), 2000, MPI_INT, all.data(), 2000, MPI_INT, 0, MPI_COMM_WORLD),
          MPI_SUCCESS);
    }
    ASSERT_EQ(PAT_GetForecast(region, &mean_s, nullptr, nullptr), MPI_SUCCESS);
    ASSERT_EQ(PAT_Region_free(&region), MPI_SUCCESS);
  }
}

TEST(FreedRegions, OfOneNameAreOneRowOfTheReport) {
  std::stringstream text = test::written_to("report", [] {
    for (int i = 0; i < 30; ++i) {
      PAT_Region outer = nullptr, inner = nullptr;
      ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "solver", &outer), MPI_SUCCESS);
      ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "solver", &inner), MPI_SUCCESS);
      for (const PAT_Region region : {outer, inner}) {
        ASSERT_EQ(PAT_Region_start(region), MPI_SUCCESS);
        ASSERT_EQ(PAT_Region_end(region), MPI_SUCCESS);
      }
      ASSERT_EQ(PAT_Region_free(&inner), MPI_SUCCESS);
      if (i < 29) {
        ASSERT_EQ(PAT_Region_free(&outer), MPI_SUCCESS);
      }
    }
  });
  if (rank() != 0) return;
  const auto report = nlohmann::json::parse(text);
  ASSERT_EQ(report["process"].size(), static_cast<std::size_t>(size()));
  for (const auto& process : report["process"]) {
    ASSERT_EQ(process["regions"].size(), 2u) << "default and solver";
    EXPECT_EQ(process["regions"][1]["name"], "solver");
    EXPECT_EQ(process["regions"][1]["regions"], 60);
    EXPECT_EQ(process["regions"][1]["phases"], 60);
  }
}

TEST(TextReport, ShowsTheLongestOfManyRegions) {
  constexpr int regions = 120;
  testing::internal::CaptureStderr();
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "report=stderr"), MPI_SUCCESS);
  for (int i = 0; i < regions; ++i) {
    PAT_Region region = PAT_REGION_DEFAULT;
    EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD, ("part " + std::to_string(i)).c_str(), &region),
              MPI_SUCCESS);
    PAT_Region_start(region);
    if (i == regions - 1) sleep_ms(100);
    PAT_Region_end(region);
  }
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS);
  const std::string text = testing::internal::GetCapturedStderr();
  if (rank() != 0) return;
  int shown = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    shown += line.find("  part ") != std::string::npos;
  EXPECT_EQ(shown, 100);
  EXPECT_NE(text.find("  part 119 "), std::string::npos) << text;
  EXPECT_NE(text.find(" lines more, of 0."), std::string::npos) << text;
}

}  // namespace
}  // namespace pat
