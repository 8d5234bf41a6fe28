#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "collectives/operation.hpp"
#include "collectives/problem.hpp"
#include "libpat/execution/run.hpp"

namespace pat::detail {

/// How a collective's function says what the blocks are.
enum class Blocks : std::uint8_t {
  alike,    ///< one count and one type
  varying,  ///< a v-form: a count and a displacement each
  typed     ///< a w-form: a type each, besides
};

/// One buffer argument of a collective as the program gives it: `count` elements of `type` a block;
/// in a v-form counts and displacements in elements, one a rank, or a neighbour; in a w-form types
/// too, and the displacements in bytes. Where a function says `rank`, among neighbours it is the
/// edge.
struct BufferArgument {
  const void* address = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = {};
  const void* counts = nullptr;         ///< int or, if `large`, MPI_Count
  const void* displacements = nullptr;  ///< int or, if `large`, MPI_Aint; null: side by side
  const MPI_Datatype* types = nullptr;  ///< of a w-form; else `type` holds for all
  bool varies = false;                  ///< counts and displacements hold, not `count`
  bool large = false;
  bool far = false;  ///< displacements are MPI_Aint also where counts are int

  bool in_place() const { return address == MPI_IN_PLACE; }
  MPI_Count count_of(int rank) const {
    if (!varies) return count;
    return large ? static_cast<const MPI_Count*>(counts)[rank]
                 : static_cast<const int*>(counts)[rank];
  }
  MPI_Datatype type_of(int rank) const { return types == nullptr ? type : types[rank]; }
  /// Elements of the blocks of ranks 0 to `end`, without the last.
  MPI_Count count_before(int end) const {
    if (!varies) return count * end;
    MPI_Count all = 0;
    for (int rank = 0; rank < end; ++rank) all += count_of(rank);
    return all;
  }
  /// Elements, of a w-form bytes, from the buffer's beginning to the block of `rank`.
  MPI_Aint displacement_of(int rank) const {
    if (!varies || displacements == nullptr) return static_cast<MPI_Aint>(count_before(rank));
    return large || far ? static_cast<const MPI_Aint*>(displacements)[rank]
                        : static_cast<const int*>(displacements)[rank];
  }
};

/// The arguments of one collective call. Where the operation has one buffer on each process (a
/// broadcast), both sides are that one.
struct Arguments {
  const char* function = "";      ///< "PAT_Gather", for messages
  const void* site = nullptr;     ///< where the program calls from; null: not known
  std::uint16_t site_number = 0;  ///< of its name in session/sites; 0: nobody asks
  Operation operation = no_operation;
  Blocks blocks = Blocks::alike;
  bool large = false;  ///< counts are MPI_Count
  BufferArgument send, recv;
  int root = 0;
  MPI_Op op = {};
  MPI_Comm comm = {};
  /// Of an operation among neighbours, once it is checked: this process's; else null.
  std::shared_ptr<const Neighbours> neighbours = {};

  bool varying() const { return blocks != Blocks::alike; }
};

/// How many counts a buffer of a v-form has: one a rank, or a neighbour.
int send_blocks(const Arguments& arguments, int ranks);
int recv_blocks(const Arguments& arguments, int ranks);

/// What it sends lies where it receives, which would overwrite it: bind() copies it aside.
bool copies_aside(const Arguments& arguments);

/// Which buffers matter on a process: those that it has, and of which it does not say that its data
/// lies in the other.
struct Significant {
  bool send = false, recv = false;
};
/// In an inter-communicator the root of a rooted operation says MPI_ROOT and its group's other
/// processes MPI_PROC_NULL.
Significant significant(const Arguments& arguments, int rank, bool inter);

/// The user's side of the call on rank `rank` of `ranks`; copies aside what a reduction in place
/// would overwrite. The arguments must have been checked. Throws MpiFailure.
UserBuffers bind(const Arguments& arguments, int rank, int ranks);

/// The blocks of all ranks in a buffer of a v-form that holds them; units are packed bytes. Throws
/// MpiFailure.
Area area_of_blocks(const BufferArgument& buffer, int ranks);

/// Packed bytes of the block of each rank in a buffer that holds all. Throws MpiFailure.
std::vector<std::size_t> packed_blocks(const BufferArgument& buffer, int ranks);
/// The same of the blocks for neighbours `others`: 0 where there is nobody.
std::vector<std::size_t> packed_blocks(const BufferArgument& buffer,
                                       const std::vector<int>& others);

/// Units of this process's send buffer: elements where they are combined, else packed bytes. Of one
/// element (of a w-form a byte), and elements in all; 0 in place and where there is none.
struct SendElements {
  std::size_t count = 0, units_each = 0;
};
SendElements send_elements(const Arguments& arguments, int rank, int ranks, bool inter);

/// Whether the operator is one of the program's own.
bool is_own_operator(MPI_Op op);

}  // namespace pat::detail
