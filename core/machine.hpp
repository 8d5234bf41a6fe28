#pragma once

#include <ctime>
#include <string>

namespace pat {

/// Where a process runs, as far as it knows that by itself.
struct Machine {
  std::string host;       ///< name of the node
  std::string processor;  ///< as /proc/cpuinfo names it; "unknown" where it does not
  std::string kernel;     ///< "Linux 6.1.0"
  int cores = 1;          ///< of the node that are in use, hardware threads counted
  std::string program;    ///< its command line, at most 200 bytes; empty: not known
};

/// Looked up once. Thread-safe.
const Machine& this_machine();

/// "2024-02-29T12:00:00Z".
std::string utc_text(std::time_t time);

}  // namespace pat
