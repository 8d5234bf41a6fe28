// Ensemble: the weighted mean of several models. A model's weight is exp(-k e), e its excess loss:
// how much worse than the best model of each phase it has been on average over the recent past
// (factor 0.97 a phase), half of it the absolute error in units of the ensemble's own, half of it
// half the squared error in units of the ensemble's own. A model that is clearly worse drops out,
// models that are about as good average their errors out. Only differences count: a spike that no
// model foresaw makes all of them equally wrong and says nothing about which one is best.
// Weights are learnt apart for two states: calm, and the five phases after a surprise (an error of
// four times the usual, or within these phases one of nearly the size of the surprise). After a
// surprise the last value tells a lasting change, older ones tell a spike, and only the program's
// past says which of the two it does. A third state are the phases whose covariates (PAT_Hint) are
// not those of the phase before: there the program itself tells what history cannot know, and the
// regression alone is believed until errors say otherwise. An edge of the present phase is blended
// with what the weights say (predictors/edge_blend.hpp). Source: Cesa-Bianchi and Lugosi,
// Prediction, Learning, and Games, 2006, 2.2 and 2.11 (exponential weights on discounted
// losses), 4.2 (specialised experts: a state each); Timmermann, Forecast Combinations, Handbook of
// Economic Forecasting 1, 2006.

#include <algorithm>
#include <cmath>

#include "predictors/conformal.hpp"
#include "predictors/edge_blend.hpp"
#include "predictors/history_model.hpp"
#include "predictors/parameters.hpp"

namespace pat::predictor_ensemble {
namespace {

constexpr double forgetting = 0.97, sharpness = 21.0, surprising = 4.0;
constexpr double returning = 0.7;  // of a surprise's error: another surprise
constexpr int surprised_for = 5, errors_before_surprises_count = 8;
constexpr int inherited_count = 3;  // what the weights that a state begins with are worth, phases
constexpr std::size_t most_hints = 8;  // as many as the regression follows
constexpr double least_error_s = 1e-9;

/// How the members have done lately in one state of information.
class Standing {
 public:
  explicit Standing(std::size_t members) : excess_s_(members), excess_s2_(members) {}

  /// Members erred by `error_s` each, the ensemble by `own_s`; seconds, absolute.
  void add(const std::vector<double>& error_s, double own_s) {
    ++count_;
    const double keep = std::min(forgetting, 1.0 - 1.0 / count_);
    const auto average = [keep](double& mean, double value) {
      mean = keep * mean + (1.0 - keep) * value;
    };
    const double least_s = *std::min_element(error_s.begin(), error_s.end());
    for (std::size_t i = 0; i < error_s.size(); ++i) {
      average(excess_s_[i], error_s[i] - least_s);
      average(excess_s2_[i], error_s[i] * error_s[i] - least_s * least_s);
    }
    average(own_s_, own_s);
    average(own_s2_, own_s * own_s);
  }

  /// Weights of all members but for a factor; the best member's is near 1.
  std::vector<double> weights() const {
    const double best_s = *std::min_element(excess_s_.begin(), excess_s_.end());
    const double best_s2 = *std::min_element(excess_s2_.begin(), excess_s2_.end());
    std::vector<double> list;
    for (std::size_t i = 0; i < excess_s_.size(); ++i) {
      const double absolute = (excess_s_[i] - best_s) / std::max(own_s_, 1e-15);
      const double square = (excess_s2_[i] - best_s2) / std::max(own_s2_, 1e-30);
      list.push_back(std::exp(-sharpness * (0.5 * absolute + 0.25 * square)));
    }
    return list;
  }

  bool empty() const { return count_ == 0; }
  /// What another state has learnt, to begin with.
  void inherit(const Standing& other) {
    *this = other;
    count_ = std::min(count_, inherited_count);
  }
  /// One member is as good as can be, all others as bad as the ensemble was in another state.
  void begin_with(std::size_t member, const Standing& other) {
    own_s_ = std::max(other.own_s_, least_error_s);
    own_s2_ = std::max(other.own_s2_, least_error_s * least_error_s);
    std::fill(excess_s_.begin(), excess_s_.end(), own_s_);
    std::fill(excess_s2_.begin(), excess_s2_.end(), own_s2_);
    excess_s_[member] = excess_s2_[member] = 0.0;
    count_ = inherited_count;
  }

 private:
  std::vector<double> excess_s_, excess_s2_;  // over the best member of each phase
  double own_s_ = 0.0, own_s2_ = 0.0;
  int count_ = 0;
};

class Ensemble : public Predictor {
 public:
  Ensemble() {
    for (const char* member :
         {"last", "sma:5", "ewma", "median:9", "median:31", "holt", "ar", "arma:2,1", "seasonal",
          "recurrence", "regression"})  // the last one: see note_hint
      members_.push_back(make_predictor(member));
    calm_ = after_surprise_ = after_news_ = Standing(members_.size());
    said_.resize(members_.size());
  }

  void observe(const Observation& observation) override {
    const double x = observation.computing_s;
    for (const auto& [name, value] : observation.hints) note_hint(name, value);
    if (!is_time(x)) return;
    const double said_s = known_ ? combined(1) : 0.0;
    edge_.observe(x, known_ ? interval_.around(said_s) : Forecast{});
    if (known_) learn(x, said_s);
    news_ = false;
    for (const auto& member : members_) member->observe(observation);
    known_ = true;
    ask_members();
  }
  void observe_edge(double fraction, double elapsed_s) override {
    edge_.observe_edge(fraction, elapsed_s);
  }
  void forget_edge() override { edge_.forget_edge(); }
  void observe_hint(std::string_view name, double value) override {
    note_hint(name, value);
    for (const auto& member : members_) member->observe_hint(name, value);
    ask_members();
  }
  Forecast forecast() const override { return forecast_ahead(1); }
  Forecast forecast_ahead(int steps) const override {
    const Forecast history = from_history(steps);
    return steps <= 1 && edge_.has_edge() ? edge_.forecast(history) : history;
  }
  void reset() override { *this = Ensemble(); }

 private:
  struct Hint {
    std::string name;
    double value;
  };

  /// Sets news_ if the covariate is not what it was in the phase before.
  void note_hint(std::string_view name, double value) {
    if (!std::isfinite(value)) return;
    const auto known = std::find_if(hints_.begin(), hints_.end(),
                                    [&](const Hint& hint) { return hint.name == name; });
    if (known == hints_.end()) {
      if (hints_.size() < most_hints) hints_.push_back({std::string(name), value});
      return;
    }
    if (known->value == value) return;
    if (after_news_.empty()) after_news_.begin_with(members_.size() - 1, calm_);
    known->value = value;
    news_ = true;
  }

  /// How the members have done in what is known of the present phase.
  const Standing& standing() const {
    if (news_) return after_news_;
    return surprised() && !after_surprise_.empty() ? after_surprise_ : calm_;
  }

  bool surprised() const { return since_surprise_ <= surprised_for; }

  /// It said `said_s`, and `x` it was.
  void learn(double x, double said_s) {
    const double error_s = x - said_s;
    std::vector<double> errors_s;
    for (const Forecast& said : said_)
      errors_s.push_back(std::abs(x - (said.known ? said.mean_s : 0.0)));
    const double least_s =
        std::max(surprising * interval_.scale_s(), surprised() ? returning * surprise_s_ : 0.0);
    const bool surprise =
        interval_.size() >= errors_before_surprises_count && std::abs(error_s) > least_s;
    if (surprised() && after_surprise_.empty()) after_surprise_.inherit(calm_);
    (news_ ? after_news_ : surprised() ? after_surprise_ : calm_).add(errors_s, std::abs(error_s));
    interval_.add(error_s);
    since_surprise_ = surprise ? 1 : std::min(since_surprise_, surprised_for) + 1;
    if (surprise) surprise_s_ = std::abs(error_s);
  }

  Forecast from_history(int steps) const {
    if (!known_) return {};
    return interval_.around(combined(steps),
                            std::sqrt(static_cast<double>(std::clamp(steps, 1, max_horizon))));
  }

  /// Their forecasts are asked for more than once a phase.
  void ask_members() {
    for (std::size_t i = 0; i < members_.size(); ++i) said_[i] = members_[i]->forecast();
  }

  double combined(int steps) const {
    const std::vector<double> weights = standing().weights();
    double sum = 0.0, total = 0.0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Forecast said = steps == 1 ? said_[i] : members_[i]->forecast_ahead(steps);
      if (!said.known) continue;
      sum += weights[i] * said.mean_s;
      total += weights[i];
    }
    return total > 0.0 ? sum / total : 0.0;
  }

  std::vector<std::unique_ptr<Predictor>> members_;
  std::vector<Forecast> said_;  // by the members, of the present or next phase
  Standing calm_{0}, after_surprise_{0}, after_news_{0};
  std::vector<Hint> hints_;     // of this phase or the last one
  bool news_ = false;           // one of them has changed since the last phase
  ConformalInterval interval_;  // of forecasts without an edge
  EdgeBlend edge_;
  int since_surprise_ = surprised_for + 1;
  double surprise_s_ = 0.0;  // how far off the forecast was
  bool known_ = false;
};

constexpr const char* usage = "ensemble";

}  // namespace

PAT_PREDICTOR(ensemble) {
  return {
      .name = "ensemble",
      .usage = usage,
      .idea = "mean of all models, weighted by how well each has done lately in the same situation",
      .source = "Cesa-Bianchi and Lugosi 2006, 2.2, 2.11",
      .make = [](const std::vector<double>& numbers) -> std::unique_ptr<Predictor> {
        const Parameters parameters(numbers, usage, 0);
        return std::make_unique<Ensemble>();
      }};
}

}  // namespace pat::predictor_ensemble
