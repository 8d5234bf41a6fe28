#include "analysis/summary.hpp"

#include "analysis/words.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr double little = 0.01;     // of the time: nothing to look for
constexpr double most_of_it = 0.5;  // of the waiting
constexpr double named = 0.2;       // of the waiting, from which on one rank is worth a name
constexpr std::size_t longest_place = 90;

/// "Most of it (64 %) for rank 3 at 'allreduce, 8 bytes, after region solve', ...".
std::string whom(const Json& findings) {
  const Json& culprits = findings.at("culprits");
  if (culprits.empty()) return "";
  const Json& first = culprits[0];
  const double share = first.at("share");
  if (share < named)
    return " No rank alone makes the others wait: of the waiting at most " + percent_text(share) +
           " is for one at one place.";
  const double saved_s = first.at("saved_if_on_time_s");
  return (share >= most_of_it ? " Most of it, " : " More than for any other, ") +
         percent_text(share) + ", for rank " + std::to_string(first.at("rank").get<int>()) +
         " at '" + cut_place(first.at("place"), longest_place) + "'" +
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
