// Cases, study and figures: what needs no second process.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "apps/helsim-mini/case.hpp"
#include "apps/helsim-mini/domain.hpp"
#include "apps/helsim-mini/figures.hpp"
#include "apps/helsim-mini/reduction_choice.hpp"
#include "apps/helsim-mini/render.hpp"
#include "apps/helsim-mini/replay.hpp"
#include "apps/helsim-mini/saved_particles.hpp"
#include "apps/helsim-mini/study.hpp"
#include "core/errors.hpp"

namespace helsim {
namespace {

std::string complaint(const std::string& json) {
  try {
    read_case(json, "input", "a");
  } catch (const pat::Error& error) {
    EXPECT_EQ(error.kind(), pat::ErrorKind::config);
    return error.what();
  }
  return "none";
}

std::string with(const std::string& more) {
  return R"({"a": {"cells": [4, 4, 4], "length": [1, 1, 1], "species": [{}])" + more + "}}";
}

TEST(Input, BuiltInCasesAreAllReadable) {
  const std::string text(built_in_cases());
  const auto names = case_names(text, "built-in");
  EXPECT_GE(names.size(), 3u);
  for (const std::string& name : names) EXPECT_NO_THROW(read_case(text, "built-in", name)) << name;
}

TEST(Input, ComplaintsNameTheKey) {
  EXPECT_EQ(complaint(with("")), "none");
  const std::pair<std::string, std::string> cases[] = {
      {with(R"(, "tme_step": 1)"), "a.tme_step"},
      {with(R"(, "time_step": 0)"), "a.time_step"},
      {with(R"(, "time_step": "x")"), "a.time_step"},
      {with(R"(, "view": {"azimuth": 3})"), "a.view.azimuth"},
      {with(R"(, "view": {"density_low": 9})"), "a.view.density_high"},
      {with(R"(, "magnetic_field": {"uniform": [1, 2]})"), "a.magnetic_field.uniform"},
      {R"({"a": {"length": [1, 1, 1], "species": [{}]}})", "a.cells"},
      {R"({"a": {"cells": [4, 4, 1.5], "length": [1, 1, 1], "species": [{}]}})", "a.cells"},
      {R"({"a": {"cells": [-4, 4, 4], "length": [1, 1, 1], "species": [{}]}})", "a.cells"},
      {R"({"a": {"cells": [4096, 4096, 4096], "length": [1, 1, 1], "species": [{}]}})", "a.cells"},
      {R"({"a": {"cells": [512, 512, 512], "length": [1, 1, 1], "species": [{"per_cell": 64}]}})",
       "per_cell"},
      {R"({"a": {"cells": [4, 4, 4], "length": [1, 1, 1], "species": [{"per_cell": -1}]}})",
       "a.species[0].per_cell"},
      {R"({"a": 5})", "'a'"},
      {R"({"a": {"cells": [4, 4, 4], "length": [1, -1, 1], "species": [{}]}})", "a.length"},
      {R"({"a": {"cells": [4, 4, 4], "length": [1, 1, 1], "species": []}})", "a.species"},
      {R"({"a": {"cells": [4, 4, 4], "length": [1, 1, 1], "species": [{"mas": 1}]}})",
       "a.species[0].mas"},
      {R"({"a": {"cells": [4, 4, 4], "length": [1, 1, 1],
            "species": [{"wave": {"mode": [0, 0, 0], "amplitude": 1}}]}})",
       "a.species[0].wave.mode"},
      {R"({"b": {}})", "'a'"},
      {"{", "JSON"},
      {"[]", "input"}};
  for (const auto& [json, key] : cases)
    EXPECT_NE(complaint(json).find(key), std::string::npos) << complaint(json) << "\n" << json;
}

TEST(Domain, CutsTakeTheLeastArea) {
  EXPECT_EQ(cut({{32, 8, 8}, {1, 1, 1}}, 4), (Int3{4, 1, 1}));
  EXPECT_EQ(cut({{16, 16, 16}, {1, 1, 1}}, 8), (Int3{2, 2, 2}));
  EXPECT_EQ(cut({{2, 2, 16}, {1, 1, 1}}, 7), (Int3{1, 1, 7}));
  EXPECT_THROW(cut({{2, 2, 2}, {1, 1, 1}}, 3), pat::Error);
}

/// Rank r needs (r + 1) ms and one more in every third step.
pat::Trace steps(int ranks, int iterations) {
  pat::Trace trace;
  trace.ranks = ranks;
  for (int step = 0; step < iterations; ++step)
    for (int r = 0; r < ranks; ++r) {
      const double time = 1e-3 * (r + 1) + (step % 3 == 0 ? 1e-3 : 0.0);
      trace.arrival_s.push_back(time);
      trace.computing_s.push_back(time);
    }
  return trace;
}

TEST(Study, PredictedPatternsFollowTheModel) {
  const pat::Trace trace = steps(3, 6);
  const auto patterns = predicted_patterns(trace, "last");
  ASSERT_EQ(patterns.size(), 6u);
  EXPECT_EQ(patterns[0].offset_s, (std::vector<double>{0.0, 0.0, 0.0}));
  for (std::size_t step = 1; step < 6; ++step)
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_NEAR(patterns[step].offset_s[r], 1e-3 * static_cast<double>(r), 1e-12);
}

TEST(Study, RowsAreConsistent) {
  const pat::CostModel model;
  const auto rows = study(steps(4, 10), {64 << 10}, {"sma:5"}, model);
  for (const StudyRow& row : rows) {
    if (!row.refused.empty()) continue;
    EXPECT_NEAR(row.imbalance_s, 3e-3, 1e-12) << row.algorithm;
    // Nothing ends before the last arrival, and absorption is what Definition 3.6 says of the sums.
    EXPECT_GE(row.run_time_s, 10 * row.imbalance_s - 1e-12) << row.algorithm;
    EXPECT_NEAR(row.absorption_s, row.balanced_s - row.run_time_s / 10 + row.imbalance_s, 1e-12);
    EXPECT_LE(row.absorption_s, row.imbalance_s + row.balanced_s);
  }
  EXPECT_THROW(study(steps(1, 10), {64 << 10}, {}, model), pat::Error);
  for (const char* format : {"table", "csv", "json"}) {
    std::ostringstream out;
    print_study(rows, simulated_origin(model), format, out);
    EXPECT_FALSE(out.str().empty());
  }
}

TEST(Study, SchedulesArePlannedForTheGivenCost) {
  pat::CostModel slow_start;
  slow_start.alpha_s = 1.0;
  for (const StudyRow& row : study(steps(4, 2), {4 << 20}, {}, slow_start))
    if (row.algorithm == "pipeline" || row.algorithm == "clairvoyant") {
      EXPECT_LT(row.balanced_s, 3.5)
          << row.algorithm << ": more segments than a second each is worth";
    }
}

TEST(Replay, RefusesWhatCannotBeReplayed) {
  ReplayPlan plan;
  plan.sizes = {1 << 17};
  EXPECT_NO_THROW(check_replay(plan, steps(3, 2), 3));
  EXPECT_THROW(check_replay(plan, steps(3, 2), 4), pat::Error);
  EXPECT_THROW(check_replay(plan, steps(3, 0), 3), pat::Error);
  EXPECT_THROW(check_replay(plan, steps(1, 2), 1), pat::Error);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{15}, std::size_t{1} << 40}) {
    plan.sizes = {bytes};
    EXPECT_THROW(check_replay(plan, steps(3, 2), 3), pat::Error) << bytes;
  }
  plan.sizes = {16};
  for (const double edge : {0.0, 1.0, -1.0, 0.0 / 0.0}) {
    plan.edges = {edge};
    EXPECT_THROW(check_replay(plan, steps(3, 2), 3), pat::Error) << edge;
  }
  plan.edges = reported_fractions();
  EXPECT_NO_THROW(check_replay(plan, steps(3, 2), 3));
  plan.steps = 0;
  EXPECT_THROW(check_replay(plan, steps(3, 2), 3), pat::Error);
}

TEST(Replay, TakesAListOfReductionsOrAll) {
  EXPECT_EQ(replay_reductions(""), reduction_names(false));
  EXPECT_EQ(replay_reductions("mpi,clairvoyant"), (std::vector<std::string>{"mpi", "clairvoyant"}));
  EXPECT_THROW(replay_reductions("mpi,nothing"), pat::Error);
  EXPECT_THROW(replay_reductions("mpi,"), pat::Error);
}

Case small_case() {
  return read_case(with(""), "input", "a");
}

/// A file of particles with this second line and these particles.
std::string particle_file(const std::string& header, const std::vector<Particle>& particles) {
  std::string bytes = std::string(particle_file_signature) + "\n" + header + "\n";
  for (const Particle& particle : particles)
    bytes.append(reinterpret_cast<const char*>(&particle), sizeof particle);
  return bytes;
}

SavedParticles parsed(const std::string& bytes) {
  const Case setup = small_case();
  return parse_particles(bytes, setup, setup.grid.box(), "file");
}

const char* const one_particle = R"({"cells": [4, 4, 4], "time": 0.5, "particles": [1]})";

TEST(SavedParticles, ComeBack) {
  const SavedParticles saved =
      parsed(particle_file(one_particle, {{7, {0.1, 0.2, 1.0}, {1.0, 2.0, 3.0}}}));
  EXPECT_EQ(saved.time, 0.5);
  ASSERT_EQ(saved.species.size(), 1u);
  ASSERT_EQ(saved.species[0].size(), 1u);
  EXPECT_EQ(saved.species[0].get(0).id, 7u);
  EXPECT_EQ(saved.species[0].get(0).velocity[2], 3.0);
}

TEST(SavedParticles, OfADamagedFileAreRefused) {
  const std::vector<Particle> particles = {{1, {0.5, 0.5, 0.5}, {}}};
  const std::string refused[] = {
      "", "helsim-particles 1\n", particle_file("[]", particles), particle_file("{}", particles),
      particle_file(R"({"cells": "x", "time": 0, "particles": [1]})", particles),
      particle_file(R"({"cells": [4, 4, 4], "time": 0, "particles": [-1]})", particles),
      particle_file(R"({"cells": [4, 4, 4], "time": 0, "particles": [2]})", particles),
      // 56 bytes each make 0 in 64 bits.
      particle_file(R"({"cells": [4, 4, 4], "time": 0, "particles": [2305843009213693952]})",
                    particles),
      particle_file(one_particle, {{1, {0.5, 0.5, 1e300}, {}}}),
      particle_file(one_particle, {{1, {0.5, -0.1, 0.5}, {}}}),
      particle_file(one_particle, {{1, {0.5, std::nan(""), 0.5}, {}}}),
      particle_file(one_particle, {{1, {0.5, 0.5, 0.5}, {std::nan(""), 0.0, 0.0}}})};
  for (const std::string& bytes : refused) EXPECT_THROW(parsed(bytes), pat::Error) << bytes;
}

TEST(Figures, DataAndScriptsAreWritten) {
  const std::string directory = ::testing::TempDir() + "helsim-figures";
  std::filesystem::create_directories(directory);
  const auto scripts = write_figures(steps(8, 40), directory);
  EXPECT_EQ(scripts.size(), 3u);
  for (const std::string& script : scripts)
    EXPECT_TRUE(std::filesystem::exists(directory + "/" + script));
  EXPECT_EQ(typical_ranks(steps(8, 5)), (std::vector<int>{7, 5, 3, 1}));
  EXPECT_THROW(write_figures(steps(2, 4), "/no/such/directory"), pat::Error);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace helsim
