#include "apps/fft/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"

namespace pat::fft {
namespace {

constexpr std::size_t largest_size = std::size_t{1} << 26;
constexpr std::uint64_t most_iterations = 100000000;
constexpr std::uint64_t most_threads = 1024;
constexpr std::size_t recording_size = 4096;  // 85 ms at 48 kHz: a few periods of a low voice

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::argument, sentence);
}

// CLI11 would wrap negative numbers and cut large ones.
std::uint64_t whole_number(const char* option, const std::string& text, std::uint64_t low,
                           std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    refuse(std::string(option) + " is '" + text + "', give a whole number from " +
           std::to_string(low) + " to " + std::to_string(high));
  return value;
}

void check_size(std::size_t size, int processes) {
  if (!std::has_single_bit(size))
    refuse("--size is " + std::to_string(size) + ", give a power of two such as " +
           std::to_string(std::bit_ceil(size)));
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
  bool progress = false;
  std::string size, iterations, seed = "1", threads = "0";
  CLI::App app(
      "Fourier transforms block after block, shared by all processes of mpirun, with the results "
      "gathered in the order of the predicted arrivals; compares the gather algorithms.",
      "pat-fft");
  pat::measure::HelpFormatter::use(app);
  app.set_version_flag("--version", PAT_VERSION);
  app.add_option("--input", options.inputs,
                 "Sound files (WAV), transformed one after another; none: seeded random data")
      ->type_name("FILE");
  app.add_option("--size", size,
                 "Samples of a block, a power of two (default 262144; of a recording 4096)")
      ->type_name("N");
  app.add_option("--overlap", options.overlap, "Share of a block that the next one repeats")
      ->capture_default_str();
  app.add_option("--iterations", iterations,
                 "Blocks to transform (default 1000; of a recording all)")
      ->type_name("N");
  app.add_option(
         "--algorithms", options.algorithms,
         "Gather algorithms to compare, with commas: auto or those of `pat schedule --list`")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--imbalance", imbalance,
                 "Delays in the computing phase: none, uniform:5ms, ramp:5ms or straggler:5ms")
      ->capture_default_str();
  app.add_option("--seed", seed, "Seed of random data and delays")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", threads,
                 "OpenMP threads of a process; 0 shares the cores out among the processes")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--spectrogram", options.spectrogram, "PNG file for the recording's spectrogram")
      ->type_name("FILE");
  app.add_flag("--check", options.check, "Compare each spectrum with FFTW's; at most 1e-5 apart");
  app.add_flag("--json", options.json, "Print JSON in place of the tables");
  CLI::Option* progress_flag = app.add_flag("--progress,!--no-progress", progress,
                                            "A progress bar also where standard error is no "
                                            "terminal; or nothing (else a line every 10 s there)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    app.exit(help, text, text);
    throw Information{text.str()};
  } catch (const CLI::ParseError& error) {
    refuse(pat::measure::complaint(app, error));
  }
  if (!size.empty())
    options.size = whole_number("--size", size, 2, largest_size);
  else if (!options.inputs.empty())
    options.size = recording_size;
  if (!iterations.empty())
    options.iterations = whole_number("--iterations", iterations, 1, most_iterations);
  options.seed = whole_number("--seed", seed, 0, std::numeric_limits<std::uint64_t>::max());
  options.threads = static_cast<int>(whole_number("--threads", threads, 0, most_threads));
  if (progress_flag->count() > 0) options.progress = progress;
  options.imbalance = parse_imbalance(imbalance);
  check(options, processes);
  return options;
}

}  // namespace pat::fft
