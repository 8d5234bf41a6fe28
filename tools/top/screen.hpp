#pragma once

#include <string>

#include "tools/top/show.hpp"

namespace pat {

/// Shows a job in the terminal, anew every `interval_s` seconds, until q is pressed or the job is
/// over. Returns why it ended: a sentence for the shell. Throws Error as look_at() if there is no
/// job at the beginning, Error(io) where the terminal cannot show it.
std::string watch_job(const std::string& job, double interval_s, TopOrder order);

}  // namespace pat
