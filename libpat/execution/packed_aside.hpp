#pragma once

#include <memory>
#include <vector>

#include "libpat/execution/arguments.hpp"

namespace pat::detail {

/// What a process gives in place to a v-form of all to all, packed aside, and the arguments that
/// send it from there. Open MPI 4.1 needs it: its non-blocking MPI_Ialltoallv and MPI_Ialltoallw in
/// place never end where some processes exchange nothing.
class PackedAside {
 public:
  /// Packs now, for a run on `where`: the program may have freed the call's own communicator. Null
  /// where the call does not exchange blocks of different lengths in place, or where they are too
  /// long for the call's counts. Throws MpiFailure.
  static std::unique_ptr<PackedAside> make(const Arguments& arguments, MPI_Comm where);

  /// The call; valid as long as this object.
  const Arguments& arguments() const { return arguments_; }

 private:
  /// Counts and displacements, bytes, as the call has them.
  template <class Count, class Displacement>
  struct Layout {
    std::vector<Count> counts;
    std::vector<Displacement> displacements;
  };

  Arguments arguments_;
  RawMemory memory_;
  Layout<int, int> small_;
  Layout<MPI_Count, MPI_Aint> large_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace pat::detail
