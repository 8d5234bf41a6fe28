// The `pat` command: one file per subcommand.

#include "measure/help.hpp"
#include "measure/run_program.hpp"
#include "tools/subcommand.hpp"

int main(int argc, char** argv) {
  CLI::App app("Process arrival times: prediction, schedules, studies", "pat");
  pat::measure::HelpFormatter::use(app);
  app.require_subcommand(1);
  app.set_version_flag("--version", PAT_VERSION);
  pat::add_subcommands(app);
  return pat::measure::run_program(app, argc, argv);
}
