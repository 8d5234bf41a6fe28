#include "core/live_state.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

/// Whoever reads another version says so, in place of guessing.
constexpr int live_version = 8;

/// So many of `made` have room wherever `entered` has.
constexpr std::ptrdiff_t least_made = 4;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> read_optional(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

Json json_of(const LiveState::Phase& phase) {
  return {{"region", phase.region},
          {"paused", phase.paused},
          {"start_ns", or_null(phase.start_ns)},
          {"fraction", or_null(phase.fraction)},
          {"lasts_s", or_null(phase.lasts_s)},
          {"half_width_s", or_null(phase.half_width_s)},
          {"longest_s", or_null(phase.longest_s)},
          {"thread", phase.thread},
          {"seen_at", phase.seen_at},
          {"before", phase.before}};
}

LiveState::Phase read_phase(const Json& phase) {
  return {phase.at("region"),
          phase.at("paused"),
          read_optional<std::int64_t>(phase.at("start_ns")),
          read_optional<double>(phase.at("fraction")),
          read_optional<double>(phase.at("lasts_s")),
          read_optional<double>(phase.at("half_width_s")),
          read_optional<double>(phase.at("longest_s")),
          phase.at("thread"),
          phase.at("seen_at"),
          phase.at("before")};
}

Json json_of(const LiveState::Place& place) {
  return {{"communicator", place.communicator}, {"group", place.group}, {"number", place.number}};
}

LiveState::Place read_place(const Json& place) {
  return {place.at("communicator"), place.at("group"), place.at("number")};
}

Json json_of(const LiveState::Present& call) {
  return {{"function", call.function},
          {"since_ns", call.since_ns},
          {"what", call.what},
          {"site", call.site},
          {"place", call.place ? json_of(*call.place) : Json(nullptr)},
          {"ranks", call.ranks}};
}

LiveState::Present read_present(const Json& call) {
  LiveState::Present read{call.at("function"), call.at("since_ns"), call.at("what"),
                          call.at("site"),     std::nullopt,        call.at("ranks")};
  if (!call.at("place").is_null()) read.place = read_place(call.at("place"));
  return read;
}

Json json_of(const LiveState::Left& call) {
  return {{"function", call.function}, {"site", call.site}, {"exit_ns", call.exit_ns}};
}

LiveState::Left read_left(const Json& call) {
  return {call.at("function"), call.at("site"), call.at("exit_ns")};
}

Json json_of(const LiveState::Made& calls) {
  Json text = json_of(calls.first);
  text["last"] = calls.last;
  text["function"] = calls.function;
  text["what"] = calls.what;
  text["site"] = calls.site;
  return text;
}

LiveState::Made read_made(const Json& calls) {
  return {read_place(calls), calls.at("last"), calls.at("function"), calls.at("what"),
          calls.at("site")};
}

/// That of a damaged text may be anything.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// Most calls are of few series, which are named once: of each a call has the place in that list.
/// Times before now, as short numbers.
void put_past(Json& text, const LiveState& state) {
  std::vector<Json> series;
  Json past = Json::array();
  for (const LiveState::Past& call : state.past) {
    const Json one = {call.communicator, call.group, call.what, call.algorithm};
    const auto found = std::ranges::find(series, one);
    const auto place = found - series.begin();
    if (found == series.end()) series.push_back(one);
    past.push_back({place, call.number, minus(state.now_ns, call.arrival_ns),
                    minus(state.now_ns, call.exit_ns)});
  }
  text["series"] = std::move(series);
  text["past"] = std::move(past);
}

LiveState::Past read_past(const Json& call, const Json& all_series, std::int64_t now_ns) {
  const Json& series = all_series.at(call.at(0).get<std::size_t>());
  const std::int64_t before_arrival_ns = call.at(2), before_exit_ns = call.at(3);
  return {series.at(0),
          series.at(1),
          call.at(1),
          series.at(2),
          series.at(3),
          minus(now_ns, before_arrival_ns),
          minus(now_ns, before_exit_ns)};
}

Json json_of(const LiveState::Decided& one) {
  return {{"what", one.what},
          {"algorithm", one.algorithm},
          {"reason", one.reason},
          {"calls", one.calls},
          {"exit_ns", one.exit_ns}};
}

LiveState::Decided read_decided(const Json& one) {
  return {one.at("what"), one.at("algorithm"), one.at("reason"), one.at("calls"),
          one.at("exit_ns")};
}

Json json_of(const LiveState::Foretold& one) {
  Json widths = Json::array();
  for (const auto& width : one.half_width_s) widths.push_back(or_null(width));
  return {{"what", one.what},
          {"ranks", one.ranks},
          {"offset_s", one.offset_s},
          {"half_width_s", widths}};
}

LiveState::Foretold read_foretold(const Json& one) {
  LiveState::Foretold read{one.at("what"), one.at("ranks"), one.at("offset_s"), {}};
  for (const Json& width : one.at("half_width_s"))
    read.half_width_s.push_back(read_optional<double>(width));
  if (read.offset_s.size() != read.ranks.size() || read.half_width_s.size() != read.ranks.size())
    throw Error(ErrorKind::io, "a process foretells the arrivals of other ranks than it names");
  return read;
}

LiveState read(const Json& text) {
  if (text.at("version") != live_version)
    throw Error(ErrorKind::io,
                "a process speaks another version than this command, use the `pat` of the PAT that "
                "the program runs with");
  LiveState state;
  state.job = text.at("job");
  state.host = text.at("host");
  state.rank = text.at("rank");
  state.ranks = text.at("ranks");
  state.pid = text.at("pid");
  state.now_ns = text.at("now_ns");
  state.wall_s = text.at("wall_s");
  state.in_call_s = text.at("in_call_s");
  state.calls = text.at("calls");
  state.silent_s = read_optional<double>(text.at("silent_s"));
  if (!text.at("phase").is_null()) state.phase = read_phase(text["phase"]);
  if (!text.at("present").is_null()) state.present = read_present(text["present"]);
  state.waits_in = text.at("waits_in");
  state.waits_since_ns = text.at("waits_since_ns");
  if (!text.at("left").is_null()) state.left = read_left(text["left"]);
  for (const Json& place : text.at("entered")) state.entered.push_back(read_place(place));
  state.all_entered = text.at("all_entered");
  for (const Json& calls : text.at("made")) state.made.push_back(read_made(calls));
  for (const Json& call : text.at("past"))
    state.past.push_back(read_past(call, text.at("series"), state.now_ns));
  for (const Json& one : text.at("decided")) state.decided.push_back(read_decided(one));
  for (const Json& one : text.at("foretold")) state.foretold.push_back(read_foretold(one));
  if (state.rank < 0 || state.ranks <= state.rank)
    throw Error(ErrorKind::io, "a process names itself rank " + std::to_string(state.rank) +
                                   " of " + std::to_string(state.ranks));
  return state;
}

}  // namespace

std::string text_of(const LiveState& state) {
  Json text = {{"version", live_version},
               {"job", state.job},
               {"host", state.host},
               {"rank", state.rank},
               {"ranks", state.ranks},
               {"pid", state.pid},
               {"now_ns", state.now_ns},
               {"wall_s", state.wall_s},
               {"in_call_s", state.in_call_s},
               {"calls", state.calls},
               {"silent_s", or_null(state.silent_s)},
               {"phase", state.phase ? json_of(*state.phase) : Json(nullptr)},
               {"present", state.present ? json_of(*state.present) : Json(nullptr)},
               {"waits_in", state.waits_in},
               {"waits_since_ns", state.waits_since_ns},
               {"left", state.left ? json_of(*state.left) : Json(nullptr)},
               {"entered", Json::array()},
               {"all_entered", state.all_entered},
               {"made", Json::array()},
               {"decided", Json::array()},
               {"foretold", Json::array()}};
  for (const auto& place : state.entered) text["entered"].push_back(json_of(place));
  for (const auto& calls : state.made) text["made"].push_back(json_of(calls));
  put_past(text, state);
  for (const auto& one : state.decided) text["decided"].push_back(json_of(one));
  for (const auto& one : state.foretold) text["foretold"].push_back(json_of(one));
  return text.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string text_of(LiveState state, std::size_t most) {
  state.foretold.clear();
  state.decided.clear();
  std::string text = text_of(state);
  if (text.size() > most && std::ssize(state.made) > least_made) {
    state.made.erase(state.made.begin(), state.made.end() - least_made);
    text = text_of(state);
  }
  while (text.size() > most && !state.past.empty()) {
    const auto dropped = static_cast<std::ptrdiff_t>(1 + state.past.size() / 8);
    state.past.erase(state.past.begin(), state.past.begin() + dropped);
    text = text_of(state);
  }
  if (text.size() > most) {
    state.entered.clear();
    state.made.clear();
    state.all_entered = false;
    text = text_of(state);
  }
  return text.size() <= most ? text : std::string();
}

LiveState read_live_state(const std::string& text) try {
  return read(Json::parse(text));
} catch (const Json::exception&) {
  throw Error(ErrorKind::io, "a process answers something else than its state");
}

}  // namespace pat
