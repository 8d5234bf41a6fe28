// distances: every algorithm, by the model: its time from the last arrival on over the lower bound
// when all processes arrive together and when one is late, and where it is the fastest. Markdown on
// standard output: the table of docs/collectives.md. With --unasked another one: the same two
// distances, where messages ask their receiver first and where up to so many bytes leave unasked,
// for several numbers of processes.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/bound.hpp"
#include "collectives/cost/calibration.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace {

using namespace pat;

constexpr LinkCost gigabit{.alpha_s = 30e-6, .beta_s_per_byte = 8.5e-9, .gamma_s_per_byte = 0.0};
constexpr std::size_t sizes[] = {1 << 10, 64 << 10, 1 << 20, 8 << 20};
constexpr int processes[] = {11, 16};
/// Ways this close are both the fastest.
constexpr double equal = 1.01;

/// A size, or the vector of all processes, who is late, and which messages leave unasked, as is
/// known.
struct Setting {
  int ranks;
  std::size_t bytes;
  bool late;
  std::size_t unasked_bytes = 0;
};

Problem problem_of(Operation operation, const Setting& setting) {
  const OperationRow& about = row(operation);
  Problem problem;
  problem.operation = operation;
  problem.ranks = setting.ranks;
  problem.unit_bytes = about.combines ? 8 : 1;
  problem.units = about.has_bytes() ? setting.bytes / problem.unit_bytes : 0;
  if (about.in_blocks()) problem.units /= static_cast<std::size_t>(setting.ranks);
  problem.cost = gigabit;
  problem.cost.unasked_bytes = setting.unasked_bytes;
  return problem;
}

/// Rank 1 comes when three whole vectors could have passed a link.
ArrivalPattern arrivals_of(const Setting& setting) {
  ArrivalPattern pattern = ArrivalPattern::flat(setting.ranks);
  if (setting.late)
    pattern.offset_s[1] = 3.0 * static_cast<double>(setting.bytes) * gigabit.beta_s_per_byte;
  return pattern;
}

/// From the last arrival on; nothing where the algorithm does not do so many processes.
std::optional<double> time_s(const Algorithm& algorithm, const Setting& setting) try {
  const Problem problem = problem_of(algorithm.operation, setting);
  const ArrivalPattern pattern = arrivals_of(setting);
  const Schedule schedule = build_schedule(algorithm, problem, pattern);
  CostModel model = cost_model(gigabit);
  model.eager_bytes = setting.unasked_bytes;
  return simulate(schedule, pattern, model).run_time_s() - pattern.offset_s[1];
} catch (const Error&) {
  return std::nullopt;
}

/// Of a reduction to one root, whose bounds in docs/clairvoyant.md are of rounds: a process sends
/// all of its vector after it has come, and messages follow each other.
double reduction_bound_s(const Setting& setting) {
  const double message_s = gigabit.message_s(static_cast<double>(setting.bytes));
  return std::max(message_s, std::ceil(std::log2(setting.ranks)) * gigabit.alpha_s);
}

double bound_s(Operation operation, const Setting& setting) {
  if (row(operation).bound == nullptr) return reduction_bound_s(setting);
  const ArrivalPattern pattern = arrivals_of(setting);
  return lower_bound_s(problem_of(operation, setting), pattern, cost_model(gigabit),
                       Reach::foreground) -
         pattern.offset_s[1];
}

std::string distance(const Algorithm& algorithm, const Setting& setting) {
  const auto taken_s = time_s(algorithm, setting);
  if (!taken_s) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", *taken_s / bound_s(algorithm.operation, setting));
  return text;
}

/// The least time of all algorithms of an operation, by setting.
class Fastest {
 public:
  double operator()(Operation operation, const Setting& setting) {
    auto [place, fresh] =
        known_.try_emplace({operation, setting.ranks, setting.bytes, setting.late},
                           std::numeric_limits<double>::max());
    if (fresh)
      for (const Algorithm& algorithm : algorithms())
        if (algorithm.operation == operation && algorithm.build != nullptr)
          place->second =
              std::min(place->second, time_s(algorithm, setting).value_or(place->second));
    return place->second;
  }

 private:
  std::map<std::tuple<Operation, int, std::size_t, bool>, double> known_;
};

/// "together 1 KiB (P = 16), 8 MiB; one late 8 MiB"
std::string wins(const Algorithm& algorithm, Fastest& fastest) {
  std::vector<std::string> parts;
  for (const bool late : {false, true}) {
    std::vector<std::string> where;
    for (const std::size_t bytes : sizes) {
      if (!row(algorithm.operation).has_bytes() && bytes != sizes[0]) continue;
      std::vector<int> at;
      for (const int ranks : processes) {
        const Setting setting{ranks, bytes, late};
        const auto taken_s = time_s(algorithm, setting);
        if (taken_s && *taken_s <= equal * fastest(algorithm.operation, setting))
          at.push_back(ranks);
      }
      if (at.empty()) continue;
      std::string text = row(algorithm.operation).has_bytes() ? format_bytes(bytes) : "";
      if (at.size() < std::size(processes)) {
        if (!text.empty()) text += ' ';
        text += "(P = " + std::to_string(at.front()) + ")";
      }
      where.push_back(text);
    }
    if (where.empty()) continue;
    const std::string list = join(where, ", ");
    parts.push_back(std::string(late ? "one late" : "together") + (list.empty() ? "" : " " + list));
  }
  return parts.empty() ? "-" : join(parts, "; ");
}

void print_all() {
  Fastest fastest;
  std::puts(
      "| operation | algorithm | run time, equal arrivals | together | one late | fastest | source "
      "|\n"
      "|---|---|---|---|---|---|---|");
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.build == nullptr) continue;
    const Setting together{16, 1 << 20, false}, late{16, 1 << 20, true};
    std::printf("| %s | `%s` | %s | %s | %s | %s | %s |\n",
                std::string(name(algorithm.operation)).c_str(), algorithm.name.c_str(),
                algorithm.cost.c_str(), distance(algorithm, together).c_str(),
                distance(algorithm, late).c_str(), wins(algorithm, fastest).c_str(),
                algorithm.source.c_str());
  }
}

struct Unasked {
  std::size_t limit = 0;
  std::size_t bytes = std::size_t{8} << 20;
  std::vector<int> ranks = {16, 128, 1024};
  std::vector<std::string> operations = {"allreduce", "allgather", "reduce-scatter"};
};

/// "1.05, 1.02": asked and unasked.
void print_both(const Algorithm& algorithm, Setting setting, std::size_t limit) {
  const std::string asked = distance(algorithm, setting);
  setting.unasked_bytes = limit;
  std::printf(" %s, %s |", asked.c_str(), distance(algorithm, setting).c_str());
  std::fflush(stdout);
}

void print_unasked(const Unasked& wanted) {
  std::string head = "| |", rule = "|---|";
  for (const int ranks : wanted.ranks) {
    const std::string many = std::to_string(ranks);
    head += " " + many + ", together | " + many + ", one late |";
    rule += "---|---|";
  }
  std::printf("%s\n%s\n", head.c_str(), rule.c_str());
  for (const std::string& one : wanted.operations) {
    const auto operation = find_operation(one);
    if (!operation || !row(*operation).has_bytes() || row(*operation).among_neighbours())
      throw Error(ErrorKind::argument, "'" + one +
                                           "' is no operation that moves data among all "
                                           "processes, choose some of those, such as allreduce");
    for (const Algorithm& algorithm : algorithms()) {
      if (algorithm.operation != *operation || algorithm.build == nullptr) continue;
      std::printf("| %s `%s` |", one.c_str(), algorithm.name.c_str());
      for (const int ranks : wanted.ranks)
        for (const bool late : {false, true})
          print_both(algorithm, {ranks, wanted.bytes, late}, wanted.limit);
      std::puts("");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Every algorithm's distance to the lower bound, by the model, as Markdown",
               "distances");
  pat::measure::HelpFormatter::use(app);
  Unasked wanted;
  const CLI::Option* unasked = pat::measure::takes_bytes(
      app.add_option("--unasked", wanted.limit,
                     "Another table: with and without messages of so many bytes that "
                     "leave unasked"));
  const auto add = [&](const char* option, auto& value, const std::string& meaning) {
    return app.add_option(option, value, meaning)->capture_default_str();
  };
  add("--ranks", wanted.ranks, "Of that table: numbers of processes")
      ->delimiter(',')
      ->check(CLI::Range(2, 4096));
  pat::measure::takes_bytes(
      add("--size", wanted.bytes, "Of all blocks, or of a vector: bytes or such as 1MiB"));
  add("--op", wanted.operations, "Operations")->delimiter(',');
  return pat::measure::run_program(app, argc, argv, [&] {
    if (unasked->count() > 0)
      print_unasked(wanted);
    else
      print_all();
    return 0;
  });
}
