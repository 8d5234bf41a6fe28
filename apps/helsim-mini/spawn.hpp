#pragma once

#include <string>
#include <vector>

namespace helsim {

/// Runs a program that is looked for in PATH, with its output dropped, and waits for it. Returns
/// its exit status, or -1 if there is no such program or a signal ended it. Not while MPI is
/// running: some networks do not survive a fork.
int run_program(const std::vector<std::string>& command);

}  // namespace helsim
