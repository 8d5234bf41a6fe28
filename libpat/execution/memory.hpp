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

/// Items of one type, `stride` bytes apart, each of which stands for `units_per_item` units.
struct Items {
  std::byte* base = nullptr;
  MPI_Datatype type = MPI_PACKED;
  std::size_t units_per_item = 1;
  MPI_Aint stride = 1;

  /// `count` elements of `type` whose units are packed bytes: as they are where memory holds them
  /// so.
  static Items packed(const void* buffer, MPI_Count count, MPI_Datatype type,
                      const DatatypeInfo& info);
};

/// Maps units of a schedule to MPI message buffers.
struct Area {
  Items items;
  /// For the v-forms: the block of each rank, its first unit beside it; else empty.
  struct Block {
    std::size_t first_unit;
    Items items;
  };
  std::shared_ptr<const std::vector<Block>> blocks;

  /// Whether the slice begins and ends between items, all within one block.
  bool fits(const Slice& slice) const;
  /// Cuts the slice at the block boundaries of a v-form; one piece elsewhere.
  std::vector<Slice> contiguous_pieces(const Slice& slice) const;
  /// The slice as a message buffer; only if fits().
  Place place(const Slice& slice) const;

  /// Packed bytes at `memory`.
  static Area raw_bytes(void* memory) { return {{static_cast<std::byte*>(memory)}, nullptr}; }
  /// A user buffer whose units are packed bytes of `type`, `count` elements a block.
  static Area packed(const void* buffer, MPI_Count count, MPI_Datatype type,
                     const DatatypeInfo& info) {
    return {Items::packed(buffer, count, type, info), nullptr};
  }
  /// A buffer of a v-form, with a block for each rank.
  static Area of_blocks(std::vector<Block> blocks) {
    return {{}, std::make_shared<const std::vector<Block>>(std::move(blocks))};
  }
  /// A buffer whose units are elements of `type`.
  static Area elements(const void* buffer, MPI_Datatype type, const DatatypeInfo& info);

 private:
  /// Where the unit lies.
  Block block_of(std::size_t unit) const;
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
