// Plasma physics with known answers, on however many ranks mpirun gives; and the same particles to
// the last bit as on one rank.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "apps/helsim-mini/simulation.hpp"
#include "apps/helsim-mini/tests/mpi_main.hpp"
#include "core/errors.hpp"

namespace helsim {
namespace {

Case built_in(const std::string& name) {
  return read_case(std::string(built_in_cases()), "the built-in input", name);
}

/// The same case with fewer cells across: the waves run along x.
Case narrow(Case setup) {
  for (int a = 1; a < 3; ++a) {
    setup.grid.length[a] *= 8.0 / setup.grid.cells[a];
    setup.grid.cells[a] = 8;
  }
  return setup;
}

std::vector<Diagnostics> run(Simulation& simulation, int steps) {
  std::vector<Diagnostics> history;
  for (int n = 0; n < steps; ++n) history.push_back(simulation.step());
  return history;
}

/// Times at which the real or imaginary part of the mode crosses zero, by linear interpolation.
std::vector<double> zero_crossings(const std::vector<Diagnostics>& history) {
  const bool real = std::abs(history[0].mode.real()) > std::abs(history[0].mode.imag());
  const auto value = [&](std::size_t n) {
    return real ? history[n].mode.real() : history[n].mode.imag();
  };
  std::vector<double> times;
  for (std::size_t n = 1; n < history.size(); ++n)
    if (value(n - 1) * value(n) < 0.0) {
      const double part = value(n - 1) / (value(n - 1) - value(n));
      times.push_back(history[n - 1].time + part * (history[n].time - history[n - 1].time));
    }
  return times;
}

/// Slope of the least-squares line through (time, log |mode|) between two times.
double growth_rate(const std::vector<Diagnostics>& history, double from, double to) {
  double n = 0, t = 0, y = 0, tt = 0, ty = 0;
  for (const Diagnostics& d : history) {
    if (d.time < from || d.time > to) continue;
    const double log_mode = std::log(std::abs(d.mode));
    n += 1, t += d.time, y += log_mode, tt += d.time * d.time, ty += d.time * log_mode;
  }
  return (n * ty - t * y) / (n * tt - t * t);
}

/// Growth rate of two cold beams of density 1/2 each at +-v: w^2 = (kv)^2 + 1/2 - sqrt(2 (kv)^2 +
/// 1/4).
double two_stream_rate(double kv) {
  const double w2 = kv * kv + 0.5 - std::sqrt(2.0 * kv * kv + 0.25);
  return std::sqrt(-w2);
}

void expect_charge_conserved(const std::vector<Diagnostics>& history) {
  for (const Diagnostics& d : history)
    ASSERT_LT(std::abs(d.charge_error()), 1e-13) << "at t = " << d.time;
  EXPECT_EQ(history.front().particles, history.back().particles);
}

double energy_drift(const std::vector<Diagnostics>& history) {
  double worst = 0.0;
  for (const Diagnostics& d : history)
    worst = std::max(worst, std::abs(d.energy() / history.front().energy() - 1.0));
  return worst;
}

TEST(Physics, ColdPlasmaOscillatesAtThePlasmaFrequency) {
  Case setup = narrow(built_in("plasma-wave"));
  setup.species[0].wave.amplitude = 0.01;
  Simulation simulation(MPI_COMM_WORLD, setup);
  const auto history = run(simulation, 200);
  const auto zeros = zero_crossings(history);
  ASSERT_GE(zeros.size(), 5u);
  const double half_period = (zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1);
  RecordProperty("frequency", std::to_string(std::numbers::pi / half_period));
  EXPECT_NEAR(std::numbers::pi / half_period, 1.0, 0.01);
  expect_charge_conserved(history);
  const double drift = energy_drift(history);
  RecordProperty("energy_drift", std::to_string(drift));
  EXPECT_LT(drift, 0.01);
}

TEST(Physics, TwoStreamInstabilityGrowsAtTheAnalyticRate) {
  Case setup = narrow(built_in("two-stream"));
  for (SpeciesCase& beam : setup.species) beam.wave.amplitude = 2e-4;
  Simulation simulation(MPI_COMM_WORLD, setup);
  // The fit begins when the growing mode has outgrown the oscillating ones and ends before the
  // beams are trapped.
  const auto history = run(simulation, 210);
  const double kv = 2.0 * std::numbers::pi / setup.grid.length[0] * setup.species[0].drift[0];
  const double expected = two_stream_rate(kv), found = growth_rate(history, 13.0, 20.0);
  RecordProperty("growth_rate", std::to_string(found));
  EXPECT_NEAR(found / expected, 1.0, 0.05) << "expected " << expected;
  expect_charge_conserved(history);
  const double drift = energy_drift(history);
  RecordProperty("energy_drift", std::to_string(drift));
  EXPECT_LT(drift, 0.01);
}

TEST(Physics, BlobKeepsChargeAndEnergy) {
  Simulation simulation(MPI_COMM_WORLD, built_in("magnetosphere-like-blob"));
  const auto history = run(simulation, 20);
  expect_charge_conserved(history);
  const double drift = energy_drift(history);
  RecordProperty("energy_drift", std::to_string(drift));
  EXPECT_LT(drift, 0.02);
}

TEST(Physics, GyrationHasTheRightRadiusAndPeriod) {
  Case setup = built_in("plasma-wave");
  setup.grid = {{8, 8, 8}, {8.0, 8.0, 8.0}};
  setup.magnetic.uniform = {0.0, 0.0, 2.0};
  setup.time_step = std::numbers::pi / 100.0;
  setup.species[0].charge = -1e-9;  // too weak a charge to feel its own field
  setup.species[0].mass = 1e-9;
  setup.species[0].wave = {};
  setup.species[0].drift = {0.5, 0.0, 0.0};
  setup.species[0].per_cell = 1;
  Simulation simulation(MPI_COMM_WORLD, setup);
  const auto start = gather_particles(simulation.domain(), simulation.species()[0]);
  run(simulation, 100);
  const auto end = gather_particles(simulation.domain(), simulation.species()[0]);
  ASSERT_EQ(start.size(), end.size());
  // After one period of 2 pi / (q B / m) = pi the particles are back; Boris's angle is short by
  // (w dt)^2 / 12 of itself.
  for (std::size_t n = 0; n < start.size(); ++n)
    for (int a = 0; a < 3; ++a) EXPECT_NEAR(start[n].position[a], end[n].position[a], 2e-3);
}

/// Particles of all species after some steps on the first `ranks` processes; on rank 0.
std::vector<Particle> state_after(const Case& setup, int ranks, int steps) {
  std::vector<Particle> all;
  const MPI_Comm comm = first_ranks(ranks);
  if (comm == MPI_COMM_NULL) return all;
  {
    Simulation simulation(comm, setup);
    run(simulation, steps);
    for (const Particles& species : simulation.species())
      for (const Particle& p : gather_particles(simulation.domain(), species)) all.push_back(p);
  }
  MPI_Comm part = comm;
  MPI_Comm_free(&part);
  return all;
}

TEST(Physics, SameBitsForEveryProcessCount) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const char* name : {"two-stream", "magnetosphere-like-blob"}) {
    Case setup = built_in(name);
    const auto one = state_after(setup, 1, 6);
    for (int p : {2, 3, 5, ranks}) {
      if (p > ranks) continue;
      const auto many = state_after(setup, p, 6);
      ASSERT_EQ(one.size(), many.size());
      EXPECT_TRUE(one.empty() ||
                  std::memcmp(one.data(), many.data(), one.size() * sizeof(Particle)) == 0)
          << name << " on " << p << " processes";
    }
  }
}

TEST(Physics, TooLongATimeStepIsRefusedOnEveryRank) {
  Case setup = built_in("two-stream");
  setup.grid = {{16, 2, 2}, {1.0, 0.1, 0.1}};
  setup.species[0].drift = setup.species[1].drift = {6.0, 0.0, 0.0};
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Simulation simulation(MPI_COMM_WORLD, setup);
  if (simulation.domain().blocks()[0] > 3)
    EXPECT_THROW(run(simulation, 1), pat::Error);
  else
    EXPECT_NO_THROW(run(simulation, 1));
}

}  // namespace
}  // namespace helsim

int main(int argc, char** argv) {
  return helsim::run_tests(argc, argv);
}
