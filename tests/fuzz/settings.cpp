// Settings of a session as PAT_Init_comm takes them, and what two of them hold: models and
// algorithms.

#include <algorithm>
#include <cmath>

#include "core/config.hpp"
#include "libpat/session/forced.hpp"
#include "predictors/predictor.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

/// What is shown of a setting means the same when it is read again.
void show_and_read(const Config& config) {
  for (const Variable& variable : variables()) {
    Config other;
    const std::string shown = variable.show(config);
    fuzz::require(variable.parse(other, shown));
    fuzz::require(variable.show(other) == shown);
  }
}

void use_model(const std::string& specification) {
  const auto model = make_predictor(specification);
  for (int i = 0; i < 24; ++i) {
    model->observe({0.01 + 0.001 * (i * 7 % 5), {{"particles", i}}});
    model->observe_hint("particles", i + 1);
    model->observe_edge(0.5, 0.005);
    const Forecast forecast = model->forecast();
    fuzz::require(!forecast.known || forecast.valid());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read([&] {
    const auto nothing = [](const std::string&) { return std::optional<std::string>(); };
    const Config config = load_config(nothing, fuzz::text(data, size));
    show_and_read(config);
    fuzz::read([&] { use_model(config.predictor); });
    detail::Forced().parse(config.algorithms);
  });
  return 0;
}
