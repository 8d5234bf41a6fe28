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
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"

namespace pat {
namespace {

constexpr std::string_view first_line = "# pat-trace 1";
constexpr std::size_t max_ranks = std::size_t{1} << 24;

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
           "', other text is read by `pat trace import`");
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
    if (value == "arrival")
      rows_ = &trace_.arrival_s;
    else if (value == "computing")
      rows_ = &trace_.computing_s;
    else
      fail("the block is '" + value + "', it can be arrival or computing");
  }

  void row(std::string_view text) {
    if (trace_.ranks == 0) fail("times come before the line '# P: ...'");
    int count = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
      const std::string_view word = text.substr(0, end);
      const auto value = parse_number<double>(word);
      if (!value || !std::isfinite(*value) || *value < 0.0)
        fail(std::string(1, '\'').append(word).append(
            "' is no time, give a finite number of at least 0"));
      rows_->push_back(*value * unit_s_);
      ++count;
      text.remove_prefix(end);
      text.remove_prefix(std::min(text.find_first_not_of(" \t,"), text.size()));
    }
    if (count != trace_.ranks)
      fail("the line has " + std::to_string(count) + " times, P is " +
           std::to_string(trace_.ranks));
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
  }

  std::istream& input_;
  const std::string& name_;
  std::size_t line_ = 0;
  double unit_s_ = 1.0;
  bool open_ = false;
  std::optional<std::size_t> iterations_;
  Trace trace_;
  std::vector<double>* rows_ = &trace_.arrival_s;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

std::string header_text(const Trace& info, const std::string& iterations) {
  std::string text(first_line);
  text += "\n# P: " + std::to_string(info.ranks) + "\n# iterations: " + iterations +
          "\n# unit: s\n# region: " + one_line(info.region) + "\n# clock: " + one_line(info.clock) +
          "\n# origin: " + one_line(info.origin) + "\n";
  for (const std::string& remark : info.remarks)
    text.append("# ").append(one_line(remark)).append("\n");
  return text;
}

void append_time(std::string& text, double value_s) {
  std::array<char, 352> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value_s,
                                    std::chars_format::fixed, 9);
  std::string_view digits(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  while (digits.ends_with('0')) digits.remove_suffix(1);
  if (digits.ends_with('.')) digits.remove_suffix(1);
  text += digits;
}

std::string row_text(std::span<const double> values_s) {
  std::string text;
  for (const double value_s : values_s) {
    if (!std::isfinite(value_s) || value_s < 0.0)
      throw Error(ErrorKind::argument, "a trace holds finite times of at least 0 seconds, not " +
                                           std::to_string(value_s));
    if (!text.empty()) text += ' ';
    append_time(text, value_s);
  }
  return text += '\n';
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw Error(ErrorKind::io, "the trace '" + path + "' cannot be written: " + std::strerror(errno));
}

std::string part(const std::string& path) {
  return path + ".part";
}
std::string computing_part(const std::string& path) {
  return path + ".computing.part";
}

std::FILE* create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w+b");
  if (file == nullptr) fail_to_write(path);
  std::setvbuf(file, nullptr, _IONBF, 0);  // a row leaves in one piece
  return file;
}

void put(std::FILE* file, std::string_view text, const std::string& path) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) fail_to_write(path);
}

void copy_rows(std::FILE* from, std::FILE* to, const std::string& path) {
  std::vector<char> buffer(std::size_t{1} << 16);
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), from))
    put(to, {buffer.data(), got}, path);
}

}  // namespace

std::vector<double> Trace::series(int rank) const {
  std::vector<double> values(static_cast<std::size_t>(iterations()));
  for (int i = 0; i < iterations(); ++i) values[static_cast<std::size_t>(i)] = arrival(i, rank);
  return values;
}

Trace parse_trace(std::istream& input, const std::string& name) {
  return Parser(input, name).run();
}

Trace read_trace(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw Error(ErrorKind::io, "the trace '" + path + "' cannot be opened for reading");
  return parse_trace(file, path);
}

void write_trace(const Trace& trace, const std::string& path) {
  const auto ranks = static_cast<std::size_t>(trace.ranks);
  if (trace.ranks < 1 || trace.arrival_s.size() % ranks != 0 ||
      (!trace.computing_s.empty() && trace.computing_s.size() != trace.arrival_s.size()))
    throw Error(ErrorKind::argument, "a trace needs at least one rank and rows of equal length");
  TraceWriter writer(path, trace, !trace.computing_s.empty());
  const std::span<const double> arrival(trace.arrival_s), computing(trace.computing_s);
  for (std::size_t i = 0; i < arrival.size(); i += ranks)
    writer.append(arrival.subspan(i, ranks),
                  computing.empty() ? computing : computing.subspan(i, ranks));
  writer.close();
}

TraceWriter::TraceWriter(std::string path, const Trace& info, bool with_computing)
    : path_(std::move(path)), with_computing_(with_computing) {
  if (info.ranks < 1) throw Error(ErrorKind::argument, "a trace needs at least one rank");
  info_.ranks = info.ranks;
  info_.region = info.region;
  info_.clock = info.clock;
  info_.origin = info.origin;
  info_.remarks = info.remarks;
  const std::filesystem::path target(path_);
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target))
    throw Error(ErrorKind::io, "the trace cannot be written to '" + path_ +
                                   "', which is no regular file, give another path");
  arrivals_ = create(part(path_));
  put(arrivals_, header_text(info_, "open"), path_);
  if (with_computing_) computing_ = create(computing_part(path_));
}

TraceWriter::~TraceWriter() {
  if (arrivals_ != nullptr) std::fclose(arrivals_);
  if (computing_ != nullptr) std::fclose(computing_);
}

void TraceWriter::append(std::span<const double> arrival_s, std::span<const double> computing_s) {
  const auto ranks = static_cast<std::size_t>(info_.ranks);
  if (arrivals_ == nullptr)
    throw Error(ErrorKind::order, "the trace '" + path_ + "' is closed, it takes no more rows");
  if (arrival_s.size() != ranks || computing_s.size() != (with_computing_ ? ranks : 0))
    throw Error(ErrorKind::argument, "a row of the trace '" + path_ + "' needs " +
                                         std::to_string(ranks) + " times in each block");
  const std::string row = row_text(arrival_s);
  if (with_computing_) put(computing_, row_text(computing_s), path_);
  put(arrivals_, row, path_);
  ++iterations_;
}

void TraceWriter::close() {
  if (arrivals_ == nullptr) return;
  const std::string whole = path_ + ".whole.part";
  std::FILE* file = create(whole);
  try {
    put(file, header_text(info_, std::to_string(iterations_)) + "# block: arrival\n", path_);
    std::fseek(arrivals_, static_cast<long>(header_text(info_, "open").size()), SEEK_SET);
    copy_rows(arrivals_, file, path_);
    if (with_computing_) {
      put(file, "# block: computing\n", path_);
      std::rewind(computing_);
      copy_rows(computing_, file, path_);
    }
  } catch (...) {
    std::fclose(file);
    std::remove(whole.c_str());
    throw;
  }
  if (std::fclose(file) != 0 || std::rename(whole.c_str(), path_.c_str()) != 0)
    fail_to_write(path_);
  std::fclose(std::exchange(arrivals_, nullptr));
  std::remove(part(path_).c_str());
  if (computing_ != nullptr) {
    std::fclose(std::exchange(computing_, nullptr));
    std::remove(computing_part(path_).c_str());
  }
}

}  // namespace pat
