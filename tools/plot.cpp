// pat plot: one figure from the results of several runs of pat bench.

#include <fstream>
#include <iostream>
#include <memory>

#include "core/errors.hpp"
#include "core/whole_file.hpp"
#include "tools/plot_figure.hpp"
#include "tools/subcommand.hpp"

namespace pat {
namespace {

nlohmann::json read_document(const std::string& path) {
  std::ifstream file = open_to_read(path);
  nlohmann::json document = nlohmann::json::parse(file, nullptr, false);
  if (!is_of_bench(document))
    throw Error(ErrorKind::argument, "'" + path +
                                         "' is no result of pat bench, give a file that pat bench "
                                         "--format json wrote");
  return document;
}

}  // namespace

PAT_SUBCOMMAND(plot) {
  struct Arguments {
    std::vector<std::string> files;
    std::string output = "figure.png";
    FigureOptions figure;
  };
  CLI::App* plot = app.add_subcommand("plot", "A figure from results of pat bench --format json");
  auto arguments = std::make_shared<Arguments>();
  plot->add_option("file", arguments->files,
                   "Results of pat bench --format json; several are joined")
      ->required();
  CLI::Option* output =
      plot->add_option(output_names, arguments->output, "Figure to write, .png or .svg")
          ->capture_default_str();
  plot->add_option("--x", arguments->figure.x, "delay, size, ranks or auto");
  plot->add_option("--y", arguments->figure.y,
                   "run, median, elapsed, ratio, absorption, autocorrelation or spectrum");
  plot->add_option("--title", arguments->figure.title, "Title of the figure");
  plot->add_flag("--log", arguments->figure.logarithmic, "Logarithmic x axis");
  plot->callback([arguments, output] {
    std::vector<nlohmann::json> documents;
    for (const auto& file : arguments->files) documents.push_back(read_document(file));
    plot_figure(documents, arguments->figure, arguments->output);
    if (output->count() == 0) std::cout << "drawn into '" << arguments->output << "'\n";
  });
}

}  // namespace pat
