#include "core/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace pat {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

/// The words stand one after the other there, each with a zero behind it.
std::string command_line() {
  constexpr std::size_t longest = 200;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  if (words.size() > longest) words.resize(longest);
  return words;
}

Machine look() {
  utsname system{};
  uname(&system);
  return {system.nodename, processor(), std::string(system.sysname) + " " + system.release,
          static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))), command_line()};
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = look();
  return machine;
}

std::string utc_text(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace pat
