// Life of a session: order of calls, settings, regions, forecasts, forgotten clean-up.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/trace.hpp"
#include "libpat/session/session.hpp"
#include "tests/mpi/session.hpp"
#include "tests/mpi/written.hpp"

namespace pat {
namespace {

using test::rank;
using test::size;
using test::trace_of;
using test::written_to;

bool says(const char* text) {
  return std::string(PAT_Error_string()).find(text) != std::string::npos;
}

TEST(Order, CallsBeforeInitNameTheCall) {
  int x = 0;
  EXPECT_EQ(PAT_ProcessingStart(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("PAT_ProcessingStart") && says("PAT_Init")) << PAT_Error_string();
  EXPECT_EQ(PAT_Edge(0.5), MPI_ERR_OTHER);
  EXPECT_EQ(PAT_Finalize(), MPI_ERR_OTHER);
  EXPECT_EQ(PAT_UseAlgName("gather", "ls"), MPI_ERR_OTHER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQ(PAT_Gather(&x, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
  EXPECT_TRUE(says("PAT_Gather")) << PAT_Error_string();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  int flag = 1;
  EXPECT_EQ(PAT_Initialized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
}

TEST(Order, InitAndFinalizeTwice) {
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Init(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("twice")) << PAT_Error_string();
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Finalize(), MPI_ERR_OTHER);
  EXPECT_TRUE(says("call PAT_Init first")) << PAT_Error_string() << ": the first one did not fail";
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS) << "a second session may follow";
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

/// Who measures for longer than the others would keep them waiting.
TEST(Order, CalibrationIsTheSameOnAll) {
  const char* const mine = rank() == 0 ? "calibrate=full" : "calibrate=quick";
  const bool alike = size() == 1;
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, mine), alike ? MPI_SUCCESS : MPI_ERR_ARG);
  if (alike)
    PAT_Finalize();
  else
    EXPECT_TRUE(says("PAT_CALIBRATE, PAT_CALIBRATION or")) << PAT_Error_string();
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, rank() == 0 ? "min_bytes=1" : "min_bytes=2"),
            alike ? MPI_SUCCESS : MPI_ERR_ARG);
  if (alike)
    PAT_Finalize();
  else
    EXPECT_TRUE(says("PAT_MIN_BYTES is not the same")) << PAT_Error_string();
}

TEST(Order, WrongProgressCallsLoseNothing) {
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Edge(0.5), MPI_ERR_OTHER);
  EXPECT_TRUE(says("PAT_Edge")) << PAT_Error_string();
  EXPECT_EQ(PAT_ProcessingEnd(), MPI_ERR_OTHER);
  ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
  EXPECT_EQ(PAT_ProcessingStart(), MPI_ERR_OTHER);
  for (const double fraction : {0.0, 1.0, -0.1, 1.5}) EXPECT_EQ(PAT_Edge(fraction), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Edge(0.0 / 0.0), MPI_ERR_ARG);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(PAT_Progress(infinity, infinity), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Progress(1.0, infinity), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Edge(0.5), MPI_SUCCESS);
  EXPECT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
  double mean_s = -1.0, lower_s = -1.0, upper_s = -1.0;
  EXPECT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &mean_s, &lower_s, &upper_s), MPI_SUCCESS);
  EXPECT_GE(mean_s, 0.0);
  EXPECT_LE(lower_s, mean_s);
  EXPECT_GE(upper_s, mean_s);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

/// What lies between two gathers are the other calls' phases, which end in calls of their own.
TEST(Gaps, CountFromTheCallBeforeWhicheverItWas) {
  constexpr int calls = 30, every = 5;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "min_bytes=1000"), MPI_SUCCESS) << PAT_Error_string();
  std::vector<char> block(2000), all(block.size() * static_cast<std::size_t>(test::size()));
  const double begin_s = MPI_Wtime();
  for (int call = 1; call <= calls; ++call) {
    test::sleep_ms(4.0);
    const int mine = call;
    int sum = 0;
    ASSERT_EQ(PAT_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    if (call % every != 0) continue;
    ASSERT_EQ(PAT_Gather(block.data(), static_cast<int>(block.size()), MPI_CHAR, all.data(),
                         static_cast<int>(block.size()), MPI_CHAR, 0, MPI_COMM_WORLD),
              MPI_SUCCESS)
        << PAT_Error_string();
  }
  const double interval_s = (MPI_Wtime() - begin_s) * every / calls;
  int gathers = 0;
  detail::Session& session = detail::Session::get("test");
  session.under_lock([&](detail::Locked& locked) {
    for (const auto& [id, twin] : session.twins.all(locked))
      for (const auto& stream : twin->streams()) {
        ASSERT_TRUE(stream->gaps);
        EXPECT_FALSE(stream->follows_itself);
        EXPECT_LT(stream->gaps->foretell_from_all({}, {}).mean_s, 0.5 * interval_s);
        ++gathers;
      }
  });
  EXPECT_EQ(gathers, test::size() > 1 ? 1 : gathers);  // alone nothing is decided
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

TEST(Settings, BadOnesAreRefusedOnEveryProcess) {
  const char* only_last = rank() == size() - 1 ? "window=-1" : "";
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, only_last), MPI_ERR_ARG);
  EXPECT_FALSE(std::string(PAT_Error_string()).empty());
  for (const char* bad :
       {"nonsense=1", "predictor=oracle", "alg=gather=none", "alg=nothing=ls", "daemon=maybe",
        "watchdog=inf", "calibration=/", "calibration=/no-such-file", "trace=/",
        "trace=/no-such-folder/trace.txt", "report=/no-such-folder/report.json"}) {
    EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, bad), MPI_ERR_ARG) << bad;
    EXPECT_FALSE(std::string(PAT_Error_string()).empty());
  }
  for (const auto& [bad, name] : {std::pair{"predictor=sma:0", "PAT_PREDICTOR is 'sma:0'"},
                                  {"predictor=oracle", "PAT_PREDICTOR is 'oracle'"},
                                  {"alg=gather=none", "PAT_ALG is 'gather=none'"},
                                  {"alg=bsls", "'bsls' is no algorithm of every operation"},
                                  {"alg=reduce=ring,gather=bsls,reduce=mpi",
                                   "there are two algorithms of reduce in "
                                   "'reduce=ring,gather=bsls,reduce=mpi', give one"},
                                  {"alg=nothing=ls", "PAT_ALG is 'nothing=ls'"}}) {
    EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, bad), MPI_ERR_ARG) << bad;
    EXPECT_TRUE(says(name)) << PAT_Error_string();
  }
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_NULL, nullptr), MPI_ERR_COMM);
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "window=3;log=warn"), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(Settings, OneNameHoldsForAllOperations) {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "alg=mpi"), MPI_SUCCESS) << PAT_Error_string();
  detail::Session& session = detail::Session::get("test");
  for (const Operation operation : all_operations()) {
    const Algorithm* forced = session.forced.algorithm_for({.operation = operation});
    ASSERT_NE(forced, nullptr);
    EXPECT_EQ(forced->name, "mpi");
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(Settings, SegmentsOfReductions) {
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "segments=-1"), MPI_ERR_ARG);
  for (const char* segments : {"segments=0", "segments=3", "segments=1000"}) {
    ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, segments), MPI_SUCCESS) << PAT_Error_string();
    ASSERT_EQ(PAT_UseAlgName("reduce", "clairvoyant"), MPI_SUCCESS);
    for (int call = 0; call < 4; ++call) {  // a vector that cannot be cut
      double one = 1.0, all = 0.0;
      ASSERT_EQ(PAT_Reduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
      if (rank() == 0) {
        EXPECT_EQ(all, size());
      }
    }
    std::vector<int> mine(100), sum(100);
    for (int call = 0; call < 4; ++call) {
      for (int i = 0; i < 100; ++i) mine[static_cast<std::size_t>(i)] = i + call + rank();
      ASSERT_EQ(PAT_Reduce(mine.data(), sum.data(), 100, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD),
                MPI_SUCCESS);
      for (int i = 0; rank() == 0 && i < 100; ++i)
        EXPECT_EQ(sum[static_cast<std::size_t>(i)],
                  size() * (i + call) + size() * (size() - 1) / 2);
    }
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
  }
}

void gather_once() {
  const int mine = rank();
  std::vector<int> all(static_cast<std::size_t>(size()));
  ASSERT_EQ(PAT_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
}

/// After the last call comes one more phase, in which the root may send go-aheads for a call that
/// never comes; MPI gives the context of the freed communicator to the next one.
TEST(FreedCommunicators, LeaveNothingForTheNextOne) {
  constexpr int count = 700;
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "min_bytes=0"), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_UseAlgName("gather", "bsls"), MPI_SUCCESS);
  const auto compute = [](double ms) {
    PAT_ProcessingStart();
    test::sleep_ms(ms / 2);
    PAT_Edge(0.5);
    test::sleep_ms(ms / 2);
    PAT_ProcessingEnd();
  };
  std::vector<int> mine(count), all(static_cast<std::size_t>(count * size()));
  for (int i = 0; i < 20; ++i) {
    const int root = i % size();
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < 4 + i % 3; ++call) {
      compute(1.2);
      std::fill(mine.begin(), mine.end(), 100 * i + 10 * call + rank());
      std::fill(all.begin(), all.end(), -1);
      ASSERT_EQ(PAT_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, comm),
                MPI_SUCCESS);
      for (int r = 0; rank() == root && r < size(); ++r)
        EXPECT_EQ(std::count(all.begin() + r * count, all.begin() + (r + 1) * count,
                             100 * i + 10 * call + r),
                  count)
            << "communicator " << i << ", call " << call << ", block " << r;
    }
    compute(3.0);
    MPI_Comm_free(&comm);
  }
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

/// Freed in another order on every process, which MPI's own local free allows.
TEST(FreedCommunicators, MayGoInAnyOrder) {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "min_bytes=0"), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_UseAlgName("reduce", "local-redirect"), MPI_SUCCESS);
  std::vector<MPI_Comm> comms(5);
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < 3; ++call) {
      int one = 1, sum = 0;
      ASSERT_EQ(PAT_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, call % size(), comm), MPI_SUCCESS);
      if (rank() == call % size()) {
        EXPECT_EQ(sum, size());
      }
    }
  }
  for (std::size_t i = 0; i < comms.size(); ++i)
    MPI_Comm_free(&comms[(i + static_cast<std::size_t>(rank())) % comms.size()]);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST(Report, WithoutTheSessionsCommunicator) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const std::string path = testing::TempDir() + "pat-session-freed.trace";
  ASSERT_EQ(PAT_Init_comm(own, ("trace=" + path).c_str()), MPI_SUCCESS) << PAT_Error_string();
  for (int call = 0; call < 3; ++call) EXPECT_EQ(PAT_Barrier(own), MPI_SUCCESS);
  MPI_Comm_free(&own);
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  if (rank() != 0) return;
  EXPECT_EQ(read_trace(path).iterations(), 3) << "calls of freed communicators stay";
  std::filesystem::remove(path);
}

TEST(Report, KeepsTheCallsOfFreedCommunicators) {
  const int root = size() - 1;  // who knows the reasons
  std::stringstream text = written_to("report", [&] {
    for (int i = 0; i < 3; ++i) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      int mine = rank(), sum = 0;
      for (int call = 0; call < 4; ++call) {
        ASSERT_EQ(PAT_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, root, comm), MPI_SUCCESS);
      }
      MPI_Comm_free(&comm);
    }
  });
  if (rank() != 0) return;
  const auto report = nlohmann::json::parse(text);
  const auto freed = [&](int process) {
    std::vector<nlohmann::json> lines;
    for (const auto& stream : report["process"][static_cast<std::size_t>(process)]["streams"])
      if (stream["communicator"] == "freed") lines.push_back(stream);
    return lines;
  };
  const std::vector<nlohmann::json> here = freed(0), leader = freed(root);
  if (size() == 1) return;  // then no call needs a decision, and none has a stream
  ASSERT_EQ(here.size(), 1u) << "streams alike are one line";
  EXPECT_EQ(here[0]["calls"], 12);
  EXPECT_EQ(here[0]["operation"], "reduce");
  EXPECT_EQ(here[0]["leader"], root);
  ASSERT_EQ(leader.size(), 1u);
  int explained = 0;
  for (const auto& reason : leader[0]["reasons"]) explained += reason["calls"].get<int>();
  EXPECT_EQ(explained, 12) << leader[0];
}

TEST(Recording, HoldsTheHintsOfEveryPhase) {
  const Trace trace = trace_of([] {
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(PAT_Hint("particles", 100.0 * i + rank()), MPI_SUCCESS);
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      if (i == 2 && rank() == 0) {
        ASSERT_EQ(PAT_Hint("r\xe9"
                           "build",
                           1.0),
                  MPI_SUCCESS);  // no UTF-8
      }
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      gather_once();
    }
  });
  if (rank() != 0) return;
  ASSERT_EQ(trace.iterations(), 4);
  EXPECT_TRUE(trace.places.empty()) << "all calls are alike";
  EXPECT_NE(trace.region.find("after region default"), std::string::npos) << trace.region;
  ASSERT_EQ(trace.hints.size(), 2u);
  EXPECT_EQ(trace.hints[0].name, "particles");
  EXPECT_EQ(trace.hints[1].name,
            "r\uFFFD"
            "build");
  for (int i = 0; i < 4; ++i)
    for (int r = 0; r < size(); ++r) {
      const auto at = static_cast<std::size_t>(i * size() + r);
      EXPECT_EQ(trace.hints[0].value[at], 100.0 * i + r);
      EXPECT_EQ(std::isnan(trace.hints[1].value[at]), !(i == 2 && r == 0));
    }
}

TEST(Recording, TellsItsPlacesApart) {
  const Trace trace = trace_of([] {
    for (int i = 0; i < 6; ++i) {
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(i % 2 == 0 ? 0.0 : 3.0);
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
      int one = 1, sum = 0;
      if (i % 2 == 0)
        gather_once();
      else
        ASSERT_EQ(PAT_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
  });
  if (rank() != 0 || size() == 1) return;  // one process: all calls are alike
  ASSERT_EQ(trace.places.size(), 2u);
  EXPECT_EQ(trace.place, (std::vector<int>{0, 1, 0, 1, 0, 1}));
  const Trace gathers = at_place(trace, 0), reductions = at_place(trace, 1);
  EXPECT_TRUE(gathers.region.starts_with("gather, root 0, 4 bytes")) << gathers.region;
  EXPECT_TRUE(reductions.region.starts_with("reduce, root 0, 4 bytes")) << reductions.region;
  for (int i = 0; i < 3; ++i)
    for (int r = 0; r < size(); ++r) EXPECT_GE(reductions.computing(i, r), 0.003);
}

/// Whoever hands over his value early leaves, and letters to him come later: they must reach
/// neither the next communicator, to which MPI gives the context of a freed one, nor hold up the
/// end.
TEST(Letters, EndWithTheirCommunicator) {
  for (int session = 0; session < 4; ++session) {
    ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
    for (const char* algorithm : {"local-redirect-seg", "local-redirect"}) {
      ASSERT_EQ(PAT_UseAlgName("reduce", algorithm), MPI_SUCCESS);
      for (int call = 0; call < 12; ++call) {
        MPI_Comm comm = MPI_COMM_WORLD;
        const bool own = call < 11;  // the last one's letters are left to PAT_Finalize
        if (own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        std::vector<int> mine(20000, rank()), sum(20000, 0);
        test::sleep_ms((rank() * 7 + call * 5) % 4);
        ASSERT_EQ(PAT_Reduce(mine.data(), sum.data(), 20000, MPI_INT, MPI_SUM, call % size(), comm),
                  MPI_SUCCESS);
        if (rank() == call % size()) {
          ASSERT_EQ(sum.front(), size() * (size() - 1) / 2);
          ASSERT_EQ(sum.back(), sum.front());
        }
        if (own) MPI_Comm_free(&comm);
      }
    }
    ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
  }
}

class Session : public test::Running {};

TEST_F(Session, ChoosesAlgorithms) {
  EXPECT_EQ(PAT_UseAlgName("gather", "sls"), MPI_SUCCESS);
  EXPECT_EQ(PAT_UseAlgName("gather", "auto"), MPI_SUCCESS);
  EXPECT_EQ(PAT_UseAlg(PAT_Gather_BSLS), MPI_SUCCESS);
  EXPECT_EQ(PAT_UseAlgName("gather", "nonsense"), MPI_ERR_ARG);
  EXPECT_TRUE(says("bsls")) << PAT_Error_string();
  EXPECT_EQ(PAT_UseAlgName("nonsense", "ls"), MPI_ERR_ARG);
  EXPECT_EQ(PAT_UseAlgName(nullptr, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(PAT_UseAlg(static_cast<PAT_Alg>(7)), MPI_ERR_ARG);
}

TEST_F(Session, SendsNothingToTheProgramsOwnReceives) {
  char taken = 0;
  MPI_Request mine = MPI_REQUEST_NULL;
  MPI_Irecv(&taken, 1, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_SELF, &mine);
  MPI_Datatype pair;  // with a gap, so that copies are typed on both sides
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (const char* algorithm : {"bnom", "local-redirect", "clairvoyant"}) {
    ASSERT_EQ(PAT_UseAlgName("reduce", algorithm), MPI_SUCCESS);
    for (int call = 0; call < 3; ++call) {
      std::vector<int> values(3000, 1), sum(3000, 0);
      const bool in_place = rank() == 0;
      MPI_Op add;
      MPI_Op_create(
          [](void* in, void* inout, int* count, MPI_Datatype*) {
            for (int i = 0; i < 3 * *count; ++i)
              if (i % 3 != 1) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
          },
          1, &add);
      ASSERT_EQ(PAT_Reduce(in_place ? MPI_IN_PLACE : values.data(),
                           in_place ? values.data() : nullptr, 1000, pair, add, 0, MPI_COMM_WORLD),
                MPI_SUCCESS);
      if (rank() == 0) {
        EXPECT_EQ(values[0], size());
        EXPECT_EQ(values[2999], size());
        EXPECT_EQ(values[1], 1) << "the gap";
      }
      MPI_Op_free(&add);
    }
  }
  int done = 1;
  MPI_Test(&mine, &done, MPI_STATUS_IGNORE);
  EXPECT_FALSE(done);
  MPI_Cancel(&mine);
  MPI_Request_free(&mine);
  MPI_Type_free(&pair);
}

/// The forecast of a second phase of which an edge says that it is a thousandth done.
double forecast_at_early_edge(PAT_Region region) {
  double mean_s = -1.0;
  for (int phase = 0; phase < 2; ++phase) {
    PAT_Region_start(region);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (phase == 1) PAT_Region_edge(region, 1e-3);
    EXPECT_EQ(phase == 1 ? PAT_GetForecast(region, &mean_s, nullptr, nullptr) : MPI_SUCCESS,
              MPI_SUCCESS);
    PAT_Region_end(region);
  }
  return mean_s;
}

TEST_F(Session, ARegionMayHaveAModelOfItsOwn) {
  PAT_Region last = nullptr, edge = nullptr;
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "last", &last), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "edge", &edge), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_predictor(last, "last"), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_predictor(edge, "edge"), MPI_SUCCESS);
  const double by_edge_s = forecast_at_early_edge(edge);
  EXPECT_GE(by_edge_s, 1.0);
  EXPECT_LT(forecast_at_early_edge(last), by_edge_s) << "does not look at edges";

  double mean_s = -1.0;
  EXPECT_EQ(PAT_Region_predictor(last, "nothing"), MPI_ERR_ARG);
  EXPECT_TRUE(says("sma")) << PAT_Error_string();
  EXPECT_EQ(PAT_GetForecast(last, &mean_s, nullptr, nullptr), MPI_SUCCESS) << "nothing is lost";
  EXPECT_EQ(PAT_Region_predictor(last, "sma:4"), MPI_SUCCESS);
  EXPECT_EQ(PAT_GetForecast(last, &mean_s, nullptr, nullptr), MPI_ERR_PENDING) << "all forgotten";
  ASSERT_EQ(PAT_Region_start(last), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_predictor(last, "last"), MPI_ERR_OTHER);
  ASSERT_EQ(PAT_Region_end(last), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_free(&last), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_free(&edge), MPI_SUCCESS);
}

TEST_F(Session, RegionsAreIndependent) {
  PAT_Region one = nullptr, two = nullptr;
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "one", &one), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "two", &two), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_start(one), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_start(two), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_edge(one, 0.5), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_end(two), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_edge(two, 0.5), MPI_ERR_OTHER);
  EXPECT_TRUE(says("two")) << PAT_Error_string();
  EXPECT_EQ(PAT_Region_free(&one), MPI_ERR_OTHER) << "still computing";
  EXPECT_EQ(PAT_Region_end(one), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_free(&one), MPI_SUCCESS);
  EXPECT_EQ(one, PAT_REGION_DEFAULT);
  PAT_Region stale = two;
  EXPECT_EQ(PAT_Region_free(&two), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_start(stale), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Region_create(MPI_COMM_NULL, "none", &one), MPI_ERR_COMM);
  EXPECT_EQ(PAT_Region_create(MPI_COMM_WORLD, nullptr, &one), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Region_free(&one), MPI_ERR_ARG) << "the default region";
}

TEST_F(Session, ForecastFollowsTheEdge) {
  double mean_s = 0.0;
  EXPECT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &mean_s, nullptr, nullptr), MPI_ERR_PENDING);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(4.0);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
  }
  ASSERT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &mean_s, nullptr, nullptr), MPI_SUCCESS);
  EXPECT_GE(mean_s, 0.004);
}

TEST_F(Session, PatternComesWithTheDecision) {
  std::vector<double> offsets_s(static_cast<std::size_t>(size()), -1.0);
  std::uint64_t epoch = 77;
  ASSERT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size(), &epoch), MPI_SUCCESS);
  EXPECT_EQ(epoch, 0u);
  EXPECT_EQ(offsets_s, std::vector<double>(static_cast<std::size_t>(size()), 0.0));
  EXPECT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size() + 1, &epoch),
            MPI_ERR_COUNT);
  EXPECT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, nullptr, size(), &epoch), MPI_ERR_ARG);
  if (size() < 2) return;
  // The last rank computes far longer than the others, again and again: the pattern must say so.
  ASSERT_EQ(PAT_UseAlgName("gather", "sls"), MPI_SUCCESS);
  std::vector<int> block(1000), whole(1000 * static_cast<std::size_t>(size()));
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
    test::sleep_ms(rank() == size() - 1 ? 40.0 : 4.0);
    ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    ASSERT_EQ(
        PAT_Gather(block.data(), 1000, MPI_INT, whole.data(), 1000, MPI_INT, 0, MPI_COMM_WORLD),
        MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ASSERT_EQ(PAT_GetPattern(PAT_REGION_DEFAULT, offsets_s.data(), size(), &epoch), MPI_SUCCESS);
  EXPECT_GT(epoch, 0u);
  for (int r = 0; r + 1 < size(); ++r)
    EXPECT_LT(offsets_s[static_cast<std::size_t>(r)], offsets_s.back()) << "rank " << r;
}

TEST(OwnCommunicator, MayBeFreedBeforeTheSessionEnds) {
  MPI_Comm mine, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  ASSERT_EQ(PAT_Init_comm(mine, nullptr), MPI_SUCCESS);
  MPI_Comm_free(&mine);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  int x = rank();
  std::vector<int> all(static_cast<std::size_t>(size()));
  ASSERT_EQ(PAT_Gather(&x, 1, MPI_INT, all.data(), 1, MPI_INT, 0, other), MPI_SUCCESS);
  MPI_Comm_free(&other);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

TEST(Regions, OfAnEarlierSessionAreRefused) {
  PAT_Region region = nullptr;
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_create(MPI_COMM_WORLD, "earlier", &region), MPI_SUCCESS);
  ASSERT_EQ(PAT_Region_start(region), MPI_SUCCESS);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  ASSERT_EQ(PAT_Init(), MPI_SUCCESS);
  EXPECT_EQ(PAT_Region_edge(region, 0.5), MPI_ERR_ARG);
  EXPECT_TRUE(says("earlier")) << PAT_Error_string();
  EXPECT_EQ(PAT_Region_end(region), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Region_free(&region), MPI_ERR_ARG);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
}

TEST(Hints, LetAForecastFollowTheAmountOfWork) {
  ASSERT_EQ(PAT_Init_comm(MPI_COMM_WORLD, "predictor=regression"), MPI_SUCCESS)
      << PAT_Error_string();
  double little_s = 0.0, much_s = 0.0;
  // A busy machine lets a phase of 2 ms sleep for 20 now and then: then the model is given more.
  for (int attempt = 0; attempt < 8 && !(much_s > 2.0 * little_s); ++attempt) {
    for (int i = 0; i < 30; ++i) {
      const double work = 1 + i % 5;
      ASSERT_EQ(PAT_Hint("elements", work), MPI_SUCCESS);
      ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
      test::sleep_ms(2.0 * work);
      ASSERT_EQ(PAT_Progress(0.0, 10.0), MPI_SUCCESS);
      ASSERT_EQ(PAT_Progress(5.0, 10.0), MPI_SUCCESS);
      ASSERT_EQ(PAT_Progress(10.0, 10.0), MPI_SUCCESS);
      ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
    }
    ASSERT_EQ(PAT_Hint("elements", 1.0), MPI_SUCCESS);
    ASSERT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &little_s, nullptr, nullptr), MPI_SUCCESS);
    ASSERT_EQ(PAT_Hint("elements", 5.0), MPI_SUCCESS);
    ASSERT_EQ(PAT_GetForecast(PAT_REGION_DEFAULT, &much_s, nullptr, nullptr), MPI_SUCCESS);
  }
  EXPECT_GT(much_s, 2.0 * little_s) << "five times the work";
  EXPECT_EQ(PAT_Hint("elements", 0.0 / 0.0), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Hint(nullptr, 1.0), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Hint(" \v", 1.0), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Progress(2.0, 1.0), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Progress(-1.0, 1.0), MPI_ERR_ARG);
  EXPECT_EQ(PAT_Progress(0.0, 0.0), MPI_ERR_ARG);
  ASSERT_EQ(PAT_Finalize(), MPI_SUCCESS);
}

TEST_F(Session, EdgesMayComeFromManyThreads) {
  ASSERT_EQ(PAT_ProcessingStart(), MPI_SUCCESS);
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 1; i < 200; ++i) failed += PAT_Edge(i / 200.0) != MPI_SUCCESS;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  ASSERT_EQ(PAT_ProcessingEnd(), MPI_SUCCESS);
}

}  // namespace
}  // namespace pat
