#include "apps/helsim-mini/study.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/helsim-mini/pixel.hpp"
#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "core/units.hpp"
#include "predictors/predictor.hpp"

namespace helsim {
namespace {

std::vector<pat::ArrivalPattern> true_patterns(const pat::Trace& trace) {
  std::vector<pat::ArrivalPattern> patterns;
  for (int step = 0; step < trace.iterations(); ++step) {
    const auto row = trace.row(step);
    pat::ArrivalPattern pattern{{row.begin(), row.end()}, {}, static_cast<std::uint64_t>(step)};
    const double first = *std::min_element(row.begin(), row.end());
    for (double& offset : pattern.offset_s) offset -= first;
    patterns.push_back(pattern);
  }
  return patterns;
}

pat::Problem problem_of(int ranks, std::size_t bytes, const pat::CostModel& model) {
  pat::Problem problem;
  problem.operation = pat::Operation::reduce;
  problem.ranks = ranks;
  problem.units = bytes / sizeof(DepthPixel);
  problem.unit_bytes = sizeof(DepthPixel);
  problem.cost = {model.alpha_s, model.beta_s_per_byte, model.gamma_s_per_byte};
  return problem;
}

/// Run time when the schedule is built from one pattern and the processes arrive by another.
double run_time_s(const pat::Algorithm& algorithm, const pat::Problem& problem,
                  const pat::ArrivalPattern& built_from, const pat::ArrivalPattern& arrivals,
                  const pat::CostModel& model) {
  return pat::simulate(pat::build_schedule(algorithm, problem, built_from), arrivals, model)
      .run_time_s();
}

StudyRow play(const pat::Algorithm& algorithm, const pat::Problem& problem,
              const std::string& pattern_name, const std::vector<pat::ArrivalPattern>& announced,
              const std::vector<pat::ArrivalPattern>& arrivals, const pat::CostModel& model) {
  StudyRow row;
  row.bytes = problem.units * problem.unit_bytes;
  row.algorithm = algorithm.name;
  row.keeps_order = !algorithm.needs_commutative;
  row.pattern = pattern_name;
  try {
    const auto flat = pat::ArrivalPattern::flat(problem.ranks);
    row.balanced_s = run_time_s(algorithm, problem, flat, flat, model);
    for (std::size_t step = 0; step < arrivals.size(); ++step) {
      const double t = run_time_s(algorithm, problem, announced[step], arrivals[step], model);
      const double imbalance = pat::absolute_imbalance_s(arrivals[step]);
      row.run_time_s += t;
      row.imbalance_s += imbalance / static_cast<double>(arrivals.size());
      row.absorption_s += (row.balanced_s - t + imbalance) / static_cast<double>(arrivals.size());
    }
  } catch (const pat::Error& error) {
    row.refused = error.what();
  }
  return row;
}

void print_table(const std::vector<StudyRow>& rows, const StudyOrigin& origin, std::ostream& out) {
  out << origin.sentence << "\n"
      << std::left << std::setw(10) << "message" << std::setw(20) << "reduction" << std::setw(13)
      << "keeps order" << std::setw(12) << "pattern" << std::right << std::setw(14)
      << "run time [s]" << std::setw(16) << "balanced [ms]" << std::setw(17) << "absorption [ms]"
      << std::setw(16) << "imbalance [ms]"
      << "\n";
  for (const StudyRow& row : rows) {
    out << std::left << std::setw(10) << pat::format_bytes(row.bytes) << std::setw(20)
        << row.algorithm << std::setw(13) << (row.keeps_order ? "yes" : "no") << std::setw(12)
        << row.pattern << std::right << std::fixed;
    if (!row.refused.empty())
      out << "  " << row.refused << "\n";
    else
      out << std::setprecision(4) << std::setw(14) << row.run_time_s << std::setprecision(3)
          << std::setw(16) << row.balanced_s * 1e3 << std::setw(17) << row.absorption_s * 1e3
          << std::setw(16) << row.imbalance_s * 1e3
          << (row.dropped ? "  dropped " + std::to_string(row.dropped) : "") << "\n";
    out << std::defaultfloat;
  }
}

void print_csv(const std::vector<StudyRow>& rows, std::ostream& out) {
  out << "message_bytes,reduction,keeps_order,pattern,run_time_s,balanced_s,absorption_s,imbalance_"
         "s,dropped\n"
      << std::setprecision(9);
  for (const StudyRow& row : rows)
    if (row.refused.empty())
      out << row.bytes << ',' << row.algorithm << ',' << row.keeps_order << ',' << row.pattern
          << ',' << row.run_time_s << ',' << row.balanced_s << ',' << row.absorption_s << ','
          << row.imbalance_s << ',' << row.dropped << "\n";
}

void print_json(const std::vector<StudyRow>& rows, const StudyOrigin& origin, std::ostream& out) {
  nlohmann::json all;
  for (const auto& [name, value] : origin.numbers) all[origin.key][name] = value;
  all["rows"] = nlohmann::json::array();
  for (const StudyRow& row : rows) {
    nlohmann::json one = {{"message_bytes", row.bytes},
                          {"reduction", row.algorithm},
                          {"keeps_order", row.keeps_order},
                          {"pattern", row.pattern},
                          {"dropped", row.dropped}};
    if (row.refused.empty())
      one.update({{"run_time_s", row.run_time_s},
                  {"balanced_s", row.balanced_s},
                  {"absorption_s", row.absorption_s},
                  {"imbalance_s", row.imbalance_s}});
    else
      one["refused"] = row.refused;
    all["rows"].push_back(one);
  }
  out << all.dump(2) << "\n";
}

}  // namespace

void check_picture_sizes(const std::vector<std::size_t>& sizes) {
  constexpr std::size_t most = std::numeric_limits<int>::max();
  for (const std::size_t bytes : sizes)
    if (bytes < sizeof(DepthPixel) || bytes > most)
      throw pat::Error(pat::ErrorKind::argument, "a picture of " + std::to_string(bytes) +
                                                     " bytes cannot be composited, give " +
                                                     std::to_string(sizeof(DepthPixel)) + " to " +
                                                     std::to_string(most));
}

std::vector<pat::ArrivalPattern> predicted_patterns(const pat::Trace& trace,
                                                    const std::string& predictor) {
  std::vector<std::unique_ptr<pat::Predictor>> models;
  for (int r = 0; r < trace.ranks; ++r) models.push_back(pat::make_predictor(predictor));
  std::vector<pat::ArrivalPattern> patterns;
  for (int step = 0; step < trace.iterations(); ++step) {
    auto pattern = pat::ArrivalPattern::flat(trace.ranks);
    pattern.epoch = static_cast<std::uint64_t>(step);
    bool known = true;
    for (int r = 0; r < trace.ranks; ++r) {
      const pat::Forecast forecast = models[r]->forecast();
      known = known && forecast.known;
      pattern.offset_s[r] = forecast.mean_s;
    }
    const double first = *std::min_element(pattern.offset_s.begin(), pattern.offset_s.end());
    for (double& offset : pattern.offset_s) offset = known ? offset - first : 0.0;
    patterns.push_back(pattern);
    for (int r = 0; r < trace.ranks; ++r) models[r]->observe({trace.computing(step, r), {}});
  }
  return patterns;
}

std::vector<StudyRow> study(const pat::Trace& trace, const std::vector<std::size_t>& sizes,
                            const std::vector<std::string>& predictors,
                            const pat::CostModel& model) {
  check_picture_sizes(sizes);
  if (trace.ranks < 2 || trace.iterations() < 1)
    throw pat::Error(pat::ErrorKind::argument,
                     "the study needs the render times of at least two processes, start it with "
                     "mpirun or give it --study-trace");
  const auto arrivals = true_patterns(trace);
  std::vector<std::pair<std::string, std::vector<pat::ArrivalPattern>>> announced;
  for (const std::string& predictor : predictors)
    announced.emplace_back(predictor, predicted_patterns(trace, predictor));
  announced.emplace_back("true", arrivals);
  std::vector<StudyRow> rows;
  for (std::size_t bytes : sizes) {
    const pat::Problem problem = problem_of(trace.ranks, bytes, model);
    for (const pat::Algorithm& algorithm : pat::algorithms()) {
      if (algorithm.operation != pat::Operation::reduce || !algorithm.build) continue;
      if (algorithm.protocol) {  // follows the arrivals as they come
        rows.push_back(play(algorithm, problem, "-", arrivals, arrivals, model));
        continue;
      }
      if (!algorithm.uses_pattern) {
        const std::vector<pat::ArrivalPattern> flat(arrivals.size(),
                                                    pat::ArrivalPattern::flat(trace.ranks));
        rows.push_back(play(algorithm, problem, "-", flat, arrivals, model));
        continue;
      }
      for (const auto& [name, patterns] : announced)
        rows.push_back(play(algorithm, problem, name, patterns, arrivals, model));
    }
  }
  return rows;
}

StudyOrigin simulated_origin(const pat::CostModel& model) {
  std::ostringstream sentence;
  sentence << "Simulated: alpha " << model.alpha_s * 1e6 << " us, beta "
           << model.beta_s_per_byte * 1e9 << " ns/byte, gamma " << model.gamma_s_per_byte * 1e9
           << " ns/byte";
  return {sentence.str(),
          "model",
          {{"alpha_s", model.alpha_s},
           {"beta_s_per_byte", model.beta_s_per_byte},
           {"gamma_s_per_byte", model.gamma_s_per_byte}}};
}

void print_study(const std::vector<StudyRow>& rows, const StudyOrigin& origin,
                 const std::string& format, std::ostream& out) {
  if (format == "csv") return print_csv(rows, out);
  if (format == "json") return print_json(rows, origin, out);
  print_table(rows, origin, out);
}

std::vector<std::size_t> seed_004_sizes() {
  constexpr std::size_t kib = 1024, mib = 1024 * kib;
  return {128 * kib, 512 * kib, 2 * mib, 4 * mib, 40 * mib};
}

std::vector<std::string> study_predictors(const std::string& extra) {
  std::vector<std::string> chosen;
  for (const std::string wanted : {"sma:5", "arma", "ensemble"}) {
    const std::string name = wanted.substr(0, wanted.find(':'));
    for (const pat::PredictorInfo& info : pat::predictors())
      if (info.name == name) chosen.push_back(wanted);
  }
  if (!extra.empty() && std::find(chosen.begin(), chosen.end(), extra) == chosen.end())
    chosen.push_back(extra);
  return chosen;
}

}  // namespace helsim
