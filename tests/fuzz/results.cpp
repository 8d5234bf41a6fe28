// Results of `pat bench --format json`, of which `pat plot` draws figures.

#include "tests/fuzz/fuzz.hpp"
#include "tools/plot_figure.hpp"

using namespace pat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const int kind = bytes.upto(5);
  const auto document = nlohmann::json::parse(bytes.rest(), nullptr, false);
  if (document.is_discarded()) return 0;
  const char* const y[] = {"run", "median", "elapsed", "ratio", "autocorrelation", "spectrum"};
  FigureOptions options;
  options.y = y[kind];
  fuzz::read([&] { figure_script({document}, options, true, "figure.svg"); });
  return 0;
}
