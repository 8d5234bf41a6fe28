#include "libpat/report/mistakes.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>

#include "analysis/words.hpp"
#include "core/text.hpp"
#include "libpat/mpi/gather_texts.hpp"
#include "libpat/mpi/settings.hpp"

namespace pat::detail {
namespace {

using Json = nlohmann::ordered_json;

CommonMistake& same_as(const Json& mistake, std::vector<CommonMistake>& known) {
  const std::string kind = mistake["kind"], region = mistake["region"];
  const auto found = std::find_if(known.begin(), known.end(), [&](const CommonMistake& one) {
    return one.kind == kind && one.region == region;
  });
  if (found != known.end()) return *found;
  return known.emplace_back(
      CommonMistake{.kind = kind, .region = region, .first = mistake["first"]});
}

}  // namespace

Json describe(const std::vector<Mistake>& mistakes) {
  Json list = Json::array();
  for (const Mistake& one : mistakes)
    list.push_back(
        {{"kind", one.kind}, {"region", one.region}, {"times", one.times}, {"first", one.first}});
  return list;
}

std::vector<CommonMistake> common_mistakes(const Json& processes) {
  std::vector<CommonMistake> common;
  for (const Json& process : processes)
    for (const Json& mistake : process["mistakes"]) {
      CommonMistake& one = same_as(mistake, common);
      one.times += mistake["times"].get<std::uint64_t>();
      one.ranks.push_back(process["rank"]);
    }
  return common;
}

void warn_of_mistakes(MPI_Comm comm, int rank, const std::vector<Mistake>& mistakes) {
  if (!on_any(comm, rank != 0 && !mistakes.empty())) return;
  const Json mine = {{"rank", rank}, {"mistakes", describe(mistakes)}};
  Json processes = Json::array();
  for (const std::string& text :
       gather_texts(comm, mine.dump(-1, ' ', false, Json::error_handler_t::replace)))
    processes.push_back(Json::parse(text));
  std::map<std::string, std::size_t> said;
  for (const CommonMistake& one : common_mistakes(processes)) {
    if (one.ranks.front() == 0) continue;
    const std::size_t names = ++said[one.kind];
    if (names <= Mistakes::most_said)
      spdlog::warn("{}: {} ({} of the kind in all{})", in_words(one.ranks), one.first, one.times,
                   names < Mistakes::most_said ? "" : "; in further regions it is not said");
  }
}

}  // namespace pat::detail
