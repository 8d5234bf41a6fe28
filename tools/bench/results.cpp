#include "tools/bench/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/units.hpp"

namespace pat::bench {

using namespace measure;

namespace {

using nlohmann::json;

/// printf into a string; the lines of a report are short.
template <typename... Values>
std::string line(const char* form, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

bool same_setting(const Series& a, const Series& b) {
  return a.operation == b.operation && a.bytes == b.bytes && a.pattern == b.pattern;
}

const Series* baseline_of(const Results& results, const Series& series) {
  for (const Series& other : results.series)
    if (other.algorithm == results.baseline && same_setting(series, other) &&
        !other.samples.empty())
      return &other;
  return nullptr;
}

std::optional<Comparison> comparison(const Results& results, const Series& series) {
  const Series* baseline = baseline_of(results, series);
  if (baseline == nullptr || baseline == &series) return std::nullopt;
  return compare(series, *baseline, results.seed, results.effort);
}

// --- table -------------------------------------------------------------------------------------

/// Of what goes on at the same time.
std::string company_of(const nlohmann::json& settings) {
  std::string company;
  if (!settings.is_object()) return company;
  if (const int groups = settings.value("groups", 1); groups > 1)
    company += ", one of " + std::to_string(groups) + " groups";
  if (const std::string beside = settings.value("beside", ""); !beside.empty())
    company += ", calls of " + beside + " between";
  return company;
}

void write_heading(const Results& results, const Series& series, std::ostream& out) {
  out << "\n# " << series.operation << ", " << format_bytes(series.bytes) << " in all, "
      << series.ranks << " processes" << company_of(results.settings) << ", root " << series.root
      << ", pattern " << series.pattern << "; run time in ms\n"
      << line("%-18s %5s %5s %9s %9s %20s %9s %9s %9s  %s\n", "algorithm", "n", "drop", "min",
              "median", "95 % interval", "mean", "q90", "avg elap", "ratio to baseline");
}

void write_row(const Results& results, const Series& series, std::ostream& out) {
  const Summary s = summarize(series, results.seed, results.effort);
  if (s.iterations == 0) {
    out << line(
        "%-18s %5d %5d   every iteration was dropped: a process woke later than "
        "--max-lateness, raise it\n",
        series.algorithm.c_str(), s.iterations, series.dropped);
    return;
  }
  out << line("%-18s %5d %5d %9.3f %9.3f   [%8.3f,%8.3f] %9.3f %9.3f %9.3f",
              series.algorithm.c_str(), s.iterations, series.dropped, 1e3 * s.minimum_s,
              1e3 * s.median_s, 1e3 * s.median_interval_s.lower, 1e3 * s.median_interval_s.upper,
              1e3 * s.mean_s, 1e3 * s.q90_s, 1e3 * s.elapsed_mean_s);
  if (const auto c = comparison(results, series))
    out << line("  %.3f [%.3f, %.3f] p %.2g", c->test.ratio, c->interval.lower, c->interval.upper,
                c->test.p_value);
  out << "\n";
  if (s.iterations < series.dropped)
    out << line(
        "%-18s   most iterations were dropped, as a process woke later than --max-lateness: "
        "raise it, or let the machine do nothing else\n",
        "");
  if (s.has_absorption)
    out << line("%-18s   absorption %.3f ms, normalized %.3f\n", "", 1e3 * s.absorption_s,
                s.normalized_absorption);
}

/// Which lags of the autocorrelogram lie outside its 95 % bounds.
std::string lags_outside(const Summary& s) {
  int outside = 0;
  std::size_t strongest = 0, last = 0;
  for (std::size_t lag = 1; lag < s.autocorrelation.size(); ++lag) {
    const double r = std::abs(s.autocorrelation[lag]);
    if (r <= s.autocorrelation_bound) continue;
    ++outside;
    last = lag;
    if (strongest == 0 || r > std::abs(s.autocorrelation[strongest])) strongest = lag;
  }
  const std::string lags =
      std::to_string(s.autocorrelation.size() - std::min<std::size_t>(1, s.autocorrelation.size()));
  if (outside == 0) return "none of " + lags + " lags";
  return line("%d of %s lags, strongest %.3f at lag %zu, last at lag %zu", outside, lags.c_str(),
              s.autocorrelation[strongest], strongest, last);
}

void write_diagnostics(const Results& results, const Series& series, std::ostream& out) {
  const Summary s = summarize(series, results.seed, results.effort);
  out << line("%-18s   imbalance %.3f ms, start skew %.3f ms, latest wake-up %.3f ms\n", "",
              1e3 * s.imbalance_s, 1e3 * s.start_skew_s, 1e3 * s.lateness_s)
      << line("%-18s   runs test p %.3f, trend %.4f ms an iteration (p %.3f), Levene p %s\n", "",
              s.runs.p_value, 1e3 * s.trend.slope, s.trend.p_value,
              s.variance ? line("%.3f", s.variance->p_value).c_str() : "-")
      << line("%-18s   autocorrelation outside +-%.3f (95 %%): %s\n", "", s.autocorrelation_bound,
              lags_outside(s).c_str());
  if (s.forecast_error_s >= 0.0)
    out << line("%-18s   forecast off by %.3f ms\n", "", 1e3 * s.forecast_error_s);
  out << line("%-18s   schedule generated in %s\n", "",
              series.schedule_s < 0.0 ? "-" : line("%.1f us", 1e6 * series.schedule_s).c_str());
}

/// One line a term of what was written above, those of absorption and diagnostics where they are.
void write_legend(const Results& results, const ReportOptions& options, std::ostream& out) {
  const auto any = [&](auto has) {
    return std::any_of(results.series.begin(), results.series.end(), has);
  };
  const auto term = [&](const char* name, const std::string& meaning) {
    out << line("# %-18s %s\n", name, meaning.c_str());
  };
  out << "\n";
  term("run time", "from the first process's arrival at the operation to the last one's exit");
  term("n, drop", "iterations measured; left out because a process woke too late (--max-lateness)");
  term("95 % interval", "of the median; q90: nine tenths of the iterations took less");
  term("avg elap", "time from a process's arrival to its exit: mean of the processes, median of n");
  if (any([&](const Series& s) {
        const Series* baseline = baseline_of(results, s);
        return baseline != nullptr && baseline != &s;
      }))
    term("ratio to baseline", "median over that of " + results.baseline +
                                  " [95 % interval]; p: how likely so far from 1 by chance");
  if (any([](const Series& s) { return !s.balanced_run_s.empty(); }))
    term("absorption",
         "balanced run time + imbalance - run time; normalized: over the balanced one");
  if (!options.diagnostics) return;
  term("imbalance", "last arrival - first arrival; start skew: last start of computing - first");
  term("latest wake-up", "how much longer than planned the computing of one process took");
  term("runs test p", "small: short and long run times do not follow each other by chance");
  term("trend, p", "what the run time grows by; p: how likely such a slope is by chance");
  term("Levene p", "small: the spread changed in the course of the iterations; -: fewer than 20");
  term("autocorrelation",
       "of the run times; independent ones lie within the bounds at 95 % of lags");
  term("schedule generated", "time to make the root's schedule (auto: and to choose); -: has none");
  if (any([](const Series& s) { return !s.samples.empty() && s.samples[0].forecast_error_s >= 0; }))
    term("forecast off by", "mean error of the predicted lengths of the computing phases");
}

void write_table(const Results& results, const ReportOptions& options, std::ostream& out) {
  for (const auto& [key, value] : results.environment.items())
    out << "# " << key << ": " << (value.is_string() ? value.get<std::string>() : value.dump())
        << "\n";
  const Series* before = nullptr;
  for (const Series& series : results.series) {
    if (before == nullptr || !same_setting(*before, series)) write_heading(results, series, out);
    write_row(results, series, out);
    if (options.diagnostics) write_diagnostics(results, series, out);
    before = &series;
  }
  if (before != nullptr) write_legend(results, options, out);
  if (results.stopped) out << "\n# stopped before all iterations were done\n";
  if (results.effort != Effort())
    out << "# in haste: intervals from " << results.effort.resamples << " resamples, p from "
        << results.effort.permutations << " permutations\n";
}

// --- the look of the OSU benchmarks --------------------------------------------------------------

std::string osu_name(const std::string& operation) {
  std::string name = operation;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

void write_osu(const Results& results, std::ostream& out) {
  const Series* before = nullptr;
  for (const Series& series : results.series) {
    if (before == nullptr || before->algorithm != series.algorithm ||
        before->operation != series.operation || before->pattern != series.pattern)
      out << "\n# PAT MPI " << osu_name(series.operation) << " Latency Test, algorithm "
          << series.algorithm << ", pattern " << series.pattern << "\n"
          << line("%-12s %18s %18s %18s %12s\n", "# Size", "Avg Latency(us)", "Min Latency(us)",
                  "Max Latency(us)", "Iterations");
    const Summary s = summarize(series, results.seed, results.effort);
    out << line("%-12zu %18.2f %18.2f %18.2f %12d\n", series.bytes, 1e6 * s.mean_s,
                1e6 * s.minimum_s, 1e6 * s.maximum_s, s.iterations);
    before = &series;
  }
}

// --- for programs --------------------------------------------------------------------------------

/// One cell of a CSV row; empty for what was not measured.
struct Cell {
  std::optional<double> value;
};
std::ostream& operator<<(std::ostream& out, const Cell& cell) {
  if (cell.value) out << *cell.value;
  return out << ',';
}
std::optional<double> unless_negative(double value) {
  return value < 0.0 ? std::nullopt : std::optional(value);
}

std::ostream& write_setting(const Series& s, std::ostream& out) {
  return out << s.operation << ',' << s.algorithm << ',' << s.ranks << ',' << s.bytes << ','
             << s.root << ",\"" << s.pattern << "\"," << s.delay_s << ',';
}
constexpr const char* setting_columns = "operation,algorithm,ranks,bytes,root,pattern,delay_s,";

void write_csv_samples(const Results& results, std::ostream& out) {
  out << setting_columns
      << "iteration,run_s,whole_s,elapsed_mean_s,elapsed_max_s,imbalance_s,start_skew_s,lateness_s,"
         "forecast_error_s,absorption_s,normalized_absorption\n";
  for (const Series& series : results.series) {
    const std::vector<double> absorptions = series.absorptions_s();
    const double balanced_s = median(series.balanced_run_s);
    for (std::size_t i = 0; i < series.samples.size(); ++i) {
      const Sample& s = series.samples[i];
      write_setting(series, out) << s.iteration << ',' << s.run_s << ',' << s.whole_s << ','
                                 << s.elapsed_mean_s << ',' << s.elapsed_max_s << ','
                                 << s.imbalance_s << ',' << s.start_skew_s << ',' << s.lateness_s
                                 << ',' << Cell{unless_negative(s.forecast_error_s)};
      if (absorptions.empty())
        out << ",\n";
      else
        out << absorptions[i] << ',' << absorptions[i] / balanced_s << '\n';
    }
  }
}

void write_csv_summaries(const Results& results, std::ostream& out) {
  out << setting_columns
      << "iterations,dropped,run_min_s,run_median_s,run_median_lower_s,run_median_upper_s,"
         "run_mean_s,run_sd_s,run_q90_s,run_max_s,elapsed_mean_s,elapsed_max_s,imbalance_s,"
         "forecast_error_s,absorption_s,normalized_absorption,schedule_s,ratio,ratio_p\n";
  for (const Series& series : results.series) {
    const Summary s = summarize(series, results.seed, results.effort);
    const auto absorbed = [&](double value) {
      return Cell{s.has_absorption ? std::optional(value) : std::nullopt};
    };
    write_setting(series, out) << s.iterations << ',' << series.dropped << ',' << s.minimum_s << ','
                               << s.median_s << ',' << s.median_interval_s.lower << ','
                               << s.median_interval_s.upper << ',' << s.mean_s << ','
                               << s.deviation_s << ',' << s.q90_s << ',' << s.maximum_s << ','
                               << s.elapsed_mean_s << ',' << s.elapsed_max_s << ',' << s.imbalance_s
                               << ',' << Cell{unless_negative(s.forecast_error_s)}
                               << absorbed(s.absorption_s) << absorbed(s.normalized_absorption)
                               << Cell{unless_negative(series.schedule_s)};
    if (const auto c = comparison(results, series))
      out << c->test.ratio << ',' << c->test.p_value << '\n';
    else
      out << ",\n";
  }
}

void write_csv(const Results& results, bool samples, std::ostream& out) {
  out.precision(9);
  samples ? write_csv_samples(results, out) : write_csv_summaries(results, out);
}

json or_null(double value) {
  return value < 0.0 ? json() : json(value);
}

json samples_json(const Series& series) {
  json samples = {{"iteration", json::array()},
                  {"run_s", series.column(&Sample::run_s)},
                  {"whole_s", series.column(&Sample::whole_s)},
                  {"elapsed_mean_s", series.column(&Sample::elapsed_mean_s)},
                  {"elapsed_max_s", series.column(&Sample::elapsed_max_s)},
                  {"imbalance_s", series.column(&Sample::imbalance_s)},
                  {"start_skew_s", series.column(&Sample::start_skew_s)},
                  {"lateness_s", series.column(&Sample::lateness_s)},
                  {"waiting_per_rank_s", json::array()},
                  {"forecast_error_s", json::array()}};
  for (const Sample& sample : series.samples) {
    samples["iteration"].push_back(sample.iteration);
    samples["waiting_per_rank_s"].push_back(sample.waiting_s);
    samples["forecast_error_s"].push_back(or_null(sample.forecast_error_s));
  }
  if (!series.balanced_run_s.empty()) {
    std::vector<double> absorptions = series.absorptions_s();
    samples["absorption_s"] = absorptions;
    for (double& absorption : absorptions) absorption /= median(series.balanced_run_s);
    samples["normalized_absorption"] = absorptions;
  }
  return samples;
}

json series_json(const Results& results, const Series& series, bool samples) {
  const Summary s = summarize(series, results.seed, results.effort);
  const auto run_s = series.column(&Sample::run_s);
  json entry = {{"operation", series.operation},
                {"algorithm", series.algorithm},
                {"ranks", series.ranks},
                {"bytes", series.bytes},
                {"root", series.root},
                {"pattern", series.pattern},
                {"delay_s", series.delay_s},
                {"iterations", s.iterations},
                {"dropped", series.dropped},
                {"run_min_s", s.minimum_s},
                {"run_median_s", s.median_s},
                {"run_median_interval_s", {s.median_interval_s.lower, s.median_interval_s.upper}},
                {"run_mean_s", s.mean_s},
                {"run_sd_s", s.deviation_s},
                {"run_q10_s", s.q10_s},
                {"run_q90_s", s.q90_s},
                {"run_max_s", s.maximum_s},
                {"elapsed_mean_s", s.elapsed_mean_s},
                {"elapsed_max_s", s.elapsed_max_s},
                {"imbalance_s", s.imbalance_s},
                {"start_skew_s", s.start_skew_s},
                {"lateness_s", s.lateness_s},
                {"waiting_per_rank_s", series.mean_waiting_s()},
                {"runs_test", {{"z", s.runs.z}, {"p", s.runs.p_value}}},
                {"trend", {{"slope_s", s.trend.slope}, {"p", s.trend.p_value}}},
                {"levene", s.variance ? json{{"w", s.variance->w}, {"p", s.variance->p_value}}
                                      : json{{"w", nullptr}, {"p", nullptr}}},
                {"autocorrelation", s.autocorrelation},
                {"autocorrelation_bound", s.autocorrelation_bound}};
  if (results.effort == Effort()) entry["periodogram_s2"] = periodogram(run_s);
  if (s.forecast_error_s >= 0.0) entry["forecast_error_s"] = s.forecast_error_s;
  entry["schedule_s"] = or_null(series.schedule_s);
  if (s.has_absorption) {
    entry["balanced_run_median_s"] = median(series.balanced_run_s);
    entry["absorption_s"] = s.absorption_s;
    entry["normalized_absorption"] = s.normalized_absorption;
  }
  if (const auto c = comparison(results, series))
    entry["ratio"] = {{"baseline", results.baseline},
                      {"value", c->test.ratio},
                      {"interval", {c->interval.lower, c->interval.upper}},
                      {"p", c->test.p_value}};
  if (samples) entry["samples"] = samples_json(series);
  return entry;
}

}  // namespace

json to_json(const Results& results, bool samples) {
  json document = {{"format", "pat-bench 1"},
                   {"environment", results.environment},
                   {"settings", results.settings},
                   {"seed", results.seed},
                   {"stopped", results.stopped},
                   {"resamples", results.effort.resamples},
                   {"permutations", results.effort.permutations},
                   {"results", json::array()}};
  for (const Series& series : results.series)
    document["results"].push_back(series_json(results, series, samples));
  return document;
}

void write(const Results& results, const ReportOptions& options, std::ostream& out) {
  switch (options.format) {
    case Format::table:
      return write_table(results, options, out);
    case Format::osu:
      return write_osu(results, out);
    case Format::csv:
      return write_csv(results, options.samples, out);
    case Format::json:
      out << to_json(results, options.samples).dump(1) << "\n";
      return;
  }
}

}  // namespace pat::bench
