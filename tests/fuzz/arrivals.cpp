// Lists of arrival times as `pat schedule` takes them, and the schedules that are built from them.

#include <sstream>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/verify.hpp"
#include "collectives/cost/simulate.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/schedule/time_list.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    fuzz::Bytes bytes(data, size);
    const Algorithm& algorithm = algorithms()[bytes.number<std::uint8_t>() % algorithms().size()];
    Problem problem;
    problem.operation = algorithm.operation;
    problem.root = bytes.upto(3);
    problem.segments = bytes.upto(16);
    problem.units = bytes.number<std::uint8_t>();
    std::istringstream input(bytes.rest());
    ArrivalPattern pattern;
    pattern.offset_s = schedule::parse_time_lines(input, "input");
    problem.ranks = pattern.ranks();
    if (problem.ranks > 32) return;
    const Schedule schedule = build_schedule(algorithm, problem, pattern);
    fuzz::require(static_cast<bool>(verify(schedule)));
    fuzz::require(static_cast<bool>(hazards(schedule)));
    simulate(schedule, pattern, {});
  });
  return 0;
}
