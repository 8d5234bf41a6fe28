#pragma once

#include <vector>

#include "libpat/execution/arguments.hpp"

namespace pat::detail {

/// Arrays of types of a w-form of all to all that are long enough for Open MPI: on a communicator
/// with a topology its MPI_Ialltoallw (seen with 4.1) goes through as many types as the process has
/// neighbours there, also where it has more neighbours than there are processes.
class TypesForNeighbours {
 public:
  /// Gives `arguments` longer copies where a run on `where` needs them; they live as long as this
  /// object. Throws MpiFailure.
  void lengthen(Arguments& arguments, MPI_Comm where);

 private:
  std::vector<MPI_Datatype> send_, recv_;
};

}  // namespace pat::detail
