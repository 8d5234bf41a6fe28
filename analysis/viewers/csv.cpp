// The long table: one line a rank and iteration, for spreadsheets, pandas, R and Parquet.

#include <array>
#include <charconv>

#include "analysis/viewers/formats.hpp"
#include "analysis/viewers/timeline.hpp"

namespace pat::viewers {
namespace {

constexpr const char* columns =
    "iteration,rank,place,algorithm,start_s,computing_s,arrival_s,last_arrival_s,left_s,waiting_s,"
    "transfer_s,forecast_s,forecast_lower_s,forecast_upper_s\n";

/// Names hold commas: RFC 4180.
std::string in_quotes(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

std::string time(double value_s) {
  std::array<char, 64> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value_s,
                                 std::chars_format::fixed, 9);
  return {digits.data(), end.ptr};
}

}  // namespace

void write_csv(const Trace& trace, const ViewOptions& options, std::ostream& out) {
  const std::vector<Forecast> forecasts = replayed_forecasts(trace, options.predictor);
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  out << columns;
  for (Timeline timeline(trace); timeline.next();) {
    const std::string names = "," + in_quotes(timeline.place()) + "," +
                              (timeline.algorithm().empty() ? "" : in_quotes(timeline.algorithm())) +
                              ",";
    for (std::size_t r = 0; r < ranks; ++r) {
      const Step& step = timeline.steps()[r];
      const auto row = static_cast<std::size_t>(timeline.iteration());
      out << timeline.iteration() << ',' << r << names;
      for (const double value_s :
           {timeline.begin_s(),
            trace.computing_s.empty() ? 0.0 : trace.computing_s[row * ranks + r], step.arrival_s,
            timeline.last_arrival_s(), step.left_s, step.released_s - step.arrival_s,
            step.left_s - step.released_s})
        out << time(value_s) << ',';
      const Forecast& forecast = forecasts[row * ranks + r];
      if (forecast.known)
        out << time(timeline.begin_s() + forecast.mean_s) << ','
            << time(timeline.begin_s() + forecast.lower_s) << ','
            << time(timeline.begin_s() + forecast.upper_s) << '\n';
      else
        out << ",,\n";
    }
    options.progress(timeline.iteration() + 1);
  }
}

}  // namespace pat::viewers
