#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace pat::fft {

/// Runs `step` and returns the sentence of what it threw, "" if nothing. Local.
std::string sentence_of(const std::function<void()>& step);

/// Whether no process has a complaint ("" is none). Otherwise the lowest process that has one
/// prints it to standard error, one line in all. Collective; the same answer everywhere, so that
/// all can leave together.
bool all_well(MPI_Comm comm, const std::string& complaint);

}  // namespace pat::fft
