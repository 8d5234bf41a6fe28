#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/schedule.hpp"
#include "libpat/mpi/datatype.hpp"

namespace pat::detail {

/// An MPI message buffer.
struct Place {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_PACKED;
};

/// Maps units of a schedule to MPI message buffers. One item of `type` stands for
/// `units_per_item` units; items lie `stride` bytes apart.
struct Area {
  std::byte* base = nullptr;
  MPI_Datatype type = MPI_PACKED;
  std::size_t units_per_item = 1;
  MPI_Aint stride = 1;
  /// For the v-forms: where the block of each rank lies, its first unit beside it; else empty.
  struct Block {
    std::size_t first_unit;
    std::byte* base;
  };
  std::shared_ptr<const std::vector<Block>> blocks;

  /// Units are packed bytes and memory holds them as they are.
  bool raw() const { return type == MPI_PACKED; }
  /// Whether the slice begins and ends between items, all within one block.
  bool fits(const Slice& slice) const;
  /// Cuts the slice at the block boundaries of a v-form; one piece elsewhere.
  std::vector<Slice> contiguous_pieces(const Slice& slice) const;
  /// The slice as a message buffer; only if fits().
  Place place(const Slice& slice) const;

  /// Packed bytes at `memory`.
  static Area raw_bytes(void* memory) {
    return {static_cast<std::byte*>(memory), MPI_PACKED, 1, 1, nullptr};
  }
  /// A user buffer whose units are packed bytes of `type`, `count` elements a block.
  static Area packed(const void* buffer, int count, MPI_Datatype type, const DatatypeInfo& info);
  /// As packed(), for a v-form: counts and displacements in elements, one per rank.
  static Area packed_blocks(const void* buffer, const std::vector<int>& counts,
                            const std::vector<MPI_Aint>& displacements, MPI_Datatype type,
                            const DatatypeInfo& info);
  /// A buffer whose units are elements of `type`.
  static Area elements(const void* buffer, MPI_Datatype type, const DatatypeInfo& info);
};

/// Copies between two places of equal signature: memcpy where both are raw, else MPI's pack, unpack
/// or a message to self.
void copy_place(const Place& from, const Place& to);

/// Memory without initialisation, so that pages are only touched where data lands.
using RawMemory = std::unique_ptr<std::byte[]>;
inline RawMemory raw_memory(std::size_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(bytes);
}

/// Memory for elements of a type, addressed so that the lower bound falls inside.
struct ElementMemory {
  RawMemory memory;
  Area area;
};
/// Room for `count` elements, at least one. Throws MpiFailure.
ElementMemory element_memory(std::size_t count, MPI_Datatype type, const DatatypeInfo& info);

}  // namespace pat::detail
