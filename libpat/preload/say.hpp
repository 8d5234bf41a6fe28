#pragma once

#include <string>

namespace pat::detail {

/// Keeps a way to what is standard error now: a program may close it and give its number to a file.
void remember_stderr();
/// One sentence there, whatever the log level is.
void say(const std::string& sentence);
/// PAT's log goes there, too.
void log_to_own_stderr();

}  // namespace pat::detail
