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
         "files", o.files,
         "Results of pat bench --alg all --plain --format json --samples; the folder of one "
         "is called as its network")
      ->required();
  app.add_option("--format", o.format, "text or csv")
      ->check(CLI::IsMember({"text", "csv"}))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Seed of resampling")->capture_default_str();
  try {
    app.parse(argc, argv);
    pat::regret::print_table(o);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::cerr << "regret_table: " << pat::measure::complaint(app, error) << "\n";
    return 2;
  } catch (const pat::Error& error) {
    std::cerr << "regret_table: " << error.what() << "\n";
    return error.kind() == pat::ErrorKind::argument ? 2 : 1;
  }
  if (!std::cout.flush()) {
    std::cerr << "regret_table: the output could not be written, see whether its disk is full\n";
    return 1;
  }
  return 0;
}
