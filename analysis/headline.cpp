#include "analysis/headline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/words.hpp"
#include "core/printable.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t columns = 80, culprits_shown = 6, advice_shown = 4, changes_shown = 2;
constexpr int most_lines = 21;

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// Nothing where it was not measured, and in older reports.
void print_gain(const Json& found, std::ostream& out) {
  if (!found.contains("gained_s") || found["gained_s"].is_null()) return;
  const double value_s = found["gained_s"], lower_s = found["gained_lower_s"],
               upper_s = found["gained_upper_s"];
  out << "against MPI's own collectives: " << (value_s < 0.0 ? "lost " : "gained ")
      << seconds_text(std::abs(value_s)) << " elapsed (";
  if (lower_s <= 0.0 && upper_s >= 0.0) {
    out << "may be nothing)\n";
    return;
  }
  const auto [least, most] = std::minmax({std::abs(lower_s), std::abs(upper_s)});
  out << seconds_text(least) << " to " << seconds_text(most) << ")\n";
}

void print_sums(const Json& found, std::ostream& out) {
  const double skew_s = found.at("skew_s");
  if (found.at("skew_share").is_null()) {
    out << "waiting for who is late: not measured, nothing was recorded of all processes\n";
    return;
  }
  out << "waiting for who is late: " << percent_text(found.at("skew_share"))
      << " of the processes' time (" << seconds_text(skew_s) << " of all ranks)\n";
  if (found.at("recoverable_skew_s").is_null())
    out << "  how much of it could carry data is not known: no call has a bound\n";
  else if (skew_s > 0.0)
    out << "  of it " << percent_text(found.at("recoverable_skew_s").get<double>() / skew_s)
        << " could still carry data (bound), "
        << percent_text(found.at("balance_only_skew_s").get<double>() / skew_s)
        << " only balance removes\n";
  if (!found.at("transfer_s").is_null())
    out << "transfer in collectives: " << seconds_text(found.at("transfer_s")) << " of all ranks\n";
  if (found.contains("in_messages_s") && found["in_messages_s"].is_number())
    out << "waiting before collectives, in messages most likely: "
        << seconds_text(found["in_messages_s"]) << " of all ranks\n";
  print_gain(found, out);
  if (found.at("load_balance").is_null()) {
    out << "efficiency: not measured, computing phases were not recorded or too short\n";
    return;
  }
  out << "efficiency: load balance " << percent_text(found.at("load_balance")) << ", communication "
      << percent_text(found.at("communication_efficiency")) << ", parallel "
      << percent_text(found.at("parallel_efficiency")) << "\n";
}

/// "gather, root 0, 64 bytes, after region solve" to "gather, root 0, 64 B; solve".
std::string brief(std::string place) {
  const auto replace = [&](std::string_view long_form, std::string_view short_form) {
    const std::size_t at = place.find(long_form);
    if (at != std::string::npos) place.replace(at, long_form.size(), short_form);
  };
  replace(" bytes", " B");
  replace(", after region ", "; ");
  return printable(place);
}

void print_culprits(const Json& found, std::ostream& out) {
  const Json& culprits = found.at("culprits");
  if (culprits.empty()) return;
  out << "  rank others wait  share saves if on time  where: call; region\n";
  for (std::size_t i = 0; i < std::min(culprits_shown, culprits.size()); ++i) {
    const Json& one = culprits[i];
    std::string line = padded(std::to_string(one.at("rank").get<int>()), 6) +
                       padded(seconds_text(one.at("charged_s")), 12) +
                       padded(percent_text(one.at("share")), 7) +
                       padded(seconds_text(one.at("saved_if_on_time_s")), 17) + "  ";
    out << line << cut_place(brief(one.at("place")), columns - line.size()) << "\n";
  }
}

/// A rank that became slower, or faster, for good or for a while. Calls count from 0, as maps do.
void print_change(const Json& one, std::ostream& out) {
  const double size_s = one.at("size_s");
  const int first = one.at("first_call"), last = first + one.at("calls").get<int>() - 1;
  const std::string line =
      "rank " + std::to_string(one.at("rank").get<int>()) +
      (size_s > 0.0 ? " slower by " : " faster by ") + seconds_text(std::abs(size_s)) +
      " a call, " +
      (one.at("for_good").get<bool>()
           ? "for good from call " + std::to_string(first)
           : "for a while: calls " + std::to_string(first) + " to " + std::to_string(last)) +
      "  ";
  out << line << cut_place(brief(one.at("place")), columns - std::min(columns, line.size()))
      << "\n";
}

/// At most three lines of the width.
std::string wrapped(const std::string& text) {
  std::string lines, rest = text;
  const auto room = columns - 2;
  const char* begin = "- ";
  for (int line = 0; line < 2 && rest.size() > room; ++line) {
    std::size_t end = rest.rfind(' ', room);
    if (end == std::string::npos || end == 0) end = room;
    lines.append(std::exchange(begin, "  ")).append(rest, 0, end).append("\n");
    rest = rest.substr(rest[end] == ' ' ? end + 1 : end);
  }
  return lines + begin + cut(rest, room) + "\n";
}

/// The first of what would help, as much of it as the room has lines.
void print_advice(const Json& advice, std::ptrdiff_t room, std::ostream& out) {
  if (advice.empty()) return;
  out << "what would help, elapsed time (from 1 % of it and 1 ms on):\n";
  --room;
  for (std::size_t i = 0; i < std::min(advice_shown, advice.size()); ++i) {
    const std::string lines =
        wrapped(printable(advice[i].at("sentence").get_ref<const std::string&>()));
    room -= std::ranges::count(lines, '\n');
    if (room < 0) return;
    out << lines;
  }
}

}  // namespace

void print_headline(const Json& findings, std::ostream& out) {
  std::ostringstream head;
  print_sums(findings, head);
  print_culprits(findings, head);
  const Json changes = findings.value("level_changes", Json::array());  // older reports have none
  for (std::size_t i = 0; i < std::min(changes_shown, changes.size()); ++i)
    print_change(changes[i], head);
  out << head.str();
  print_advice(findings.at("advice"), most_lines - std::ranges::count(head.str(), '\n'), out);
}

}  // namespace pat
