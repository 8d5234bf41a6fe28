#pragma once

#include <string>

namespace pat {

/// Text for a script of gnuplot's, between quotes.
std::string harmless(std::string text);

/// Runs a script. Throws Error(io) if gnuplot is not there or fails.
void run_gnuplot(const std::string& script);

}  // namespace pat
