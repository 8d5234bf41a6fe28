// regret_table: how far `auto` is from the best choice in hindsight, cell by cell. Reads what
// bench/reproduce/regret has measured with `pat bench`.

#include <CLI/CLI.hpp>
#include <iostream>
#include <iterator>

#include "bench/regret/cell.hpp"
#include "bench/regret/row.hpp"
#include "bench/regret/table.hpp"
#include "core/errors.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace pat::regret {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string format = "text";
  std::uint64_t seed = 1;
};

void print_table(const Options& options) {
  const Aims aims;
  std::vector<Row> rows;
  for (const std::string& file : options.files)
    for (const Cell& cell : read_cells(file)) rows.push_back(evaluate(cell, options.seed, aims));
  options.format == "csv" ? write_csv(rows, aims, std::cout) : write_text(rows, aims, std::cout);
}

}  // namespace
}  // namespace pat::regret

int main(int argc, char** argv) {
  CLI::App app("How far auto is from the best choice in hindsight", "regret_table");
  pat::measure::HelpFormatter::use(app);
  pat::regret::Options o;
  app.add_option(
         "file", o.files,
         "Results of pat bench --alg all --plain --format json --samples; the folder of one "
         "is called as its network")
      ->required();
  app.add_option("--format", o.format, "text or csv")
      ->check(CLI::IsMember({"text", "csv"}))
      ->capture_default_str();
  pat::measure::takes_seed(
      app.add_option("--seed", o.seed, "Seed of resampling")->capture_default_str());
  return pat::measure::run_program(app, argc, argv, [&] {
    pat::regret::print_table(o);
    return 0;
  });
}
