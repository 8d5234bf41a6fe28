#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tools/tune/rules.hpp"

namespace pat::tune {

/// The algorithms of the MPI library itself, chosen through MPI's tool interface: Open MPI's
/// component `tuned` has a control variable for each operation, whose value holds for communicators
/// that are made afterwards. From the constructor to the end of the object; one at a time.
class Library {
 public:
  /// Call before MPI_Init: Open MPI looks only then whether algorithms may be chosen.
  static void allow_choice();
  /// Throws Error(argument) under an MPI library whose algorithms cannot be chosen.
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Every algorithm of the operation, whole and with each of the segments that a vector of `bytes`
  /// has two of. Throws Error(argument) if the library lets none be chosen.
  std::vector<Way> ways(const std::string& operation, std::size_t bytes) const;
  /// A communicator like `like` on which the operation is done this way. Collective.
  MPI_Comm communicator(const std::string& operation, const Way& way, MPI_Comm like) const;
};

}  // namespace pat::tune
