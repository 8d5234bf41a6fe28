#include "tools/simulate/rows.hpp"

#include <utility>

#include "core/progress_bar.hpp"
#include "measure/stop.hpp"

namespace pat::simulation {
namespace {

using nonclairvoyant::CostLaw;

nonclairvoyant::Setting setting_of(const Plan& plan, int processors, double cv, double comp_ratio) {
  nonclairvoyant::Setting setting;
  setting.processors = processors;
  setting.communication = {plan.distribution, plan.mean, cv};
  setting.computation = {plan.distribution, plan.mean * comp_ratio, cv};
  if (plan.platform) {  // what is drawn are factors of its costs
    setting.communication.mean = setting.computation.mean = 1.0;
    setting.platform = &*plan.platform;
  }
  setting.methods = plan.methods;
  setting.runs = plan.runs;
  setting.seed = plan.seed;
  return setting;
}

class Study {
 public:
  Study(const Plan& plan, bool quiet)
      : plan_(plan),
        bar_("pat simulate", static_cast<long>(plan.cells() * plan.runs), progress_style(!quiet)) {
    rows_.wanted = plan.cells() * plan.runs;
  }

  Rows run() {
    const measure::StopSignals signals({});
    for (const int processors : plan_.processors)
      for (const double comp_ratio : plan_.comp_ratios)
        for (const double cv : plan_.cvs) {
          if (measure::StopSignals::asked()) return std::move(rows_);
          add_cell(processors, cv, comp_ratio);
        }
    return std::move(rows_);
  }

 private:
  void add_cell(int processors, double cv, double comp_ratio) {
    const nonclairvoyant::Setting setting = setting_of(plan_, processors, cv, comp_ratio);
    std::vector<nonclairvoyant::Outcome> outcomes =
        nonclairvoyant::simulate(setting, [this](std::uint64_t done) {
          bar_.update(static_cast<long>(rows_.done + done));
          return !measure::StopSignals::asked();
        });
    rows_.done += outcomes.front().time.count();
    for (nonclairvoyant::Outcome& outcome : outcomes) {
      std::optional<nonclairvoyant::Expectation> theory;
      if (!plan_.platform)
        theory =
            expectation(outcome.method, processors, setting.communication, setting.computation);
      rows_.rows.push_back({processors, cv, comp_ratio, std::move(outcome), theory});
    }
  }

  const Plan& plan_;
  ProgressBar bar_;
  Rows rows_;
};

}  // namespace

Rows rows_of(const Plan& plan, bool quiet) {
  return Study(plan, quiet).run();
}

}  // namespace pat::simulation
