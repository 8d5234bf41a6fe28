#include "apps/fft/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"

namespace pat::fft {
namespace {

constexpr std::size_t largest_size = std::size_t{1} << 26;
constexpr std::size_t recording_size = 4096;  // 85 ms at 48 kHz: a few periods of a low voice

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::argument, sentence);
}

void check_size(std::size_t size, int processes) {
  if (!std::has_single_bit(size) || size < 2 || size > largest_size)
    refuse("--size is " + std::to_string(size) + ", give a power of two from 2 to " +
           std::to_string(largest_size));
  // A block of real samples is transformed as half as many complex points.
  if (size / 2 < static_cast<std::size_t>(processes))
    refuse("--size is " + std::to_string(size) + ", too small to share among " +
           std::to_string(processes) + " processes, give at least " +
           std::to_string(2 * std::bit_ceil(static_cast<std::size_t>(processes))));
}

void check_algorithms(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name != "auto") get_algorithm(Operation::gather, name);
    if (std::count(names.begin(), names.end(), name) > 1)
      refuse("--algorithms names '" + name + "' twice, name each once");
  }
}

void check(const Options& options, int processes) {
  check_size(options.size, processes);
  check_algorithms(options.algorithms);
  if (!(options.overlap >= 0.0 && options.overlap < 1.0))
    refuse("--overlap is not a share of a block, give a number from 0 to less than 1");
  if (options.iterations && (*options.iterations == 0 || *options.iterations > 100000000))
    refuse("--iterations is " + std::to_string(*options.iterations) +
           ", give a number from 1 to 100000000");
  if (options.threads < 0 || options.threads > 1024)
    refuse("--threads is " + std::to_string(options.threads) + ", give a number from 0 to 1024");
  if (!options.spectrogram.empty() && options.inputs.empty())
    refuse("--spectrogram shows a recording, give one with --input");
}

}  // namespace

std::size_t Options::hop() const {
  const double samples = std::round(static_cast<double>(size) * (1.0 - overlap));
  return std::max<std::size_t>(1, static_cast<std::size_t>(samples));
}

Options parse_options(int argc, const char* const* argv, int processes) {
  Options options;
  std::string imbalance = "none";
  CLI::App app(
      "Fourier transforms block after block, shared by all processes of mpirun, with the results "
      "gathered in the order of the predicted arrivals; compares the gather algorithms.",
      "pat-fft");
  app.set_version_flag("--version", PAT_VERSION);
  app.add_option("--input", options.inputs,
                 "Sound files (WAV), transformed one after another; none: seeded random data");
  CLI::Option* size =
      app.add_option("--size", options.size,
                     "Samples of a block, a power of two (default 262144; of a recording 4096)");
  app.add_option("--overlap", options.overlap, "Share of a block that the next one repeats")
      ->capture_default_str();
  app.add_option("--iterations", options.iterations,
                 "Blocks to transform (default 1000; of a recording all)");
  app.add_option(
         "--algorithms", options.algorithms,
         "Gather algorithms to compare, with commas: auto or those of `pat schedule --list`")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--imbalance", imbalance,
                 "Delays in the computing phase: none, uniform:5ms, ramp:5ms or straggler:5ms")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of random data and delays")->capture_default_str();
  app.add_option("--threads", options.threads,
                 "OpenMP threads of a process; 0 shares the cores out among the processes")
      ->capture_default_str();
  app.add_option("--spectrogram", options.spectrogram, "PNG file for the recording's spectrogram");
  app.add_flag("--check", options.check, "Compare each spectrum with FFTW's; at most 1e-5 apart");
  app.add_flag("--json", options.json, "Print JSON in place of the tables");
  app.add_flag("--progress,!--no-progress", options.progress,
               "Progress bar, also where the output is no terminal");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    throw Information{text.str()};
  } catch (const CLI::ParseError& error) {
    refuse(std::string(error.what()) + ", see pat-fft --help");
  }
  if (size->count() == 0 && !options.inputs.empty()) options.size = recording_size;
  options.imbalance = parse_imbalance(imbalance);
  check(options, processes);
  return options;
}

}  // namespace pat::fft
