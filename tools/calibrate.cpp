// pat calibrate: measures what messages and collectives cost here, for `auto`. Started with mpirun.

#include "tools/bench/calibrate.hpp"

#include <cstdlib>
#include <memory>

#include "tools/subcommand.hpp"

namespace pat {

PAT_SUBCOMMAND(calibrate) {
  CLI::App* calibrate = app.add_subcommand(
      "calibrate", "Measure messages and collectives for auto (start it with mpirun -n P)");
  auto options = std::make_shared<bench::CalibrateOptions>();
  const auto add = [&](const char* name, auto& value, const std::string& meaning) {
    return calibrate->add_option(name, value, meaning)->capture_default_str();
  };
  add("--messages", options->messages, "Sizes of messages, bytes or such as 64k; a range doubles")
      ->type_name("SIZE");
  add("--size,--sizes", options->sizes, "Whole vectors of the collectives, likewise in bytes")
      ->type_name("SIZE");
  add("--op", options->operations, "Operations: " + bench::calibrated_operations(", "));
  add(output_names, options->output, "File to write, when all is measured");
  calibrate
      ->add_option("-n,--iterations,--repetitions", options->repetitions, "Measurements of each")
      ->check(CLI::Range(3, 100000))
      ->capture_default_str();
  calibrate->add_flag("-q,--quiet", options->quiet, "Show no progress");
  calibrate->callback([options] {
    if (const int code = bench::run_calibration(*options)) std::exit(code);
  });
}

}  // namespace pat
