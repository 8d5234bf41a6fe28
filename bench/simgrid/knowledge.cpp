#include "bench/simgrid/knowledge.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "predictors/predictor.hpp"

namespace pat::simulated {
namespace {

/// Mean forecasts of the models of all processes, seconds.
std::vector<double> predicted(const std::string& predictor, const measure::Delays& delays,
                              std::uint64_t iteration, double base_s) {
  std::vector<std::unique_ptr<Predictor>> models(delays.at(0).size());
  for (auto& model : models) model = make_predictor(predictor);
  for (std::uint64_t past = 0; past < iteration; ++past) {
    const std::vector<double> delay_s = delays.at(past);
    for (std::size_t rank = 0; rank < models.size(); ++rank)
      models[rank]->observe({base_s + delay_s[rank], {}});
  }
  std::vector<double> computing_s;
  for (const auto& model : models) {
    const Forecast forecast = model->forecast();
    computing_s.push_back(forecast.known ? forecast.mean_s : base_s);
  }
  return computing_s;
}

}  // namespace

void validate(const Knowledge& knowledge) {
  make_predictor(knowledge.predictor);
  for (const char* kind : {"oracle", "predicted", "wrong"})
    if (knowledge.kind == kind) return;
  throw Error(ErrorKind::argument, "There is no knowledge '" + knowledge.kind +
                                       "'; there are oracle, predicted and wrong.");
}

ArrivalPattern told(const Knowledge& knowledge, const measure::Delays& delays,
                    std::uint64_t iteration, double base_s) {
  validate(knowledge);
  if (knowledge.kind == "predicted")
    return {predicted(knowledge.predictor, delays, iteration, base_s), {}, 0};
  std::vector<double> offset_s = delays.at(iteration);
  if (knowledge.kind == "wrong") {
    const double longest_s = *std::max_element(offset_s.begin(), offset_s.end());
    for (double& offset : offset_s) offset = longest_s - offset;
  }
  return {std::move(offset_s), {}, 0};
}

}  // namespace pat::simulated
