// pat top: a running job, rank by rank: who is late, what each does now, what it waits for.

#include <iostream>
#include <memory>
#include <string>

#include "core/errors.hpp"
#include "core/printable.hpp"
#include "measure/command_line.hpp"
#include "tools/subcommand.hpp"
#include "tools/top/prometheus.hpp"
#include "tools/top/screen.hpp"

namespace pat {
namespace {

struct TopCommand {
  std::string job, format = "text", sort = top_orders[0], prometheus;
  double interval_s = 1.0;
  bool once = false;
};

TopOrder order_of(const TopCommand& command) {
  for (int i = 0; i < 3; ++i)
    if (command.sort == top_orders[i]) return static_cast<TopOrder>(i);
  return TopOrder::late;
}

void print_once(const TopCommand& command) {
  std::optional<JobView> view = look_at(command.job);
  if (!view)
    throw Error(ErrorKind::io,
                "no process of the job answers, they are stopped or their machine is busy; try "
                "again, or see with ps what state they are in");
  sort_ranks(*view, order_of(command));
  if (command.format == "json") {
    std::cout << json_of(*view).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
    return;
  }
  constexpr std::size_t width = 200;
  for (const std::string& line : lines_of(*view, width)) std::cout << line << "\n";
}

void run_top(const TopCommand& command) {
  if (!(command.interval_s > 0.0 && command.interval_s <= 3600.0))
    throw Error(ErrorKind::argument, "--interval is no time above 0 and up to an hour, give 1s");
  if (!command.prometheus.empty()) {
    if (command.once)
      throw Error(ErrorKind::argument, "--once and --prometheus exclude each other, give one");
    return serve_prometheus(command.job, command.prometheus);
  }
  if (command.once) return print_once(command);
  if (command.format != "text")
    throw Error(ErrorKind::argument, "--format json is for --once, give that too");
  std::cout << printable(watch_job(command.job, command.interval_s, order_of(command))) << "\n";
}

}  // namespace

PAT_SUBCOMMAND(top) {
  auto command = std::make_shared<TopCommand>();
  CLI::App* top = app.add_subcommand(
      "top", "A running job (PAT_LIVE=1), rank by rank: who is late, what each does now");
  top->add_option("--job", command->job, "Which job, where several run here")->type_name("NAME");
  top->add_option("--sort", command->sort, "Which rank comes first: late, waits or rank")
      ->check(CLI::IsMember({"late", "waits", "rank"}))
      ->capture_default_str();
  measure::takes_seconds(top->add_option("--interval", command->interval_s,
                                         "Time between two looks, seconds or such as 200ms"))
      ->capture_default_str();
  top->add_flag("--once", command->once, "Print a table and end");
  takes_format(top->add_option("--format", command->format, "With --once: text or json"),
               {"text", "json"})
      ->capture_default_str();
  top->add_option("--prometheus", command->prometheus,
                  "Serve metrics at http://127.0.0.1:PORT/metrics until interrupted; with "
                  "ADDRESS:PORT elsewhere")
      ->type_name("PORT");
  top->callback([command, top] {
    refuse_empty_values(*top);
    run_top(*command);
  });
}

}  // namespace pat
