#include "tools/trace/plot_timeline.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/viewers/timeline.hpp"
#include "core/errors.hpp"
#include "tools/study/plot.hpp"

namespace pat {
namespace {

constexpr int width = 1100, row_height = 26, most_height = 1600;

struct Kind {
  const char *name, *title, *colour;
};
// The colours of the page of pat report.
constexpr std::array<Kind, 3> drawn_kinds = {
    {{"computing", "computing", "#5b8c3a"},
     {"waiting", "in the call, before the last arrives", "#d99a2b"},
     {"transfer", "in the call, after that", "#2f6aa3"}}};

struct Label {
  double at_ms;
  std::string text;
};

/// Those that do not run into the one before, on a picture so many milliseconds wide.
std::string placed(const std::vector<Label>& labels, double width_ms) {
  constexpr double letter_pixels = 8.0;
  std::ostringstream script;
  double free_from_ms = -width_ms;
  for (const Label& one : labels) {
    const double half_ms =
        static_cast<double>(one.text.size() + 1) / 2.0 * letter_pixels / width * width_ms;
    if (one.at_ms - half_ms < free_from_ms) continue;
    free_from_ms = one.at_ms + half_ms;
    script << "set label " << study::quoted(one.text) << " at " << one.at_ms
           << ",-0.75 center front\n";
  }
  return script.str();
}

}  // namespace

void plot_timeline(const Trace& trace, int first, int calls, const std::string& title,
                   const std::string& path) {
  if (first >= trace.iterations())
    throw Error(ErrorKind::argument, "the timeline begins with call " + std::to_string(first) +
                                         ", the trace has calls 0 to " +
                                         std::to_string(trace.iterations() - 1));
  std::array<std::ostringstream, drawn_kinds.size()> boxes;
  std::ostringstream arrows;
  std::vector<Label> labels;
  double from_s = 0.0, to_s = 0.0;
  Timeline timeline(trace);
  while (timeline.next() && timeline.iteration() < first + calls) {
    if (timeline.iteration() < first) continue;
    if (timeline.iteration() == first) from_s = timeline.begin_s();
    const auto ms = [&](double time_s) { return 1e3 * (time_s - from_s); };
    for (std::size_t r = 0; r < timeline.steps().size(); ++r) {
      const Step& step = timeline.steps()[r];
      const std::array<double, drawn_kinds.size() + 1> ends = {step.computing_s, step.arrival_s,
                                                               step.released_s, step.left_s};
      for (std::size_t k = 0; k < drawn_kinds.size(); ++k)
        if (ends[k + 1] > ends[k])  // x, y, and the box around them
          boxes[k] << ms(ends[k]) << " " << r << " " << ms(ends[k]) << " " << ms(ends[k + 1]) << " "
                   << static_cast<double>(r) - 0.4 << " " << static_cast<double>(r) + 0.4 << "\n";
      to_s = std::max(to_s, step.left_s);
    }
    const double last_ms = ms(timeline.last_arrival_s());
    arrows << "set arrow from " << last_ms << ",-0.6 to " << last_ms << "," << trace.ranks - 0.4
           << " nohead dt 2 lc rgb '#b03030' front\n";
    if (!timeline.algorithm().empty())
      labels.push_back({last_ms, std::string(timeline.algorithm())});
  }
  const double width_ms = 1e3 * std::max(1e-9, to_s - from_s);
  std::ostringstream script;
  for (std::size_t k = 0; k < drawn_kinds.size(); ++k) {
    const std::string text = boxes[k].str();  // one outside of the picture where there is none
    script << "$" << drawn_kinds[k].name << " << E\n"
           << (text.empty() ? "-1e9 -1e9 -1e9 -1e9 -1e9 -1e9\n" : text) << "E\n";
  }
  script << "set title " << study::quoted(title) << " offset 0,1\nset xlabel 'time (ms)'\n"
         << "set ylabel 'rank'\nset yrange [" << trace.ranks - 0.4
         << ":-1]\nset xrange [0:" << width_ms << "]\nset ytics 0,"
         << std::max(1, (trace.ranks + 15) / 16) << " nomirror\nset key below\n"
         << "set style fill solid 1 noborder\n"
         << arrows.str() << placed(labels, width_ms) << "plot";
  for (const Kind& kind : drawn_kinds)
    script << " $" << kind.name << " with boxxyerror lc rgb '" << kind.colour << "' title '"
           << kind.title << "',";
  script << " NaN with lines dt 2 lc rgb '#b03030' title 'the last arrives'\n";
  study::plot(script.str(), path, width, std::min(most_height, 170 + row_height * trace.ranks));
}

}  // namespace pat
