#include "core/journal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "core/errors.hpp"
#include "core/run_traces.hpp"
#include "core/seconds.hpp"

namespace pat {
namespace {

using Json = nlohmann::ordered_json;

constexpr int journal_version = 2;
constexpr int most_ranks = 1 << 24;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Names that are no UTF-8 stay apart: other bytes are written as \xE8.
std::string as_utf8(const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
    return text;
  } catch (const Json::exception&) {
  }
  std::string plain;
  for (const char c : text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      plain += c;
    else
      plain.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  return plain;
}

std::string dump_hints(const std::vector<std::pair<std::string, double>>& hints) {
  Json named = Json::object();
  for (const auto& [name, value] : hints) named[name] = value;
  return named.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Number>
void append(std::string& text, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

}  // namespace

Journal::Journal(const Process& process, std::string_view clock)
    : text_(dump({{"pat-journal", journal_version},
                  {"session", process.session},
                  {"rank", process.rank},
                  {"ranks", process.ranks},
                  {"clock", clock}})) {}

std::uint32_t Journal::line(const std::string& key, const std::vector<int>& ranks, Of of) {
  const auto [place, fresh] = line_ids_.try_emplace(key, lines_.size());
  if (!fresh) return place->second;
  lines_.push_back(0);
  recorded_.names += dump(
      {{"line", place->second}, {"key", as_utf8(key)}, {"ranks", ranks}, {"all", of == Of::all}});
  return place->second;
}

std::uint32_t Journal::place(const std::string& name) {
  const auto [known, fresh] = place_ids_.try_emplace(name, place_ids_.size());
  if (fresh) recorded_.names += dump({{"place", known->second}, {"name", as_utf8(name)}});
  return known->second;
}

/// 0 is none.
std::uint32_t Journal::algorithm(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = algorithm_ids_.find(name);
  if (known != algorithm_ids_.end()) return known->second;
  const auto id = static_cast<std::uint32_t>(algorithm_ids_.size() + 1);
  algorithm_ids_.emplace(name, id);
  recorded_.names += dump({{"algorithm", id}, {"name", as_utf8(std::string(name))}});
  return id;
}

void Journal::add(std::uint32_t line, std::uint32_t number, std::uint32_t place,
                  const Entry& entry) {
  if (!entry.hints.empty()) recorded_.hints[recorded_.entries.size()] = dump_hints(entry.hints);
  recorded_.entries.push_back(
      {line, number, place, entry.start_ns, entry.arrival_ns, std::max(0.0, entry.computing_s),
       std::max(entry.left_ns, entry.arrival_ns), algorithm(entry.algorithm),
       static_cast<std::uint32_t>(entry.edges.size())});
  recorded_.edges.insert(recorded_.edges.end(), entry.edges.begin(), entry.edges.end());
}

void Journal::note_drift(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t behind_ns) {
  recorded_.names += dump({{"drift", behind_ns}, {"from", begin_ns}, {"to", end_ns}});
}

bool Journal::write_down(const Hold& hold) {
  const std::lock_guard lock(writing_);
  taken_.names.clear();
  taken_.entries.clear();
  taken_.hints.clear();
  taken_.edges.clear();
  if (!hold([this] { std::swap(taken_, recorded_); })) return false;
  text_ += taken_.names;
  auto hints = taken_.hints.begin();
  std::span<const Edge> edges = taken_.edges;
  for (std::size_t i = 0; i < taken_.entries.size(); ++i) {
    const bool has_hints = hints != taken_.hints.end() && hints->first == i;
    const std::size_t own = taken_.entries[i].edges;
    append_entry(taken_.entries[i], has_hints ? &(hints++)->second : nullptr, edges.first(own));
    edges = edges.subspan(own);
  }
  return true;
}

void Journal::append_entry(const Noted& entry, const std::string* hints,
                           std::span<const Edge> edges) {
  text_ += '[';
  for (const std::uint32_t field : {entry.line, entry.number, entry.place}) {
    append(text_, field);
    text_ += ',';
  }
  for (const std::int64_t time_ns : {entry.start_ns, entry.arrival_ns}) {
    append(text_, time_ns);
    text_ += ',';
  }
  append(text_, entry.computing_s);
  text_ += ',';
  append(text_, entry.left_ns);
  text_ += ',';
  append(text_, entry.algorithm);
  if (hints != nullptr) text_ += ',' + *hints;
  if (!edges.empty()) {
    text_ += ",[";
    for (const Edge& edge : edges) {
      append(text_, int{edge.percent});
      text_ += ',';
      append(text_, edge.time_s);
      text_ += ',';
    }
    text_.back() = ']';
  }
  text_ += "]\n";
}

std::string Journal::text(std::size_t from) const {
  const std::lock_guard lock(writing_);
  return text_.substr(from);
}

std::string journal_summary(std::string_view json) {
  return std::string(R"({"summary":)").append(json).append("}\n");
}

// ---------------------------------------------------------------- joining

namespace {

struct Part {
  std::uint32_t number = 0, place = 0, algorithm = 0;
  std::int64_t start_ns = 0, arrival_ns = 0, left_ns = 0;
  double computing_s = 0.0;
  std::unique_ptr<std::map<std::string, double>> hints;  // few have any
  std::vector<Journal::Edge> edges = {};
};

/// The entries of one process on one line of its own.
struct PartLine {
  std::string key;
  std::vector<int> ranks;
  bool all = true;
  std::vector<Part> parts;
};

}  // namespace

struct JournalJoin::Process {
  std::int64_t session = 0;
  int rank = -1, ranks = 0;
  std::string clock, summary;
  std::vector<PartLine> lines;
  std::vector<std::string> places, algorithms{""};
  std::int64_t drift_from_ns = 0, drift_to_ns = 0, behind_ns = 0;

  bool drifted() const { return drift_to_ns > drift_from_ns; }
  /// What the others' clocks showed then.
  std::int64_t corrected(std::int64_t time_ns) const {
    const double share = static_cast<double>(time_ns - drift_from_ns) /
                         static_cast<double>(drift_to_ns - drift_from_ns);
    return time_ns + std::llround(share * static_cast<double>(behind_ns));
  }
};

/// Reads one journal.
class JournalJoin::Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Process read(std::string_view text) {
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;) {
      ++line_;
      try {
        take(Json::parse(text.substr(0, end)));
      } catch (const Json::exception&) {
        fail("is not what a journal holds");
      }
      text.remove_prefix(end + 1);
    }
    if (process_.drifted()) correct_times();
    for (PartLine& line : process_.lines)
      std::sort(line.parts.begin(), line.parts.end(),
                [](const Part& a, const Part& b) { return a.number < b.number; });
    return std::move(process_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::io, name_ + ": line " + std::to_string(line_) + " " + what);
  }

  void take(const Json& line) {
    if (line_ == 1) return head(line);
    if (line.is_array()) return entry(line);
    if (line.contains("line")) return new_line(line);
    if (line.contains("summary"))
      process_.summary = line["summary"].dump();
    else if (line.contains("drift"))
      drift(line);
    else if (line.contains("algorithm"))
      new_algorithm(line);
    else if (whole<std::size_t>(line.at("place")) == process_.places.size())
      process_.places.push_back(line.at("name"));
    else
      fail("skips a place");
  }

  template <class Integer>
  Integer whole(const Json& value) const {
    constexpr auto most = static_cast<std::int64_t>(
        std::min<std::uint64_t>(std::numeric_limits<Integer>::max(), std::uint64_t{1} << 61));
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() ||
                       value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)) &&
                      value.get<std::int64_t>() >= (std::is_signed_v<Integer> ? -most : 0) &&
                      value.get<std::int64_t>() <= most;
    if (!fits) fail("has a number that is none of a journal");
    return static_cast<Integer>(value.get<std::int64_t>());
  }

  void head(const Json& line) {
    if (line.at("pat-journal") != journal_version) fail("is of another version of PAT");
    process_.session = whole<std::int64_t>(line.at("session"));
    process_.ranks = whole<int>(line.at("ranks"));
    if (process_.ranks > most_ranks) fail("has more processes than there can be");
    const int rank = whole<int>(line.at("rank"));
    if (rank < 0 || rank >= process_.ranks) fail("has a rank that is not in its session");
    process_.rank = rank;
    process_.clock = line.at("clock");
  }

  void new_line(const Json& line) {
    if (whole<std::size_t>(line.at("line")) != process_.lines.size()) fail("skips a line");
    PartLine made{line.at("key"), {}, line.at("all"), {}};
    for (const Json& rank : line.at("ranks")) {
      made.ranks.push_back(whole<int>(rank));
      if (made.ranks.back() < 0 || made.ranks.back() >= process_.ranks)
        fail("has a rank that is not in its session");
    }
    process_.lines.push_back(std::move(made));
  }

  void new_algorithm(const Json& line) {
    if (whole<std::size_t>(line.at("algorithm")) != process_.algorithms.size())
      fail("skips an algorithm");
    process_.algorithms.push_back(line.at("name"));
  }

  void entry(const Json& fields) {
    Part part{whole<std::uint32_t>(fields.at(1)),
              whole<std::uint32_t>(fields.at(2)),
              whole<std::uint32_t>(fields.at(7)),
              whole<std::int64_t>(fields.at(3)),
              whole<std::int64_t>(fields.at(4)),
              whole<std::int64_t>(fields.at(6)),
              fields.at(5),
              nullptr};
    if (part.algorithm >= process_.algorithms.size()) fail("has an algorithm that was not named");
    if (part.place >= process_.places.size()) fail("has a place that was not named");
    if (!(part.computing_s >= 0.0) || std::isinf(part.computing_s))
      fail("has a computing time that is none");
    for (std::size_t i = 8; i < fields.size(); ++i)
      if (fields[i].is_array())
        part.edges = edges(fields[i]);
      else
        part.hints = std::make_unique<std::map<std::string, double>>(
            fields[i].get<std::map<std::string, double>>());
    process_.lines.at(check_line(whole<std::size_t>(fields.at(0))))
        .parts.push_back(std::move(part));
  }

  /// Percent and time in turn.
  std::vector<Journal::Edge> edges(const Json& values) const {
    std::vector<Journal::Edge> all;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      const auto percent = whole<std::uint8_t>(values[i]);
      const float time_s = values[i + 1];
      if (percent < 1 || percent > 99 || !(time_s >= 0.0F) || std::isinf(time_s))
        fail("has an edge that is none");
      all.push_back({percent, time_s});
    }
    return all;
  }

  void drift(const Json& line) {
    process_.behind_ns = whole<std::int64_t>(line.at("drift"));
    process_.drift_from_ns = whole<std::int64_t>(line.at("from"));
    process_.drift_to_ns = whole<std::int64_t>(line.at("to"));
    const std::int64_t between = process_.drift_to_ns - process_.drift_from_ns;
    if (between <= 0 || std::abs(process_.behind_ns) > between / 10)
      fail("has a drift that is none");
  }

  void correct_times() {
    for (PartLine& line : process_.lines)
      for (Part& part : line.parts)
        for (std::int64_t* time_ns : {&part.start_ns, &part.arrival_ns, &part.left_ns})
          *time_ns = process_.corrected(*time_ns);
  }

  std::size_t check_line(std::size_t line) const {
    if (line >= process_.lines.size()) fail("has a line that was not begun");
    return line;
  }

  const std::string& name_;
  int line_ = 0;
  Process process_;
};

namespace {

/// One iteration of a group of processes.
struct Row {
  std::int64_t start_ns;  ///< the first of all
  const std::string *place, *algorithm;
  std::vector<const Part*> parts;
};

struct Member {
  int rank;
  const PartLine* line;
  const std::vector<std::string>*places, *algorithms;
};

/// A process whose phase before the call was too short has noted less of the place than others.
bool tells_more(const std::string& place, const std::string& than) {
  return place.size() > than.size() && place.starts_with(than);
}

/// The entries that have the same number on all processes.
void add_rows(const std::vector<Member>& members, std::vector<Row>& rows) {
  std::vector<std::size_t> next(members.size(), 0);
  for (const Part& first : members.front().line->parts) {
    Row row{first.start_ns,
            &(*members.front().places)[first.place],
            &(*members.front().algorithms)[first.algorithm],
            {}};
    for (std::size_t m = 0; m < members.size(); ++m) {
      const std::vector<Part>& parts = members[m].line->parts;
      while (next[m] < parts.size() && parts[next[m]].number < first.number) ++next[m];
      if (next[m] == parts.size()) return;
      if (parts[next[m]].number != first.number) break;
      row.parts.push_back(&parts[next[m]]);
      const std::string& place = (*members[m].places)[parts[next[m]].place];
      if (tells_more(place, *row.place)) row.place = &place;
      row.start_ns = std::min(row.start_ns, parts[next[m]].start_ns);
    }
    if (row.parts.size() == members.size()) rows.push_back(std::move(row));
  }
}

using Lines = std::map<int, std::map<std::string, Member>>;  // by rank and key

/// The processes of a line, in the order of its ranks; none if one is missing that it needs.
std::vector<Member> members_of(const PartLine& line, const Lines& lines) {
  std::vector<Member> members;
  for (const int rank : line.ranks) {
    const auto process = lines.find(rank);
    if (process != lines.end() && process->second.contains(line.key))
      members.push_back(process->second.at(line.key));
    else if (line.all)
      return {};
  }
  return members;
}

void name_places(Trace& trace, const std::vector<Row>& rows) {
  std::vector<const std::string*> known;
  std::map<std::string_view, int> numbers;
  for (const Row& row : rows) {
    const auto [place, fresh] = numbers.try_emplace(*row.place, static_cast<int>(known.size()));
    if (fresh) known.push_back(row.place);
    trace.place.push_back(place->second);
  }
  if (known.size() == 1) trace.region = *known.front();
  if (known.size() < 2) {
    trace.place.clear();
    return;
  }
  trace.region = "all calls of these processes";
  for (const std::string* name : known) trace.places.push_back(*name);
}

/// Nothing where of no row it is known.
void name_algorithms(Trace& trace, const std::vector<Row>& rows) {
  std::map<std::string_view, int> known{{"", -1}};
  for (const Row& row : rows) {
    const auto [place, fresh] =
        known.try_emplace(*row.algorithm, static_cast<int>(trace.algorithms.size()));
    if (fresh) trace.algorithms.push_back(*row.algorithm);
    trace.algorithm.push_back(place->second);
  }
  if (trace.algorithms.empty()) trace.algorithm.clear();
}

void add_hints(Trace& trace, const std::vector<Row>& rows) {
  std::set<std::string> names;
  for (const Row& row : rows)
    for (const Part* part : row.parts)
      if (part->hints)
        for (const auto& [name, value] : *part->hints) names.insert(name);
  for (const std::string& name : names) {
    Trace::Hint hint{name, {}};
    for (const Row& row : rows)
      for (const Part* part : row.parts) {
        const bool given = part->hints && part->hints->contains(name);
        hint.value.push_back(given ? part->hints->at(name)
                                   : std::numeric_limits<double>::quiet_NaN());
      }
    trace.hints.push_back(std::move(hint));
  }
}

/// The shares that were said most often, in order.
std::vector<std::uint8_t> usual_edges(const std::vector<Row>& rows) {
  std::array<std::size_t, 100> said{};
  for (const Row& row : rows)
    for (const Part* part : row.parts)
      for (const Journal::Edge& edge : part->edges) ++said[edge.percent];
  std::vector<std::uint8_t> usual;
  for (std::uint8_t percent = 1; percent < 100; ++percent)
    if (said[percent] > 0) usual.push_back(percent);
  std::stable_sort(usual.begin(), usual.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return said[a] > said[b]; });
  usual.resize(std::min(usual.size(), Trace::Edge::most));
  std::sort(usual.begin(), usual.end());
  return usual;
}

void add_edges(Trace& trace, const std::vector<Row>& rows) {
  for (const std::uint8_t percent : usual_edges(rows)) {
    Trace::Edge edge{percent / 100.0, {}};
    for (const Row& row : rows)
      for (const Part* part : row.parts) {
        const auto said = std::find_if(part->edges.begin(), part->edges.end(),
                                       [&](const auto& one) { return one.percent == percent; });
        edge.time_s.push_back(said != part->edges.end() ? double{said->time_s}
                                                        : std::numeric_limits<double>::quiet_NaN());
      }
    trace.edges.push_back(std::move(edge));
  }
}

Trace trace_of(std::vector<Row>& rows, int ranks, const std::string& clock) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.start_ns < b.start_ns; });
  Trace trace;
  trace.ranks = ranks;
  trace.clock = clock;
  trace.origin = "PAT_TRACE";
  for (const Row& row : rows) {
    trace.start_s.push_back(seconds(row.start_ns - rows.front().start_ns));
    for (const Part* part : row.parts) {
      trace.arrival_s.push_back(std::max(0.0, seconds(part->arrival_ns - row.start_ns)));
      trace.left_s.push_back(std::max(0.0, seconds(part->left_ns - row.start_ns)));
      trace.computing_s.push_back(part->computing_s);
    }
  }
  name_places(trace, rows);
  name_algorithms(trace, rows);
  add_hints(trace, rows);
  add_edges(trace, rows);
  return trace;
}

using Groups = std::map<std::vector<int>, std::vector<Row>>;

Groups group(const Lines& lines) {
  std::map<std::string, const PartLine*> keys;
  for (const auto& [rank, by_key] : lines)
    for (const auto& [key, member] : by_key) keys.try_emplace(key, member.line);
  Groups groups;
  for (const auto& [key, line] : keys) {
    const std::vector<Member> members = members_of(*line, lines);
    if (members.empty()) continue;
    std::vector<int> ranks;
    for (const Member& member : members) ranks.push_back(member.rank);
    add_rows(members, groups[ranks]);
  }
  std::erase_if(groups, [](const auto& group) { return group.second.empty(); });
  return groups;
}

/// All processes of the session first, then those with most rows.
std::vector<Groups::value_type*> in_order(Groups& groups, int ranks) {
  std::vector<Groups::value_type*> order;
  for (auto& group : groups) order.push_back(&group);
  const auto size = [&](const auto* group) {
    return std::pair(static_cast<int>(group->first.size()) == ranks, group->second.size());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return size(a) > size(b); });
  return order;
}

}  // namespace

JournalJoin::JournalJoin(std::string name) : name_(std::move(name)) {}
JournalJoin::~JournalJoin() = default;

void JournalJoin::add(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return;  // it was just begun
  Process process = Reader(name_).read(text);
  for (const Process& other : processes_)
    if (other.session != process.session || other.ranks != process.ranks ||
        other.rank == process.rank)
      throw Error(ErrorKind::io,
                  name_ + ": the journals are of several sessions, join those of one");
  processes_.push_back(std::move(process));
}

JoinedJournals JournalJoin::result() const {
  JoinedJournals joined;
  if (processes_.empty()) return joined;
  joined.ranks = processes_.front().ranks;
  joined.summaries.resize(static_cast<std::size_t>(joined.ranks));
  joined.complete = static_cast<int>(processes_.size()) == joined.ranks;
  Lines lines;
  for (const Process& process : processes_) {
    if (process.summary.empty()) joined.complete = false;
    joined.summaries[static_cast<std::size_t>(process.rank)] = process.summary;
    for (const PartLine& line : process.lines)
      if (!line.parts.empty())
        lines[process.rank][line.key] = {process.rank, &line, &process.places, &process.algorithms};
  }
  const bool drifted = std::any_of(processes_.begin(), processes_.end(),
                                   [](const Process& one) { return one.drifted(); });
  const std::string clock =
      processes_.front().clock + (drifted ? " at both ends, drift taken out" : "");
  Groups groups = group(lines);
  for (auto* group : in_order(groups, joined.ranks)) {
    const std::vector<int>& ranks = group->first;
    Trace trace = trace_of(group->second, static_cast<int>(ranks.size()), clock);
    if (static_cast<int>(ranks.size()) != joined.ranks)
      trace.remarks.push_back(members_remark(ranks));
    joined.traces.push_back(std::move(trace));
    joined.groups.push_back(ranks);
  }
  return joined;
}

}  // namespace pat
