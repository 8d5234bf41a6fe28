#pragma once

#include <mpi.h>

#include <climits>
#include <exception>
#include <iostream>
#include <string>

#include "core/errors.hpp"
#include "core/printable.hpp"

namespace pat::bench {

/// Runs `work` on all ranks; if it fails on any, the lowest failing rank prints its sentence once,
/// after `program`. Returns the exit code, the same on all ranks: 0, 2 for wrong usage, else 1.
/// Errors must come before or after all communication of `work`, or on all ranks alike.
template <typename Work>
int on_all_ranks(MPI_Comm comm, const char* program, Work work) {
  int code = 0, rank = 0;
  std::string sentence;
  MPI_Comm_rank(comm, &rank);
  try {
    work();
  } catch (const Error& error) {
    code = error.kind() == ErrorKind::io || error.kind() == ErrorKind::internal ? 1 : 2;
    sentence = error.what();
  } catch (const std::exception& error) {
    code = 1;
    sentence = error.what();
  }
  int outcome[2] = {code == 0 ? INT_MAX : rank, -code};
  MPI_Allreduce(MPI_IN_PLACE, outcome, 2, MPI_INT, MPI_MIN, comm);
  if (outcome[0] == rank) std::cerr << program << ": " << printable(sentence) << std::endl;
  return -outcome[1];
}

}  // namespace pat::bench
