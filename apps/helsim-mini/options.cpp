#include "apps/helsim-mini/options.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "apps/helsim-mini/reduction_choice.hpp"
#include "apps/helsim-mini/render.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "measure/command_line.hpp"
#include "measure/help.hpp"

namespace helsim {
namespace {

void add_run_options(CLI::App& app, Options& o) {
  app.add_option("--case", o.case_name, "Named case of the input file")->capture_default_str();
  app.add_option("--input", o.input, "JSON file with cases (default: the built-in ones)")
      ->type_name("FILE");
  app.add_flag("--list-cases", o.list_cases, "List the cases of the input file and stop");
  app.add_option("--steps", o.steps, "Time steps (default: 20; for the study 100)")
      ->check(CLI::Range(0, 1000000));
  app.add_option("--load", o.load, "Start from this particle file instead of the case's start")
      ->type_name("FILE");
  app.add_option("--save", o.save, "Write the particles at the end to this file")
      ->type_name("FILE");
  app.add_option("--output", o.output, "Directory for pictures and energy.csv")
      ->type_name("DIR")
      ->capture_default_str();
}

void add_picture_options(CLI::App& app, Options& o) {
  const std::map<std::string, bool> pictures = {{"over", true}, {"depth", false}};
  app.add_option("--picture", o.over,
                 "over: glowing density with particles (default); depth: opaque")
      ->transform(CLI::CheckedTransformer(pictures));
  app.add_option("--width", o.width, "Width of the pictures in pixels")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  app.add_option("--height", o.height, "Height of the pictures in pixels")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  app.add_option("--picture-every", o.picture_every, "Write every how many-th picture; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_flag("--film", o.film, "Make film.mp4 of the pictures (needs ffmpeg)");
}

void add_reduction_options(CLI::App& app, Options& o) {
  app.add_option("--reduce", o.reduce, "Reduction: " + pat::join(reduction_names(false), ", "))
      ->capture_default_str();
  app.add_option("--predictor", o.predictor, "Model of the render times, such as sma:5");
  app.add_option("--trace", o.trace, "Write the trace of the render times to this file")
      ->type_name("FILE");
  const std::map<std::string, RenderClock> clocks = {{"wall", RenderClock::wall},
                                                     {"cpu", RenderClock::cpu}};
  app.add_option(
         "--clock", o.clock,
         "Clock of the trace: wall, or cpu where processes share cores (default wall; study: cpu)")
      ->transform(CLI::CheckedTransformer(clocks));
}

void add_study_options(CLI::App& app, Options& o) {
  app.add_flag("--study", o.study,
               "Record render times (processor clock), then simulate every reduction on them");
  CLI::Option* trace =
      app.add_option("--study-trace", o.study_trace, "Study this trace instead of recording one")
          ->type_name("FILE");
  app.add_flag("--replay", o.replay,
               "Do not simulate: sleep the trace's render times and composite real pictures, depth "
               "tested, with each reduction of --reduce (a list; default all)")
      ->needs(trace);
  app.add_option("--edges", o.edges,
                 "Replay: fractions of the rendering at which progress is reported, 0 for none")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--study-bytes,--sizes",
         [&o](const std::string& text) { o.study_bytes = pat::parse_sizes(text); },
         "Message sizes of the study, bytes or 128KiB,40MiB or 128k:8M (doubling); default: those "
         "of seed "
         "004")
      ->type_name("SIZE");
  app.add_option("--max-lateness", o.max_lateness,
                 "Replay: steps with later wake-ups are dropped and counted")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--format", o.format, "Format of the study: table, csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
}

/// The replay composites opaque pictures only, so that every reduction may take part.
void adapt_to_replay(const CLI::App& app, Options& o) {
  if (app.count("--picture") > 0 && o.over)
    throw CLI::ValidationError("--replay",
                               "composites with the depth test, not with --picture over");
  o.over = false;
  if (app.count("--reduce") == 0) o.reduce.clear();
  if (o.edges == std::vector<double>{0.0}) o.edges.clear();
}

}  // namespace

Parsed parse_options(int argc, char** argv, Options& options, std::ostream& out,
                     std::ostream& errors) {
  CLI::App app(
      "A small particle-in-cell simulation that draws itself: every process renders its own\n"
      "particles and density full size, and one reduction puts the pictures together.",
      "helsim-mini");
  pat::measure::HelpFormatter::use(app);
  add_run_options(app, options);
  add_picture_options(app, options);
  add_reduction_options(app, options);
  options.edges = reported_fractions();
  add_study_options(app, options);
  try {
    app.parse(argc, argv);
    if (!options.study_trace.empty()) options.study = true;
    if (options.study && app.count("--clock") == 0) options.clock = RenderClock::cpu;
    if (options.replay) adapt_to_replay(app, options);
  } catch (const CLI::Success& help) {
    app.exit(help, out, errors);
    return Parsed::done;
  } catch (const CLI::ParseError& error) {
    errors << "helsim-mini: " << pat::measure::complaint(app, error) << "\n";
    return Parsed::usage_error;
  } catch (const pat::Error& error) {  // of a value
    std::string sentence = error.what();
    if (sentence.ends_with('.')) sentence.pop_back();
    errors << "helsim-mini: " << sentence << ", see helsim-mini --help\n";
    return Parsed::usage_error;
  }
  return Parsed::run;
}

}  // namespace helsim
