// Files of `pat calibrate`: what PAT_CALIBRATION names, and what auto makes of it.

#include "collectives/cost/calibration.hpp"

#include <optional>

#include "libpat/agreement/choice.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

void choose_with(const Calibration& calibration, Operation operation) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = 4;
  problem.units = 1 << 16;
  Config config;
  problem.cost = detail::link_cost(config, calibration, problem);
  problem.rounds = detail::measured_rounds(config, calibration);
  const ArrivalPattern pattern{{0.0, 0.01, 0.003, 0.0}, {}, 1};
  std::optional<Prices> prices;
  const Selection choice =
      detail::choose(problem, pattern, config, calibration, nullptr, true, prices);
  fuzz::require(choice.algorithm != nullptr && choice.algorithm->operation == operation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    const Calibration calibration = parse_calibration(fuzz::text(data, size));
    const std::string document = to_json(calibration);
    fuzz::require(to_json(parse_calibration(document)) == document);
    for (const Operation operation : all_operations()) choose_with(calibration, operation);
  });
  return 0;
}
