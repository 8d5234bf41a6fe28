#include "core/trace.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/journal_files.hpp"
#include "core/whole_file.hpp"

namespace pat {
namespace {

constexpr std::string_view first_line = "# pat-trace 1";
constexpr std::size_t max_ranks = std::size_t{1} << 24;
constexpr double longest_time_s = 1e9;  // so that sums and squares stay finite

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Parser {
 public:
  Parser(std::istream& input, const std::string& name) : input_(input), name_(name) {}

  Trace run() {
    std::string line;
    if (!std::getline(input_, line) || trim(line) != first_line) {
      line_ = 1;
      fail("the file does not begin with '" + std::string(first_line) +
           "', give what PAT_TRACE=FILE writes; `pat trace import` makes a trace of a table of "
           "times or an OTF2 archive, but not of what `pat trace export` writes for viewers");
    }
    line_ = 1;
    while (std::getline(input_, line)) {
      ++line_;
      const bool whole = !input_.eof();  // the newline was there
      const std::string_view text = trim(line);
      if (text.empty()) continue;
      if (!whole && open_) break;  // the writer was stopped within this line
      if (text.front() == '#')
        header(trim(text.substr(1)));
      else
        row(text);
    }
    finish();
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const {
    throw Error(ErrorKind::io, name_ + ", line " + std::to_string(line_) + ": " + sentence);
  }

  void header(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view key = text.substr(0, colon);
    const std::string value(colon == std::string_view::npos ? "" : trim(text.substr(colon + 1)));
    if (key == "P")
      ranks(value);
    else if (key == "iterations")
      iterations(value);
    else if (key == "unit")
      unit(value);
    else if (key == "region")
      trace_.region = value;
    else if (key == "clock")
      trace_.clock = value;
    else if (key == "origin")
      trace_.origin = value;
    else if (key == "block")
      block(value);
    else if (key == "place")
      trace_.places.push_back(value);
    else if (key == "algorithm")
      trace_.algorithms.push_back(value);
    else
      trace_.remarks.emplace_back(text);
  }

  void ranks(const std::string& value) {
    const auto number = parse_number<std::size_t>(value);
    if (!number || *number < 1 || *number > max_ranks)
      fail("P is '" + value + "', give the number of ranks");
    if (trace_.ranks != 0) fail("P is given twice");
    trace_.ranks = static_cast<int>(*number);
  }

  void iterations(const std::string& value) {
    open_ = value == "open";
    if (open_) return;
    iterations_ = parse_number<std::size_t>(value);
    if (!iterations_) fail("iterations is '" + value + "', give their number, or open");
  }

  void unit(const std::string& value) {
    if (value == "s")
      unit_s_ = 1.0;
    else if (value == "ms")
      unit_s_ = 1e-3;
    else if (value == "us")
      unit_s_ = 1e-6;
    else if (value == "ns")
      unit_s_ = 1e-9;
    else
      fail("the unit is '" + value + "', it can be s, ms, us or ns");
  }

  void block(const std::string& value) {
    const std::string hint = "hint ", edge = "edge ";
    if (value == "arrival") {
      block_ = Block::arrival;
    } else if (value == "computing") {
      block_ = Block::computing;
    } else if (value == "left") {
      block_ = Block::left;
    } else if (value == "start") {
      block_ = Block::start;
    } else if (value == "algorithm") {
      block_ = Block::algorithm;
    } else if (value == "place") {
      block_ = Block::place;
    } else if (value.starts_with(hint)) {
      block_ = Block::hint;
      trace_.hints.push_back({std::string(trim(value.substr(hint.size()))), {}});
    } else if (value.starts_with(edge)) {
      block_ = Block::edge;
      trace_.edges.push_back({fraction(trim(std::string_view(value).substr(edge.size()))), {}});
    } else {
      fail("the block is '" + value +
           "', it can be arrival, computing, left, start, place, algorithm, "
           "'hint NAME' or 'edge FRACTION'");
    }
  }

  double fraction(std::string_view word) const {
    const auto value = parse_number<double>(word);
    if (!value || !(*value > 0.0 && *value < 1.0))
      fail(std::string(1, '\'').append(word).append(
          "' is no share of a phase, give one above 0 and below 1"));
    const double rounded = rounded_fraction(*value);
    for (const Trace::Edge& other : trace_.edges)
      if (other.fraction == rounded)
        fail("the edge " + std::string(word) + " is there twice, edges count to 0.01");
    if (trace_.edges.size() == Trace::Edge::most)
      fail("there are more than " + std::to_string(Trace::Edge::most) + " edges");
    return rounded;
  }

  void row(std::string_view text) {
    if (trace_.ranks == 0) fail("times come before the line '# P: ...'");
    int count = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
      value(text.substr(0, end));
      ++count;
      text.remove_prefix(end);
      text.remove_prefix(std::min(text.find_first_not_of(" \t,"), text.size()));
    }
    if (is_of_iterations() && count != 1)
      fail("the line has " + std::to_string(count) + " values, it is the " + name_of_block() +
           " of one iteration");
    if (!is_of_iterations() && count != trace_.ranks)
      fail("the line has " + std::to_string(count) + " times, P is " +
           std::to_string(trace_.ranks) + "; if the file was cut, take the line out");
  }

  /// One value a line.
  bool is_of_iterations() const {
    return block_ == Block::place || block_ == Block::start || block_ == Block::algorithm;
  }
  std::string name_of_block() const {
    return block_ == Block::place ? "place" : block_ == Block::start ? "start" : "algorithm";
  }

  void value(std::string_view word) {
    switch (block_) {
      case Block::arrival:
        trace_.arrival_s.push_back(time_s(word));
        break;
      case Block::computing:
        trace_.computing_s.push_back(time_s(word));
        break;
      case Block::left:
        trace_.left_s.push_back(time_s(word));
        break;
      case Block::start:
        trace_.start_s.push_back(time_s(word));
        break;
      case Block::place:
        trace_.place.push_back(place(word));
        break;
      case Block::algorithm:
        trace_.algorithm.push_back(algorithm(word));
        break;
      case Block::hint:
        trace_.hints.back().value.push_back(hint(word));
        break;
      case Block::edge:
        trace_.edges.back().time_s.push_back(
            word == "nan" ? std::numeric_limits<double>::quiet_NaN() : time_s(word));
        break;
    }
  }

  double time_s(std::string_view word) const {
    const auto value = parse_number<double>(word);
    if (!value || !std::isfinite(*value) || *value < 0.0)
      fail(std::string(1, '\'').append(word).append(
          "' is no time, give a finite number of at least 0"));
    if (*value * unit_s_ > longest_time_s)
      fail(std::string(1, '\'').append(word).append(
          "' is longer than 30 years, which no run took: look at the file's unit"));
    return *value * unit_s_;
  }

  double hint(std::string_view word) const {
    const auto value = parse_number<double>(word);
    if (!value || std::isinf(*value))
      fail(std::string(1, '\'').append(word).append(
          "' is no hint, give a finite number, or nan where there was none"));
    return *value;
  }

  int place(std::string_view word) const {
    const auto value = parse_number<std::size_t>(word);
    if (!value || *value < 1 || *value > trace_.places.size())
      fail(std::string(1, '\'').append(word).append("' is no place, they are numbered from 1 to ") +
           std::to_string(trace_.places.size()) + " in the order of the '# place: ...' lines");
    return static_cast<int>(*value) - 1;
  }

  int algorithm(std::string_view word) const {
    const auto value = parse_number<std::size_t>(word);
    if (!value || *value > trace_.algorithms.size())
      fail(std::string(1, '\'').append(word).append(
               "' is no algorithm, they are numbered from 1 to ") +
           std::to_string(trace_.algorithms.size()) +
           " in the order of the '# algorithm: ...' lines, 0 is none");
    return static_cast<int>(*value) - 1;
  }

  void finish() {
    if (trace_.ranks == 0) fail("the line '# P: ...' is missing");
    trace_.complete = !open_;
    const std::size_t rows = trace_.arrival_s.size() / static_cast<std::size_t>(trace_.ranks);
    if (iterations_ && *iterations_ != rows)
      fail("the header promises " + std::to_string(*iterations_) + " iterations, the file has " +
           std::to_string(rows) + ", it may have been cut off");
    if (!trace_.computing_s.empty() && trace_.computing_s.size() != trace_.arrival_s.size())
      fail("the computing block has not as many lines as the arrival block");
    if (!trace_.places.empty() && trace_.place.size() != rows)
      fail("the place block has not as many lines as the arrival block");
    if (!trace_.left_s.empty() && trace_.left_s.size() != trace_.arrival_s.size())
      fail("the left block has not as many lines as the arrival block");
    if (!trace_.start_s.empty() && trace_.start_s.size() != rows)
      fail("the start block has not as many lines as the arrival block");
    if (!trace_.algorithms.empty() && trace_.algorithm.size() != rows)
      fail("the algorithm block has not as many lines as the arrival block");
    for (const Trace::Hint& hint : trace_.hints)
      if (hint.value.size() != trace_.arrival_s.size())
        fail("the block of the hint '" + hint.name +
             "' has not as many lines as the arrival block");
    for (const Trace::Edge& edge : trace_.edges)
      if (edge.time_s.size() != trace_.arrival_s.size())
        fail("the block of an edge has not as many lines as the arrival block");
  }

  std::istream& input_;
  const std::string& name_;
  std::size_t line_ = 0;
  double unit_s_ = 1.0;
  bool open_ = false;
  std::optional<std::size_t> iterations_;
  Trace trace_;
  enum class Block {
    arrival,
    computing,
    left,
    start,
    place,
    algorithm,
    hint,
    edge
  } block_ = Block::arrival;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

std::string header_text(const Trace& trace) {
  std::string text(first_line);
  text += "\n# P: " + std::to_string(trace.ranks) +
          "\n# iterations: " + (trace.complete ? std::to_string(trace.iterations()) : "open") +
          "\n# unit: s\n# region: " + one_line(trace.region) +
          "\n# clock: " + one_line(trace.clock) + "\n# origin: " + one_line(trace.origin) + "\n";
  for (const std::string& place : trace.places)
    text.append("# place: ").append(one_line(place)).append("\n");
  for (const std::string& algorithm : trace.algorithms)
    text.append("# algorithm: ").append(one_line(algorithm)).append("\n");
  for (const std::string& remark : trace.remarks)
    text.append("# ").append(one_line(remark)).append("\n");
  return text;
}

void append_time(std::string& text, double value_s) {
  if (!std::isfinite(value_s) || value_s < 0.0)
    throw Error(ErrorKind::argument,
                "a trace holds finite times of at least 0 seconds, not " + std::to_string(value_s));
  std::array<char, 352> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value_s,
                                    std::chars_format::fixed, 9);
  std::string_view digits(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  while (digits.ends_with('0')) digits.remove_suffix(1);
  if (digits.ends_with('.')) digits.remove_suffix(1);
  text += digits;
}

void append_hint(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), result.ptr);
}

void append_time_or_nan(std::string& text, double value_s) {
  if (std::isnan(value_s))
    text += "nan";
  else
    append_time(text, value_s);
}

/// "0.5"
std::string fraction_text(double fraction) {
  std::string text;
  append_time(text, fraction);
  return text;
}

/// One line of `columns` values each.
void put_block(std::ostream& file, const std::string& title, std::span<const double> values,
               std::size_t columns, void (*append)(std::string&, double)) {
  file << "# block: " << one_line(title) << "\n";
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    append(text, values[i]);
    text += (i + 1) % columns == 0 ? '\n' : ' ';
    if (text.size() < (std::size_t{1} << 16) && i + 1 < values.size()) continue;
    file << text;
    text.clear();
  }
}

/// Which of the names, one a line.
void put_numbers(std::ostream& file, const char* title, const std::vector<std::string>& names,
                 const std::vector<int>& which) {
  if (names.empty()) return;
  file << "# block: " << title << "\n";
  for (const int one : which) file << one + 1 << "\n";
}

void put(const Trace& trace, std::ostream& file) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  file << header_text(trace);
  put_block(file, "arrival", trace.arrival_s, ranks, append_time);
  if (!trace.computing_s.empty())
    put_block(file, "computing", trace.computing_s, ranks, append_time);
  for (const Trace::Hint& hint : trace.hints)
    put_block(file, "hint " + hint.name, hint.value, ranks, append_hint);
  for (const Trace::Edge& edge : trace.edges)
    put_block(file, "edge " + fraction_text(edge.fraction), edge.time_s, ranks, append_time_or_nan);
  if (!trace.left_s.empty()) put_block(file, "left", trace.left_s, ranks, append_time);
  if (!trace.start_s.empty()) put_block(file, "start", trace.start_s, 1, append_time);
  put_numbers(file, "place", trace.places, trace.place);
  put_numbers(file, "algorithm", trace.algorithms, trace.algorithm);
}

/// Throws Error(argument) if the blocks do not fit each other.
void check_shape(const Trace& trace) {
  const std::size_t size = trace.arrival_s.size();
  const auto rows = static_cast<std::size_t>(trace.iterations());
  bool even = trace.ranks >= 1 && size % static_cast<std::size_t>(trace.ranks) == 0 &&
              (trace.computing_s.empty() || trace.computing_s.size() == size) &&
              (trace.left_s.empty() || trace.left_s.size() == size) &&
              (trace.start_s.empty() || trace.start_s.size() == rows) &&
              (trace.places.empty() || trace.place.size() == rows) &&
              (trace.algorithms.empty() || trace.algorithm.size() == rows);
  for (const Trace::Hint& hint : trace.hints) even = even && hint.value.size() == size;
  for (const Trace::Edge& edge : trace.edges) even = even && edge.time_s.size() == size;
  if (!even)
    throw Error(ErrorKind::argument, "a trace needs at least one rank and rows of equal length");
}

}  // namespace

double rounded_fraction(double fraction) {
  return std::clamp(std::round(100.0 * fraction), 1.0, 99.0) / 100.0;
}

std::vector<double> Trace::series(int rank) const {
  std::vector<double> values(static_cast<std::size_t>(iterations()));
  for (int i = 0; i < iterations(); ++i) values[static_cast<std::size_t>(i)] = arrival(i, rank);
  return values;
}

Trace parse_trace(std::istream& input, const std::string& name) {
  return Parser(input, name).run();
}

Trace read_trace(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) &&
      std::filesystem::exists(journal_path(path, 0), ignored))
    throw Error(ErrorKind::io, "the trace '" + path +
                                   "' is not there, its run goes on or was "
                                   "interrupted: make it of what the processes have recorded with "
                                   "`pat trace join " +
                                   path + "`");
  std::ifstream file = open_to_read(path, "the trace");
  return parse_trace(file, path);
}

void write_trace(const Trace& trace, const std::string& path) {
  check_shape(trace);
  WholeFile whole(path);
  std::ofstream file(whole.part(), std::ios::binary);
  put(trace, file);
  file.close();
  if (!file)
    throw Error(ErrorKind::io,
                "the trace '" + path + "' cannot be written: " + std::strerror(errno));
  whole.commit();
}

namespace {

/// Of a list of rows, one an iteration, those of one place.
template <class T>
std::vector<T> rows_of(const Trace& trace, int place, std::span<const T> values,
                       std::size_t columns) {
  std::vector<T> rows;
  for (std::size_t i = 0; i < trace.place.size() && !values.empty(); ++i)
    if (trace.place[i] == place) {
      const auto row = values.subspan(i * columns, columns);
      rows.insert(rows.end(), row.begin(), row.end());
    }
  return rows;
}

}  // namespace

std::vector<double> rows_at_place(const Trace& trace, int place, std::span<const double> values) {
  if (trace.places.empty()) return {values.begin(), values.end()};
  return rows_of(trace, place, values, static_cast<std::size_t>(trace.ranks));
}

Trace at_place(const Trace& trace, int place) {
  Trace one;
  one.ranks = trace.ranks;
  one.region = trace.places.at(static_cast<std::size_t>(place));
  one.clock = trace.clock;
  one.origin = trace.origin;
  one.remarks = trace.remarks;
  one.complete = trace.complete;
  const auto rows = [&](const std::vector<double>& values) {
    return rows_at_place(trace, place, values);
  };
  one.arrival_s = rows(trace.arrival_s);
  one.computing_s = rows(trace.computing_s);
  one.left_s = rows(trace.left_s);
  one.start_s = rows_of(trace, place, std::span(trace.start_s), 1);
  one.algorithms = trace.algorithms;
  one.algorithm = rows_of(trace, place, std::span(trace.algorithm), 1);
  const auto is_given = [](const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double v) { return v == v; });
  };
  for (const Trace::Hint& hint : trace.hints)
    if (std::vector<double> value = rows(hint.value); is_given(value))
      one.hints.push_back({hint.name, std::move(value)});
  for (const Trace::Edge& edge : trace.edges)
    if (std::vector<double> time_s = rows(edge.time_s); is_given(time_s))
      one.edges.push_back({edge.fraction, std::move(time_s)});
  return one;
}

std::vector<Trace> by_place(const Trace& trace) {
  if (trace.places.empty()) return {trace};
  std::vector<Trace> list;
  for (int place = 0; place < static_cast<int>(trace.places.size()); ++place)
    list.push_back(at_place(trace, place));
  return list;
}

}  // namespace pat
