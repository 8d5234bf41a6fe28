// pat schedule: lists the algorithms, and prints, checks, times and draws their schedules.

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string_view>

#include "measure/command_line.hpp"
#include "tools/schedule/build.hpp"
#include "tools/schedule/drawing.hpp"
#include "tools/schedule/list.hpp"
#include "tools/schedule/print.hpp"
#include "tools/schedule/request.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

void run(const schedule::Request& request) {
  const bool json = request.format == "json";
  if (request.list) return list_algorithms(request, json);
  const CostModel model = cost_of(request);
  const schedule::Built built = build(request);
  if (request.verify) verify_all(built);
  if (!request.draw.empty()) draw_schedule(drawing_of(built, model), request.draw, request.size);
  if (json) return print_json(request, built, model);
  if (request.verify) std::cout << "ok\n";
  if (!request.cost.empty()) schedule::print_timing(simulate(built.schedule, built.pattern, model));
  if (!request.draw.empty()) std::cout << "drawn into '" << request.draw << "'\n";
  if (request.verify || !request.cost.empty() || !request.draw.empty()) return;
  print_table(built, model);
}

/// --list takes what narrows it; anything else would be without effect.
void check_list(const CLI::App& command) {
  constexpr std::array<std::string_view, 4> known = {"--list", "--op", "--alg", "--format"};
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 &&
        std::find(known.begin(), known.end(), option->get_name()) == known.end())
      throw schedule::usage("--list goes with --op, --alg and --format, not with " +
                            option->get_name());
}

}  // namespace

PAT_SUBCOMMAND(schedule) {
  CLI::App* command =
      app.add_subcommand("schedule", "List algorithms; print, check, time and draw a schedule");
  auto r = std::make_shared<schedule::Request>();
  command->add_flag("--list", r->list, "List the algorithms, all or those of --op and --alg");
  command->add_option("--op", r->operation, "Operation (default reduce)");
  command->add_option("--alg", r->algorithm, "Algorithm");
  command->add_option("-P,--ranks", r->ranks, "Number of processes");
  command->add_option("-N,--segments", r->segments, "Segments; left out: the algorithm's choice");
  command->add_option("--variant", r->variant,
                      "k of trees and chains, or how many of an allreduce or alltoall come first; "
                      "left out: the algorithm's choice");
  command->add_option("--factors", r->factors, "radix-k: factors of P, comma separated")
      ->delimiter(',');
  command->add_option("--root", r->root, "Root (default 0)");
  measure::takes_count(
      command->add_option("--count", r->count,
                          "Elements of a process, such as 4096 or 1Mi (default 4096, at least N)"));
  measure::takes_bytes(command->add_option("--type-bytes", r->type_bytes,
                                           "Size of an element, bytes or such as 1k (default 8)"));
  command->add_option("--arrivals", r->arrivals,
                      "Arrival times, seconds or such as 2ms, comma separated");
  command->add_option("--arrivals-file", r->arrivals_file,
                      "File with the arrival times, separated by commas, blanks or line ends");
  measure::takes_seconds(command->add_option(
      "--round-time", r->round_s, "clairvoyant: length of a round, seconds or such as 2ms"));
  command->add_option("--generator", r->generator,
                      "clairvoyant: linear, pairing-heap, segment-tree, fast");
  command->add_option("--order", r->order, "clairvoyant: paper, latest-first, best (default)");
  command->add_option("--window", r->window,
                      "clairvoyant, order paper: closed (<=, default) or open (<)");
  command->add_flag("--verify", r->verify, "Say ok, or what is wrong");
  command->add_option("--simulate", r->cost,
                      "Finish times for alpha,beta,gamma: seconds, and seconds per byte twice, "
                      "or such as 25us,8ns,0");
  command->add_option("--shared", r->shared,
                      "What messages take in turn of cores that all processes share: seconds, and "
                      "seconds per byte, or such as 8us,2.4ns");
  CLI::Option* slow = command->add_option(
      "--slow-link", r->slow_links,
      "RANK:FACTOR, a link that takes so many times as long for a byte; may be repeated");
  command->add_flag("--unaware", r->unaware, "Of slow links the algorithm knows nothing")
      ->needs(slow);
  command->add_option("--draw,--plot", r->draw,
                      "Draw into a file that ends in .svg or .png (gnuplot)");
  command->add_option("--size", r->size, "Size of the drawing in pixels (default 900x500)");
  takes_format(command->add_option("--format", r->format, "table (default) or json"),
               {"table", "json"});
  command->callback([r, command] {
    refuse_empty_values(*command);
    if (r->list) check_list(*command);
    run(*r);
  });
}

}  // namespace pat
