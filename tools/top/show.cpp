#include "tools/top/show.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "analysis/words.hpp"
#include "core/printable.hpp"
#include "core/seconds.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

double waits(const RankView& row) {
  return row.skew_share + row.transfer_share;
}

/// When the phase is foretold to end.
std::string end_of(const LiveState::Phase& phase, std::int64_t now_ns) {
  if (!phase.start_ns || !phase.lasts_s) return "";
  const double left_s = *phase.lasts_s - seconds(now_ns - *phase.start_ns);
  const std::string width = phase.half_width_s ? " +- " + seconds_text(*phase.half_width_s) : "";
  return fmt::format(", {}{} {}", seconds_text(std::abs(left_s)), width,
                     left_s >= 0.0 ? "left" : "over");
}

/// In so many columns; the region gets what the rest leaves, and some in any case.
std::string doing(const LiveState::Phase& phase, std::int64_t now_ns, std::size_t width) {
  constexpr std::size_t least = 20;
  const std::string done =
      phase.fraction ? fmt::format(" {}", percent_text(*phase.fraction)) : std::string();
  if (phase.region.empty()) return "between calls" + end_of(phase, now_ns);
  const std::string verb = phase.paused ? "pauses in " : "computes ";
  const std::string rest = done + end_of(phase, now_ns);
  const std::size_t taken = verb.size() + rest.size();
  return verb + cut_place(phase.region, std::max(least, width - std::min(width, taken))) + rest;
}

std::string doing(const RankView& row, std::size_t width) {
  if (row.silent && !row.here) return "no answer: it is stopped, or busy, on another machine";
  if (row.silent) return fmt::format("no answer: process {} is stopped, or busy", row.pid);
  if (!row.state) return "on another machine: as foretold here";
  const LiveState& state = *row.state;
  if (state.present)
    return fmt::format(
        "in {} for {}", state.present->function,
        seconds_text(std::max(0.0, seconds(state.now_ns - state.present->since_ns))));
  if (!state.waits_in.empty()) return "waits in " + state.waits_in;
  if (state.phase) return doing(*state.phase, state.now_ns, width);
  return "between calls";
}

std::string line_of(const RankView& row, std::size_t width) {
  const bool told = row.state.has_value() && row.late_s.has_value();
  const std::string where = row.state && !row.here ? ", on " + row.state->host : std::string();
  const std::string numbers = fmt::format(
      "{:>5}{:>9}{:>7}{:>10}  ", row.rank, row.late_s ? seconds_text(*row.late_s) : "-",
      told ? percent_text(row.skew_share) : "-", told ? percent_text(row.transfer_share) : "-");
  const std::size_t taken = numbers.size() + where.size();
  return numbers + doing(row, width - std::min(width, taken)) + where;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const LiveState::Phase& phase, std::int64_t now_ns) {
  Json text = {{"region", phase.region},
               {"paused", phase.paused},
               {"fraction", or_null(phase.fraction)},
               {"since_s", nullptr},
               {"ends_in_s", nullptr},
               {"half_width_s", or_null(phase.half_width_s)}};
  if (!phase.start_ns) return text;
  const double since_s = seconds(now_ns - *phase.start_ns);
  text["since_s"] = since_s;
  if (phase.lasts_s) text["ends_in_s"] = *phase.lasts_s - since_s;
  return text;
}

Json json_of(const RankView& row) {
  Json text = {{"rank", row.rank},
               {"pid", row.pid == 0 ? Json(nullptr) : Json(row.pid)},
               {"here", row.here},
               {"host", row.state ? Json(row.state->host) : Json(nullptr)},
               {"answers", row.state.has_value()},
               {"late_s", or_null(row.late_s)},
               {"half_width_s", or_null(row.half_width_s)},
               {"skew_share", row.skew_share},
               {"transfer_share", row.transfer_share},
               {"calls", nullptr},
               {"in_call_s", nullptr},
               {"phase", nullptr},
               {"call", nullptr}};
  if (!row.state) return text;
  const LiveState& state = *row.state;
  text["calls"] = state.calls;
  text["in_call_s"] = state.in_call_s;
  if (state.phase) text["phase"] = json_of(*state.phase, state.now_ns);
  if (state.present)
    text["call"] = {{"function", state.present->function},
                    {"since_s", seconds(state.now_ns - state.present->since_ns)}};
  return text;
}

}  // namespace

const std::vector<std::string> top_help = {
    "late      how much later than the first this rank came to the latest calls, on",
    "          the average",
    "skew      share of the time in which it waited in calls for ranks that were late",
    "transfer  share of the time in calls after the last had come",
    "now       the phase that it computes, with what PAT_Edge said is done and the",
    "          time that is left or over, or the call that it is in",
    "",
    "s         sorts by late, waits (skew and transfer) or rank",
    "p         pauses, and goes on",
    "h         this text, and back",
    "q         quits; the job goes on"};

void sort_ranks(JobView& view, TopOrder order) {
  std::ranges::stable_sort(view.rank, {}, &RankView::rank);
  if (order == TopOrder::late)  // who says nothing is looked for first
    std::ranges::stable_sort(view.rank, std::greater{}, [](const RankView& row) {
      return std::pair(row.silent, row.late_s.value_or(-1.0));
    });
  if (order == TopOrder::waits) std::ranges::stable_sort(view.rank, std::greater{}, waits);
}

std::vector<std::string> lines_of(const JobView& view, std::size_t width) {
  const auto here = std::ranges::count_if(view.rank, &RankView::here);
  const auto silent = std::ranges::count_if(view.rank, &RankView::silent);
  const auto elsewhere = std::ranges::count_if(
      view.rank, [](const RankView& row) { return !row.here && row.state.has_value(); });
  std::vector<std::string> lines = {
      fmt::format("{} on {}: {} ranks, {} here{}{}", view.job, view.host, view.ranks, here,
                  elsewhere > 0 ? fmt::format(", {} by way of rank 0", elsewhere) : "",
                  silent > 0 ? fmt::format(", {} without an answer", silent) : ""),
      view.calls == 0 ? "no call yet of which all ranks that answer have told"
                      : fmt::format("the latest {} calls, in {}: late after the first; skew, "
                                    "transfer of it",
                                    view.calls, seconds_text(view.span_s)),
      "", fmt::format("{:>5}{:>9}{:>7}{:>10}  now", "rank", "late", "skew", "transfer")};
  for (const RankView& row : view.rank) lines.push_back(line_of(row, width));
  if (!view.decided.empty()) {
    lines.emplace_back();
    lines.push_back(fmt::format("{:>9}  {:<18}  decided last", "calls", "algorithm"));
  }
  for (const LiveState::Decided& one : view.decided) {
    lines.push_back(fmt::format("{:>9}  {:<18}  {}", one.calls, one.algorithm, one.what));
    if (!one.reason.empty()) lines.push_back(fmt::format("{:>11}{}", "", one.reason));
  }
  for (std::string& line : lines) line = cut(printable(line), width);
  return lines;
}

Json json_of(const JobView& view) {
  Json text = {{"job", view.job},         {"host", view.host},     {"processes", view.ranks},
               {"calls", view.calls},     {"span_s", view.span_s}, {"ranks", Json::array()},
               {"decided", Json::array()}};
  for (const RankView& row : view.rank) text["ranks"].push_back(json_of(row));
  for (const LiveState::Decided& one : view.decided)
    text["decided"].push_back({{"what", one.what},
                               {"algorithm", one.algorithm},
                               {"calls", one.calls},
                               {"reason", one.reason}});
  return text;
}

}  // namespace pat
