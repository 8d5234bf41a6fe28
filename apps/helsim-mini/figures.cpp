#include "apps/helsim-mini/figures.hpp"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "apps/helsim-mini/study.hpp"
#include "core/statistics.hpp"
#include "core/whole_file.hpp"

namespace helsim {
namespace {

constexpr int most_lags = 30;

std::vector<double> times_of(const pat::Trace& trace, int rank) {
  std::vector<double> times;
  for (int step = 0; step < trace.iterations(); ++step)
    times.push_back(trace.computing(step, rank));
  return times;
}

std::string times_table(const pat::Trace& trace) {
  std::ostringstream text;
  text << std::setprecision(6) << "step";
  for (int r = 0; r < trace.ranks; ++r) text << ",rank_" << r << "_ms";
  text << ",mean_ms,median_ms,low_ms,high_ms\n";
  for (int step = 0; step < trace.iterations(); ++step) {
    std::vector<double> row;
    for (int r = 0; r < trace.ranks; ++r) row.push_back(1e3 * trace.computing(step, r));
    text << step;
    for (double t : row) text << ',' << t;
    text << ',' << pat::mean(row) << ',' << pat::median(row) << ',' << pat::quantile(row, 0.25)
         << ',' << pat::quantile(row, 0.75) << "\n";
  }
  return text.str();
}

/// The time of each typical rank and what the moving average of the five steps before said.
std::string sequences_table(const pat::Trace& trace, const std::vector<int>& ranks) {
  std::ostringstream text;
  text << std::setprecision(6) << "step";
  for (int r : ranks) text << ",rank_" << r << "_ms,rank_" << r << "_sma5_ms";
  text << "\n";
  for (int step = 0; step < trace.iterations(); ++step) {
    text << step;
    for (int r : ranks) {
      const auto times = times_of(trace, r);
      text << ',' << 1e3 * times[step] << ',';
      if (step >= 5)
        text << 1e3 * pat::mean(std::span(times).subspan(static_cast<std::size_t>(step) - 5, 5));
    }
    text << "\n";
  }
  return text.str();
}

std::string autocorrelation_table(const pat::Trace& trace, const std::vector<int>& ranks) {
  const int lags = std::min(most_lags, trace.iterations() - 1);
  std::vector<std::vector<double>> columns;
  for (int r : ranks) columns.push_back(pat::autocorrelation(times_of(trace, r), lags));
  std::ostringstream text;
  text << std::setprecision(6) << "lag";
  for (int r : ranks) text << ",rank_" << r;
  text << "\n";
  for (int lag = 0; lag <= lags; ++lag) {
    text << lag;
    for (const auto& column : columns) text << ',' << column[static_cast<std::size_t>(lag)];
    text << "\n";
  }
  return text.str();
}

std::string preamble(const std::string& name, int height) {
  return "set terminal pngcairo size 900," + std::to_string(height) +
         " font 'sans,11'\nset output '" + name +
         ".png'\nset datafile separator ','\nset grid lc rgb '#dddddd'\nset border 3\n"
         "set tics nomirror\n";
}

std::string distribution_script(const pat::Trace& trace) {
  std::ostringstream text;
  const int last = trace.ranks + 1;
  text << preamble("distribution", 450)
       << "set xlabel 'step'\nset ylabel 'render time [ms]'\nset yrange [0:*]\n"
       << "set title 'Render times of " << trace.ranks << " ranks in each step'\n"
       << "plot for [c=2:" << last
       << "] 'render-times.csv' every ::1 using 1:c with points pt 7 ps 0.45 lc rgb '#b0c4de' "
          "title (c==2 ? 'one rank' : ''), \\\n"
       << "  '' every ::1 using 1:" << last + 3 << ':' << last + 4
       << " with filledcurves fs transparent solid 0.25 noborder lc rgb '#4169e1' title "
          "'middle half', \\\n"
       << "  '' every ::1 using 1:" << last + 2 << " with lines lw 2 lc rgb '#00008b' title "
       << "'median', \\\n"
       << "  '' every ::1 using 1:" << last + 1
       << " with lines lw 2 dt 2 lc rgb '#b22222' title 'mean'\n";
  return text.str();
}

/// One scale for all of them, which are there to be compared.
std::string sequences_script(const pat::Trace& trace, const std::vector<int>& ranks) {
  double longest_s = 0.0;
  for (int r : ranks)
    for (double t : times_of(trace, r)) longest_s = std::max(longest_s, t);
  std::ostringstream text;
  text << preamble("sequences", 600) << "set multiplot layout 2,2 title 'Render times of single "
       << "ranks and the moving average of the five steps before'\n"
       << "set yrange [0:" << (longest_s > 0.0 ? 1.05e3 * longest_s : 1.0)
       << "]\nset key top right\n";
  for (std::size_t n = 0; n < ranks.size(); ++n)
    text << "set title 'rank " << ranks[n] << "'\nset xlabel 'step'\nset ylabel 'ms'\n"
         << "plot 'sequences.csv' every ::1 using 1:" << 2 * n + 2
         << " with lines lc rgb '#8899bb' title 'measured', '' every ::1 using 1:" << 2 * n + 3
         << " with lines lw 2 lc rgb '#b22222' title 'SMA(5)'\n";
  text << "unset multiplot\n";
  return text.str();
}

std::string autocorrelation_script(const pat::Trace& trace, const std::vector<int>& ranks) {
  std::ostringstream text;
  text << preamble("autocorrelation", 600)
       << "set multiplot layout 2,2 title 'Autocorrelation of the render times'\n"
       << "set yrange [-1:1]\nset xrange [-0.5:]\nunset key\nbound = 1.96 / sqrt("
       << trace.iterations() << ".0)\n";
  for (std::size_t n = 0; n < ranks.size(); ++n)
    text << "set title 'rank " << ranks[n] << "'\nset xlabel 'lag [steps]'\nset ylabel 'r'\n"
         << "plot 'autocorrelation.csv' every ::1 using 1:" << n + 2
         << " with impulses lw 3 lc rgb '#4169e1', bound with lines dt 2 lc rgb '#b22222', "
            "-bound with lines dt 2 lc rgb '#b22222'\n";
  text << "unset multiplot\n";
  return text.str();
}

}  // namespace

std::vector<int> typical_ranks(const pat::Trace& trace) {
  std::vector<int> ranks(static_cast<std::size_t>(trace.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<double> means;
  for (int r : ranks) means.push_back(pat::mean(times_of(trace, r)));
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return means[a] > means[b]; });
  std::vector<int> chosen;
  const std::size_t count = std::min<std::size_t>(4, ranks.size());
  for (std::size_t n = 0; n < count; ++n) chosen.push_back(ranks[n * ranks.size() / count]);
  return chosen;
}

std::vector<std::string> write_figures(const pat::Trace& trace, const std::string& directory) {
  const std::vector<int> ranks = typical_ranks(trace);
  pat::write_whole_file(directory + "/render-times.csv", times_table(trace));
  pat::write_whole_file(directory + "/sequences.csv", sequences_table(trace, ranks));
  pat::write_whole_file(directory + "/autocorrelation.csv", autocorrelation_table(trace, ranks));
  pat::write_whole_file(directory + "/distribution.gp", distribution_script(trace));
  pat::write_whole_file(directory + "/sequences.gp", sequences_script(trace, ranks));
  pat::write_whole_file(directory + "/autocorrelation.gp", autocorrelation_script(trace, ranks));
  return {"distribution.gp", "sequences.gp", "autocorrelation.gp"};
}

}  // namespace helsim
