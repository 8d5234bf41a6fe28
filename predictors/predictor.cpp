#include "predictors/predictor.hpp"

#include <charconv>

#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat {
namespace {

std::vector<double> parse_parameters(std::string_view text, std::string_view specification) {
  std::vector<double> parameters;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + comma, value);
    if (error != std::errc{} || end != text.data() + comma)
      throw Error(ErrorKind::argument, "the model '" + std::string(specification) +
                                           "' has a parameter that is no number, write name:1,2");
    parameters.push_back(value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parameters;
}

}  // namespace

void Predictor::observe_edge(double, double) {}
void Predictor::forget_edge() {}
void Predictor::observe_hint(std::string_view, double) {}
Forecast Predictor::forecast_ahead(int) const {
  return forecast();
}

std::unique_ptr<Predictor> make_predictor(std::string_view specification) {
  const std::size_t colon = std::min(specification.find(':'), specification.size());
  const std::string_view name = specification.substr(0, colon);
  for (const PredictorInfo& info : predictors())
    if (info.name == name)
      return info.make(parse_parameters(
          specification.substr(std::min(colon + 1, specification.size())), specification));
  throw Error(ErrorKind::argument, "there is no model named '" + std::string(name) +
                                       "', choose one of " +
                                       join(predictors(), ", ", &PredictorInfo::usage));
}

}  // namespace pat
