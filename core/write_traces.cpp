// The traces of a run: one a group of processes, numbered.

#include <algorithm>
#include <filesystem>
#include <string>

#include "core/journal.hpp"

namespace pat {

std::size_t write_traces(const JoinedJournals& joined, const std::string& path,
                         const std::function<void(const Trace&, const std::string&)>& write) {
  constexpr std::size_t most = 64;
  std::filesystem::path stem = std::filesystem::path(path).replace_extension();
  if (path.ends_with(".json")) stem.replace_extension();  // run.talp.json
  const std::string ending = path.substr(stem.string().size());
  const auto numbered = [&](std::size_t number) {
    if (number == 0) return path;
    return stem.string() + "-" + std::to_string(number + 1) + ending;
  };
  const std::size_t written = std::min(most, joined.traces.size());
  for (std::size_t i = 0; i < written; ++i) {
    Trace trace = joined.traces[i];
    trace.complete = joined.complete;
    for (std::size_t other = 1; i == 0 && other < written; ++other)
      trace.remarks.push_back("other processes met in " +
                              std::filesystem::path(numbered(other)).filename().string());
    write(trace, numbered(i));
  }
  return joined.traces.size() - written;
}

}  // namespace pat
