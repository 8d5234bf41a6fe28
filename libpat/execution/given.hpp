#pragma once

#include "libpat/execution/arguments.hpp"

// What entry points that are made from the table of calls (calls.def) need: their parameters as
// Arguments.

namespace pat::detail {

/// What the program gives beside the communicator.
struct Given {
  BufferArgument send, recv;
  int root;
  MPI_Op op;
};

inline BufferArgument block(const void* address, MPI_Count count, MPI_Datatype type) {
  return {.address = address, .count = count, .type = type};
}

template <class Count, class Displacement>
BufferArgument blocks(const void* address, const Count* counts, const Displacement* displacements,
                      MPI_Datatype type) {
  return {.address = address,
          .type = type,
          .counts = counts,
          .displacements = displacements,
          .varies = true,
          .large = sizeof(Count) > sizeof(int)};
}

/// Blocks with a type each.
template <class Count, class Displacement>
BufferArgument typed_blocks(const void* address, const Count* counts,
                            const Displacement* displacements, const MPI_Datatype* types) {
  BufferArgument made = blocks(address, counts, displacements, {});
  made.types = types;
  return made;
}

/// The same where displacements are addresses, whatever the counts are.
template <class Count>
BufferArgument far_blocks(const void* address, const Count* counts, const MPI_Aint* displacements,
                          const MPI_Datatype* types) {
  BufferArgument made = typed_blocks(address, counts, displacements, types);
  made.far = true;
  return made;
}

/// Blocks that lie side by side, and are not said where.
template <class Count>
BufferArgument adjoining(const void* address, const Count* counts, MPI_Datatype type) {
  return blocks(address, counts, static_cast<const Count*>(nullptr), type);
}

inline Arguments arguments_of(const char* function, Operation operation, Blocks blocks, bool large,
                              const Given& given, MPI_Comm comm) {
  return {.function = function,
          .operation = operation,
          .blocks = blocks,
          .large = large,
          .send = given.send,
          .recv = given.recv,
          .root = given.root,
          .op = given.op,
          .comm = comm};
}

}  // namespace pat::detail

#define PAT_UNPACK(...) __VA_ARGS__
#define PAT_THEN(...) __VA_ARGS__ __VA_OPT__(, )
#define PAT_TEXT(text) PAT_TEXT_OF(text)
#define PAT_TEXT_OF(text) #text
#define PAT_ARGUMENTS(function, operation, blocks, to)                     \
  pat::detail::arguments_of(PAT_TEXT(function), pat::Operation::operation, \
                            pat::detail::Blocks::blocks, PAT_LARGE,        \
                            pat::detail::Given{PAT_UNPACK to}, comm)
