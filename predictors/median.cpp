// Median of the last w computing times: a few spikes do not move it.
// Source: Tukey, Exploratory Data Analysis, 1977, chapter 7 (running medians).

#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_median {
namespace {

class Median : public HistoryModel {
 public:
  explicit Median(int window) : values_(static_cast<std::size_t>(window)) {}

 private:
  void learn(double computing_s) override { values_.push(computing_s); }
  double predict(int) const override { return values_.median(); }
  double spread(int) const override { return 1.1; }
  void forget() override { values_.clear(); }

  SortedWindow values_;
};

constexpr const char* usage = "median:w (1 to 4096 phases, default 9)";

}  // namespace

PAT_PREDICTOR(median) {
  return {.name = "median",
          .usage = usage,
          .idea = "median of the last w computing times",
          .source = "Tukey 1977, chapter 7",
          .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
            return std::make_unique<Median>(Parameters(numbers, usage, 1).whole(0, 9, 1, 4096));
          }};
}

}  // namespace pat::predictor_median
