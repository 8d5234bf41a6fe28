#pragma once

#include <string>

namespace pat {

/// Serves what is known of a job (of the only one, if `job` is empty) to Prometheus, looking anew
/// at each scrape, until SIGINT or SIGTERM comes. `place`: a port of 127.0.0.1, or ADDRESS:PORT.
/// Throws Error as look_at() if there is no job at the beginning, Error(argument) for what is no
/// place, Error(io) if it cannot be had, or if this PAT was built without prometheus-cpp.
void serve_prometheus(const std::string& job, const std::string& place);

}  // namespace pat
