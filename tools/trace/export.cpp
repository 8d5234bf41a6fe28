#include "tools/trace/export.hpp"

#include <iostream>
#include <memory>
#include <string>

#include "analysis/viewers/view.hpp"
#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/trace.hpp"
#include "core/whole_file.hpp"
#include "predictors/predictor.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

struct ExportCommand {
  std::string file, out, predictor = Config{}.predictor;
};

void run(const ExportCommand& command) {
  make_predictor(command.predictor);  // its sentence comes before long work
  check_view(command.out);
  refuse_replacing(command.file, command.out);
  const Trace trace = read_trace(command.file);
  if (trace.iterations() == 0)
    throw Error(ErrorKind::io, "the trace '" + command.file + "' has no iteration");
  {
    ProgressBar bar("writing", trace.iterations(), progress_style());
    write_view(trace, command.out,
               {.predictor = command.predictor, .progress = [&](long done) { bar.update(done); }});
  }
  std::cout << command.out << ": " << trace.iterations() << " iterations of " << trace.ranks
            << " ranks\n";
}

constexpr const char* formats =
    "Formats, by the ending:\n"
    "  .pftrace    Perfetto: open https://ui.perfetto.dev and drop the file on it\n"
    "  .otf2       an OTF2 archive, with a folder and a .def beside it: Vampir, Scalasca, "
    "otf2-print\n"
    "  .csv        a long table, one line a rank and iteration\n"
    "  .talp.json  the JSON of DLB's TALP";

}  // namespace

void add_trace_export(CLI::App& trace) {
  CLI::App* app = trace.add_subcommand("export", "Write a trace for the viewers people have");
  auto command = std::make_shared<ExportCommand>();
  app->add_option("file", command->file, trace_argument)->required();
  app->add_option(output_names, command->out, "The file to write, whose ending says the format")
      ->required();
  app->add_option("--predictor", command->predictor,
                  "The model whose forecasts are replayed beside the arrivals")
      ->capture_default_str();
  app->footer(formats);
  app->callback([command] { run(*command); });
}

}  // namespace pat
