// The `pat` command: one file per subcommand.

#include <exception>
#include <iostream>
#include <new>

#include "core/errors.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"
#include "tools/subcommand.hpp"

namespace {

bool is_usage(pat::ErrorKind kind) {
  return kind != pat::ErrorKind::io && kind != pat::ErrorKind::internal;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Process arrival times: prediction, schedules, studies", "pat");
  pat::measure::HelpFormatter::use(app);
  app.require_subcommand(1);
  app.set_version_flag("--version", PAT_VERSION);
  pat::add_subcommands(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::cerr << "pat: " << pat::measure::complaint(app, error) << "\n";
    return 2;
  } catch (const pat::Error& error) {
    std::cerr << "pat: " << error.what() << "\n";
    return is_usage(error.kind()) ? 2 : 1;
  } catch (const std::bad_alloc&) {
    std::cerr
        << "pat: this takes more memory than there is, ask for less (fewer processes, segments "
           "or iterations)\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "pat: " << error.what() << "\n";
    return 1;
  }
  if (!std::cout.flush()) {
    std::cerr << "pat: the output could not be written, see whether its disk is full\n";
    return 1;
  }
  return 0;
}
