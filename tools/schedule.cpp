// pat schedule: lists the algorithms, and prints, checks, times and draws their schedules.

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/check/hazards.hpp"
#include "collectives/check/rounds.hpp"
#include "collectives/clairvoyant/clairvoyant.hpp"
#include "collectives/clairvoyant/rivals.hpp"
#include "collectives/cost/simulate.hpp"
#include "core/errors.hpp"
#include "tools/draw_schedule.hpp"
#include "tools/number_list.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;
using clairvoyant::Message;
using clairvoyant::MessageList;

struct Request {
  bool list = false, verify = false;
  std::optional<std::string> operation;
  std::string algorithm, generator, order, window;
  std::string arrivals, arrivals_file, cost, draw, size = "900x500", format;
  std::optional<int> ranks, segments, root;
  std::vector<int> factors;
  std::optional<long long> count, type_bytes;
  std::optional<double> round_s;
};

/// A built schedule, and the plan it was made from if it is Clairvoyant's.
struct Built {
  Problem problem;
  ArrivalPattern pattern;
  Schedule schedule;
  std::optional<clairvoyant::Plan> plan;
};

Error usage(const std::string& sentence) {
  return Error(ErrorKind::argument, sentence);
}

Operation operation_of(const Request& request) {
  const std::string wanted = request.operation.value_or("reduce");
  if (const auto operation = find_operation(wanted)) return *operation;
  throw usage("there is no operation named '" + wanted + "', choose one of " + operation_names());
}

CostModel cost_of(const Request& request) {
  CostModel model;
  if (request.cost.empty()) return model;
  const std::vector<double> values = parse_numbers(request.cost, "--simulate");
  if (values.size() != 3)
    throw usage("--simulate has " + std::to_string(values.size()) +
                " numbers, give three: alpha in seconds, beta and gamma in seconds per byte");
  for (const double value : values)
    if (!(value >= 0.0 && value <= 1e3)) throw usage("--simulate needs numbers from 0 to 1000");
  model.alpha_s = values[0];
  model.beta_s_per_byte = values[1];
  model.gamma_s_per_byte = values[2];
  return model;
}

ArrivalPattern pattern_of(const Request& request, int ranks, bool needed) {
  if (!request.arrivals.empty() && !request.arrivals_file.empty())
    throw usage("give --arrivals or --arrivals-file, not both");
  ArrivalPattern pattern;
  if (!request.arrivals_file.empty())
    pattern.offset_s = read_numbers(request.arrivals_file);
  else if (!request.arrivals.empty())
    pattern.offset_s = parse_numbers(request.arrivals, "--arrivals");
  else if (!needed)
    return ArrivalPattern::flat(ranks);
  else
    throw usage("'" + request.algorithm +
                "' follows the arrival times, give --arrivals or --arrivals-file");
  validate(pattern, ranks);
  return pattern;
}

int positive(const std::optional<int>& value, const std::string& what, int otherwise) {
  if (value && *value < 1)
    throw usage("the number of " + what + " is " + std::to_string(*value) + ", give at least 1");
  return value.value_or(otherwise);
}

Problem problem_of(const Request& request, const Algorithm& algorithm) {
  Problem problem;
  problem.operation = algorithm.operation;
  if (!request.ranks) throw usage("the number of processes is missing, give -P");
  problem.ranks = positive(request.ranks, "processes", 1);
  problem.segments = positive(request.segments, "segments", 0);
  problem.factors = request.factors;
  problem.root = request.root.value_or(0);
  if (problem.ranks > (1 << 20)) throw usage("more than 1048576 processes are not supported here");
  const long long count = request.count.value_or(std::max(4096, problem.segments));
  if (count < 0) throw usage("--count is " + std::to_string(count) + ", give at least 0");
  const long long bytes = request.type_bytes.value_or(8);
  if (bytes < 1 || bytes > (1 << 20))
    throw usage("--type-bytes is " + std::to_string(bytes) + ", give from 1 to 1048576");
  if (count > (1LL << 50) / bytes)
    throw usage("--count times --type-bytes is more than 2^50 bytes, give a smaller vector");
  problem.units = static_cast<std::size_t>(count);
  problem.unit_bytes = static_cast<std::size_t>(bytes);
  if (request.round_s && (!std::isfinite(*request.round_s) || *request.round_s <= 0.0))
    throw usage("--round-time is " + std::to_string(*request.round_s) +
                ", give a finite time above 0 seconds");
  problem.round_s = request.round_s.value_or(0.0);
  if (!request.cost.empty()) {
    const CostModel model = cost_of(request);
    problem.cost = {model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte};
  }
  validate(problem);
  return problem;
}

clairvoyant::Options options_of(const Request& request) {
  clairvoyant::Options options;
  if (!request.generator.empty())
    options.generate = clairvoyant::get_generator(request.generator).generate;
  if (!request.order.empty() && request.order != "best") {
    options.order = clairvoyant::find_order(request.order);
    if (!options.order)
      throw usage("there is no order named '" + request.order +
                  "', choose one of paper, latest-first, best");
  }
  if (!request.window.empty() && request.window != "closed" && request.window != "open")
    throw usage("there is no window named '" + request.window + "', choose closed or open");
  if (request.window == "open") options.window = clairvoyant::Window::open;
  return options;
}

Built build(const Request& request) {
  const Operation operation = operation_of(request);
  if (request.algorithm.empty()) throw usage("the algorithm is missing, give --alg");
  const Algorithm& algorithm = get_algorithm(operation, request.algorithm);
  const bool planned = algorithm.name == "clairvoyant";
  if (!planned && (!request.generator.empty() || !request.order.empty() ||
                   !request.window.empty() || request.round_s))
    throw usage("--generator, --order, --window and --round-time belong to clairvoyant, '" +
                algorithm.name + "' has none");
  if (!request.factors.empty() && algorithm.name != "radix-k")
    throw usage("--factors belong to radix-k, '" + algorithm.name + "' has none");
  const Problem problem = problem_of(request, algorithm);
  const ArrivalPattern pattern = pattern_of(request, problem.ranks, algorithm.uses_pattern);
  if (!planned)
    return {problem, pattern, build_schedule(algorithm, problem, pattern), std::nullopt};
  clairvoyant::Plan plan = clairvoyant::plan(problem, pattern, options_of(request));
  Schedule schedule = clairvoyant::to_schedule(problem, plan.list, plan.instance.segments);
  seal(schedule);
  return {problem, pattern, std::move(schedule), std::move(plan)};
}

// ---- what is printed ----

Json plan_json(const clairvoyant::Plan& plan) {
  Json messages = Json::array();
  for (std::size_t r = 0; r < plan.list.rounds.size(); ++r)
    for (const Message& m : plan.list.of(r))
      messages.push_back({{"round", plan.list.rounds[r].number},
                          {"sender", m.sender()},
                          {"receiver", m.receiver()},
                          {"segment", m.segment()},
                          {"copies", m.copies()}});
  return {{"rounds", plan.list.round_count()},
          {"makespan_s", plan.makespan_s},
          {"round_s", plan.round_s},
          {"segments", plan.instance.segments},
          {"order", clairvoyant::name(plan.instance.order)},
          {"messages", messages}};
}

template <class Visit>
void for_each_send(const Schedule& schedule, Visit visit) {
  for (int rank = 0; rank < schedule.problem.ranks; ++rank)
    for (OpId id = 0; id < schedule.programs[rank].ops.size(); ++id)
      if (schedule.programs[rank].ops[id].kind == OpKind::send)
        visit(rank, id, schedule.programs[rank].ops[id]);
}

template <class Visit>
void for_each_receive(const Schedule& schedule, Visit visit) {
  for (int rank = 0; rank < schedule.problem.ranks; ++rank)
    for (OpId id = 0; id < schedule.programs[rank].ops.size(); ++id)
      if (schedule.programs[rank].ops[id].kind == OpKind::recv)
        visit(rank, id, schedule.programs[rank].ops[id]);
}

/// Per rank and operation: how many messages the longest chain of dependencies that ends with it
/// has. All of it that does not wait for a message is 0.
std::vector<std::vector<std::uint32_t>> chains(const Schedule& schedule) {
  std::map<std::tuple<int, int, std::uint32_t>, std::uint32_t> begun;  // by sender, receiver, tag
  std::vector<std::vector<std::uint32_t>> chain;
  for (const Program& program : schedule.programs) chain.emplace_back(program.ops.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int rank = 0; rank < schedule.problem.ranks; ++rank)
      for (OpId id = 0; id < chain[rank].size(); ++id) {
        const Op& op = schedule.programs[rank].ops[id];
        std::uint32_t before = 0;
        for (const OpId other : op.after) before = std::max(before, chain[rank][other]);
        if (op.kind == OpKind::send || op.kind == OpKind::recv) {
          const bool sends = op.kind == OpKind::send;
          std::uint32_t& both = begun[{sends ? rank : op.peer, sends ? op.peer : rank, op.tag}];
          before = both = std::max(both, before + 1);
        }
        changed = changed || chain[rank][id] != before;
        chain[rank][id] = before;
      }
  }
  return chain;
}

Json schedule_json(const Built& built, double makespan_s) {
  Json messages = Json::array();
  std::uint32_t rounds = 0;
  const auto chain = chains(built.schedule);
  for_each_send(built.schedule, [&](int rank, OpId id, const Op& op) {
    const std::uint32_t length = chain[static_cast<std::size_t>(rank)][id];
    rounds = std::max(rounds, length);
    messages.push_back({{"round", length - 1},
                        {"sender", rank},
                        {"receiver", op.peer},
                        {"segment", op.segment},
                        {"tag", op.tag},
                        {"bytes", op.source.length * built.problem.unit_bytes}});
  });
  return {{"rounds", rounds}, {"makespan_s", makespan_s}, {"messages", messages}};
}

/// Seed 004's Table 2: per rank what comes in and what goes out, (peer, segment), round by round.
void print_plan(const clairvoyant::Plan& plan) {
  std::map<std::pair<int, std::size_t>, std::string> in, out;
  std::size_t width = 5;
  const auto cell = [&](int peer, const Message& m) {
    std::ostringstream out_text;
    out_text << '(' << peer << ',' << m.segment() << ')';
    const std::string text = out_text.str();
    width = std::max(width, text.size());
    return text;
  };
  for (std::size_t r = 0; r < plan.list.rounds.size(); ++r)
    for (const Message& m : plan.list.of(r)) {
      in[{m.receiver(), r}] = cell(m.sender(), m);
      out[{m.sender(), r}] = cell(m.receiver(), m);
    }
  std::cout << "rank  queue";
  for (const clairvoyant::Round& round : plan.list.rounds)
    std::cout << "  R" << std::left << std::setw(static_cast<int>(width) - 1) << round.number + 1;
  std::cout << "\n";
  for (int rank = 0; rank < plan.instance.ranks; ++rank)
    for (const auto* queue : {&in, &out}) {
      std::cout << std::left << std::setw(6) << (queue == &in ? std::to_string(rank) : "")
                << std::setw(5) << (queue == &in ? "I" : "O");
      for (std::size_t r = 0; r < plan.list.rounds.size(); ++r) {
        const auto found = queue->find({rank, r});
        std::cout << "  " << std::setw(static_cast<int>(width))
                  << (found == queue->end() ? "-" : found->second);
      }
      std::cout << "\n";
    }
  std::cout
      << plan.list.round_count() << " rounds of " << plan.round_s << " s, "
      << plan.instance.segments << " segments, order " << name(plan.instance.order) << ", makespan "
      << plan.makespan_s << " s\n\n"
      << "queue     I: the rank receives, O: it sends; a cell is (peer,segment), segments count "
         "from 0, -: nothing\n"
      << "R1, R2    rounds from the first arrival on; idle ones count but are left out (JSON "
         "counts from 0)\n"
      << "order     who exchanges first among those who are there, paper: who came first, "
         "latest-first: who came last\n"
      << "makespan  first arrival to the end of the last round, in rounds of that length\n";
}

void print_schedule(const Built& built, double makespan_s, const CostModel& model) {
  const auto row = [](const auto& a, const auto& b, const auto& c, const auto& d) {
    std::cout << std::left << std::setw(7) << a << std::setw(8) << b << std::setw(10) << c << d
              << "\n";
  };
  row("round", "sender", "receiver", "bytes");
  std::vector<std::pair<int, const Op*>> sends;
  for_each_send(built.schedule,
                [&](int rank, OpId, const Op& op) { sends.emplace_back(rank, &op); });
  std::stable_sort(sends.begin(), sends.end(),
                   [](const auto& a, const auto& b) { return a.second->round < b.second->round; });
  for (const auto& [rank, op] : sends)
    row(op->round, rank, op->peer, op->source.length * built.problem.unit_bytes);
  std::cout
      << sends.size() << " messages, makespan " << makespan_s << " s\n\n"
      << "order     by round, then by sender; a sender's messages of a round in the order of its "
         "program\n"
      << "round     the algorithm's own, from 0; all 0: it has none, and goes by what has come\n"
      << "bytes     0: a message without data, such as a go-ahead\n"
      << "makespan  first arrival to last exit, simulated with alpha " << model.alpha_s
      << " s, beta " << model.beta_s_per_byte << " and gamma " << model.gamma_s_per_byte
      << " s/byte; others: --simulate\n";
}

Json timing_json(const Timing& timing) {
  return {{"run_time_s", timing.run_time_s()},
          {"mean_elapsed_s", timing.mean_elapsed_s()},
          {"arrival_s", timing.arrival_s},
          {"finish_s", timing.exit_s}};
}

void print_timing(const Timing& timing) {
  std::cout << std::left << std::setw(6) << "rank" << std::setw(16) << "arrival_s"
            << "finish_s\n";
  for (std::size_t r = 0; r < timing.exit_s.size(); ++r)
    std::cout << std::setw(6) << r << std::setw(16) << timing.arrival_s[r] << timing.exit_s[r]
              << "\n";
  std::cout << "run time " << timing.run_time_s() << " s, mean elapsed " << timing.mean_elapsed_s()
            << " s\n";
}

/// All algorithms, or those of the operation and of the name that were given.
std::vector<const Algorithm*> listed(const Request& request) {
  const auto operation = request.operation ? std::optional(operation_of(request)) : std::nullopt;
  std::vector<const Algorithm*> list;
  for (const Algorithm& a : algorithms())
    if ((!operation || a.operation == *operation) &&
        (request.algorithm.empty() || a.name == request.algorithm))
      list.push_back(&a);
  if (list.empty())
    throw usage("there is no " + request.operation.value_or("") + (request.operation ? " " : "") +
                "algorithm named '" + request.algorithm + "', --list without --alg shows all");
  return list;
}

void print_list(const std::vector<const Algorithm*>& list, bool json) {
  Json rows = Json::array();
  for (const Algorithm* one : list) {
    const Algorithm& a = *one;
    if (json)
      rows.push_back({{"operation", name(a.operation)},
                      {"algorithm", a.name},
                      {"idea", a.idea},
                      {"cost", a.cost},
                      {"source", a.source},
                      {"schedule", a.build != nullptr},
                      {"uses_pattern", a.uses_pattern},
                      {"background", a.background},
                      {"needs_commutative", a.needs_commutative}});
    else
      std::cout << std::left << std::setw(11) << name(a.operation) << std::setw(20) << a.name
                << a.idea << "\n";
  }
  if (json) std::cout << rows.dump(1) << "\n";
}

/// Throws Error(internal), which ends the command with 1, if a check fails.
void verify_all(const Built& built) {
  if (built.plan)
    if (const Verdict v = check::check_rounds(built.plan->instance, built.plan->list); !v)
      throw Error(ErrorKind::internal, v.problem);
  for (const Verdict& v : {verify(built.schedule), hazards(built.schedule)})
    if (!v) throw Error(ErrorKind::internal, v.problem);
}

Drawing drawing_of(const Built& built, const CostModel& model) {
  Drawing drawing;
  drawing.ranks = built.problem.ranks;
  if (!built.plan) {
    const Timing timing = simulate(built.schedule, built.pattern, model);
    drawing.arrival = timing.arrival_s;
    drawing.axis = "time, s";
    for_each_receive(built.schedule, [&](int rank, OpId id, const Op& op) {
      const double length_s =
          model.alpha_s +
          static_cast<double>(op.target.length * built.problem.unit_bytes) * model.beta_s_per_byte;
      const double end_s = timing.op_end_s[rank][id];
      drawing.arrows.push_back({op.peer, rank, end_s - length_s, end_s, -1, false});
    });
    return drawing;
  }
  const clairvoyant::Plan& plan = *built.plan;
  const double first_s =
      *std::min_element(built.pattern.offset_s.begin(), built.pattern.offset_s.end());
  for (const double offset_s : built.pattern.offset_s)
    drawing.arrival.push_back((offset_s - first_s) / plan.round_s);
  drawing.axis = "time since the first arrival, rounds";
  const bool waits = plan.instance.order == clairvoyant::Order::paper &&
                     plan.instance.window == clairvoyant::Window::open;
  if (!waits) drawing.note = "who arrives within a round takes part in it";
  for (std::size_t r = 0; r < plan.list.rounds.size(); ++r) {
    const double start =
        (start_s(plan.list, r, plan.instance, built.pattern.offset_s, plan.round_s) - first_s) /
        plan.round_s;
    for (const Message& m : plan.list.of(r))
      drawing.arrows.push_back(
          {m.sender(), m.receiver(), start, start + 1.0, m.segment(), m.copies()});
  }
  return drawing;
}

/// The schedule, and what was asked about it besides.
void print_json(const Request& request, const Built& built, const CostModel& model) {
  const Timing timing = simulate(built.schedule, built.pattern, model);
  Json document = built.plan ? plan_json(*built.plan) : schedule_json(built, timing.run_time_s());
  if (request.verify) document["verify"] = "ok";
  if (!request.cost.empty()) document.update(timing_json(timing));
  if (!request.draw.empty()) document["drawing"] = request.draw;
  std::cout << document.dump(1) << "\n";
}

void run(const Request& request) {
  if (!request.format.empty() && request.format != "table" && request.format != "json")
    throw usage("there is no format named '" + request.format + "', choose table or json");
  const bool json = request.format == "json";
  if (request.list) return print_list(listed(request), json);
  const CostModel model = cost_of(request);
  const Built built = build(request);
  if (request.verify) verify_all(built);
  if (!request.draw.empty()) draw_schedule(drawing_of(built, model), request.draw, request.size);
  if (json) return print_json(request, built, model);
  if (request.verify) std::cout << "ok\n";
  if (!request.cost.empty()) print_timing(simulate(built.schedule, built.pattern, model));
  if (!request.draw.empty()) std::cout << "drawn into '" << request.draw << "'\n";
  if (request.verify || !request.cost.empty() || !request.draw.empty()) return;
  if (built.plan)
    print_plan(*built.plan);
  else
    print_schedule(built, simulate(built.schedule, built.pattern, model).run_time_s(), model);
}

/// --list takes what narrows it; anything else would be without effect.
void check_list(const CLI::App& command) {
  constexpr std::array<std::string_view, 4> known = {"--list", "--op", "--alg", "--format"};
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 &&
        std::find(known.begin(), known.end(), option->get_name()) == known.end())
      throw usage("--list goes with --op, --alg and --format, not with " + option->get_name());
}

}  // namespace

PAT_SUBCOMMAND(schedule) {
  CLI::App* command =
      app.add_subcommand("schedule", "List algorithms; print, check, time and draw a schedule");
  auto r = std::make_shared<Request>();
  command->add_flag("--list", r->list, "List the algorithms, all or those of --op and --alg");
  command->add_option("--op", r->operation, "Operation (default reduce)");
  command->add_option("--alg", r->algorithm, "Algorithm");
  command->add_option("-P,--ranks", r->ranks, "Number of processes");
  command->add_option("-N,--segments", r->segments, "Segments; left out: the algorithm's choice");
  command->add_option("--factors", r->factors, "radix-k: factors of P, comma separated")
      ->delimiter(',');
  command->add_option("--root", r->root, "Root (default 0)");
  command->add_option("--count", r->count, "Elements of a process (default 4096, at least N)");
  command->add_option("--type-bytes", r->type_bytes, "Bytes of an element (default 8)");
  command->add_option("--arrivals", r->arrivals, "Arrival times in seconds, comma separated");
  command->add_option("--arrivals-file", r->arrivals_file,
                      "File with the arrival times, separated by commas, blanks or line ends");
  command->add_option("--round-time", r->round_s, "clairvoyant: length of a round, seconds");
  command->add_option("--generator", r->generator,
                      "clairvoyant: linear, pairing-heap, segment-tree, fast");
  command->add_option("--order", r->order, "clairvoyant: paper, latest-first, best (default)");
  command->add_option("--window", r->window,
                      "clairvoyant, order paper: closed (<=, default) or open (<)");
  command->add_flag("--verify", r->verify, "Say ok, or what is wrong");
  command->add_option("--simulate", r->cost,
                      "Finish times for alpha,beta,gamma (seconds, seconds per byte twice)");
  command->add_option("--draw", r->draw, "Draw into a file that ends in .svg or .png (gnuplot)");
  command->add_option("--size", r->size, "Size of the drawing in pixels (default 900x500)");
  command->add_option("--format", r->format, "table (default) or json");
  command->callback([r, command] {
    refuse_empty_values(*command);
    if (r->list) check_list(*command);
    run(*r);
  });
}

}  // namespace pat
