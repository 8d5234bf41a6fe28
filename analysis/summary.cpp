#include "analysis/summary.hpp"

#include <algorithm>
#include <cstddef>

#include "analysis/words.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr double little = 0.01;     // of the time: nothing to look for
constexpr double most_of_it = 0.5;  // of the waiting

/// Of the waiting, from which on one rank is worth a name: more than its part, and not little.
double named(std::size_t ranks) {
  return std::min(most_of_it, std::max(0.2, 1.5 / static_cast<double>(ranks)));
}

/// " at 'allreduce, 8 bytes, after region solve'", where it is at one place; with its share of all
/// waiting, `all_s`, where most of it is.
std::string where(const Json& findings, const Json& rank, double all_s) {
  for (const Json& culprit : findings.at("culprits"))  // those with most first
    if (culprit.at("rank") == rank.at("rank")) {
      const double here_s = culprit.at("charged_s"), whole_s = rank.at("charged_s");
      if (here_s < most_of_it * whole_s) return ", at several places";
      const std::string place = " at '" + cut_place(culprit.at("place"), longest_place) + "'";
      if (percent_text(here_s / all_s) == percent_text(whole_s / all_s)) return place;
      return ", " + percent_text(here_s / all_s) + place;
    }
  return "";
}

/// " Most of it, 64 %, for rank 3 at 'allreduce, 8 bytes, after region solve': on time ...".
std::string whom(const Json& findings) {
  const Json& ranks = findings.at("ranks");
  const Json* latest = nullptr;
  double all_s = 0.0;
  for (const Json& rank : ranks) {
    const double charged_s = rank.at("charged_s");
    all_s += charged_s;
    if (latest == nullptr || charged_s > latest->at("charged_s").get<double>()) latest = &rank;
  }
  if (all_s <= 0.0) return "";
  const double share = latest->at("charged_s").get<double>() / all_s;
  if (share < named(ranks.size()))
    return " No rank alone makes the others wait: of the waiting at most " + percent_text(share) +
           " is for one.";
  const double saved_s = latest->at("saved_if_on_time_s");
  return (share >= most_of_it ? " Most of it, " : " More than for any other, ") +
         percent_text(share) + ", for rank " + std::to_string(latest->at("rank").get<int>()) +
         where(findings, *latest, all_s) +
         (saved_s > 0.0 ? ": on time it would save " + seconds_text(saved_s) + " of " +
                              seconds_text(findings.at("elapsed_s"))
                        : "") +
         ".";
}

}  // namespace

std::string summary_of(const Json& findings) {
  const Json& share = findings.at("skew_share");
  if (share.is_null())
    return "Nothing was recorded of all processes, so nobody knows who waited for whom.";
  const double waiting = share;
  if (waiting < little)
    return "Processes come together: " + percent_text(waiting) +
           " of their time is waiting for who is late.";
  return percent_text(waiting) + " of the processes' time is waiting for who is late." +
         whom(findings);
}

}  // namespace pat
