// Schedules and models without MPI: a gather that follows late arrivals is over sooner, and a model
// that saw a steady time foretells it.

#include <cmath>
#include <iostream>

#include "collectives/algorithm.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/simulate.hpp"
#include "core/errors.hpp"
#include "predictors/predictor.hpp"

int main() {
  const pat::Problem problem{.operation = pat::Operation::gather, .ranks = 4, .units = 1 << 20};
  const pat::ArrivalPattern pattern{.offset_s = {0.0, 0.02, 0.01, 0.0}};
  const auto run_time_s = [&](const char* name) {
    const pat::Algorithm& algorithm = pat::get_algorithm(problem.operation, name);
    const pat::Schedule schedule = pat::build_schedule(algorithm, problem, pattern);
    return pat::simulate(schedule, pattern, {}).run_time_s();
  };
  std::cout << "ls " << run_time_s("ls") << " s, sls " << run_time_s("sls") << " s\n";
  if (run_time_s("sls") > run_time_s("ls")) return 1;

  const auto model = pat::make_predictor("sma:3");
  for (int i = 0; i < 5; ++i) model->observe({.computing_s = 0.25});
  if (std::abs(model->forecast().mean_s - 0.25) > 1e-9) return 2;
  try {
    pat::make_predictor("nonsense");
    return 3;
  } catch (const pat::Error& error) {  // the type is known on both sides of the library
    std::cout << error.what() << "\n";
  }
}
