#include "libpat/execution/arguments.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "collectives/operation_row.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/wide_sum.hpp"

namespace pat::detail {

namespace {

/// The first blocks of a buffer; `is_there(block)`: whether its data take part.
template <class IsThere>
Area area_of(const BufferArgument& buffer, int count_of_blocks, const IsThere& is_there) {
  std::vector<Area::Block> blocks;
  DatatypeInfo info;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t first_unit = 0;
  auto* const base = static_cast<char*>(const_cast<void*>(buffer.address));
  for (int r = 0; r < count_of_blocks; ++r) {
    const MPI_Count count = is_there(r) ? buffer.count_of(r) : 0;
    if (count > 0 && buffer.type_of(r) != type) info = inspect(type = buffer.type_of(r));
    const MPI_Aint each = buffer.types != nullptr ? 1 : info.extent;
    const char* const place = base + buffer.displacement_of(r) * each;
    blocks.push_back({first_unit, Items::packed(place, count, type, info)});
    first_unit += static_cast<std::size_t>(count) * info.size;
  }
  return Area::of_blocks(std::move(blocks));
}

template <class IsThere>
std::vector<std::size_t> packed(const BufferArgument& buffer, int blocks, const IsThere& is_there) {
  std::vector<std::size_t> bytes(static_cast<std::size_t>(blocks), 0);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t each = 0;
  for (int block = 0; block < blocks; ++block) {
    const MPI_Count count = is_there(block) ? buffer.count_of(block) : 0;
    if (count == 0) continue;
    if (buffer.type_of(block) != type) each = packed_size(type = buffer.type_of(block));
    bytes[static_cast<std::size_t>(block)] = static_cast<std::size_t>(count) * each;
  }
  return bytes;
}

constexpr auto all_are_there = [](int) { return true; };

/// Whether there is somebody at the edge.
auto somebody_of(const std::vector<int>& others) {
  return
      [&others](int edge) { return others[static_cast<std::size_t>(edge)] != Neighbours::nobody; };
}

}  // namespace

Area area_of_blocks(const BufferArgument& buffer, int ranks) {
  return area_of(buffer, ranks, all_are_there);
}

int send_blocks(const Arguments& arguments, int ranks) {
  return row(arguments.operation).send->holds == Holds::neighbours
             ? static_cast<int>(arguments.neighbours->to.size())
             : ranks;
}

int recv_blocks(const Arguments& arguments, int ranks) {
  return row(arguments.operation).recv->holds == Holds::neighbours
             ? static_cast<int>(arguments.neighbours->from.size())
             : ranks;
}

namespace {

void* place_of_block(const BufferArgument& buffer, const DatatypeInfo& info, int rank) {
  return static_cast<char*>(const_cast<void*>(buffer.address)) +
         buffer.displacement_of(rank) * info.extent;
}

/// Packed bytes: one block, or the blocks of all ranks.
Area moved_area(const BufferArgument& buffer, Holds holds, int rank, int ranks) {
  if (buffer.varies && holds == Holds::all_blocks) return area_of_blocks(buffer, ranks);
  return Area::packed(buffer.address, buffer.count_of(rank), buffer.type, inspect(buffer.type));
}

/// The block of `rank` in a buffer that holds all.
Area own_block(const BufferArgument& buffer, int rank) {
  const DatatypeInfo info = inspect(buffer.type);
  return Area::packed(place_of_block(buffer, info, rank), buffer.count_of(rank), buffer.type, info);
}

/// What a process sends in place to all others, copied aside before the first that it receives
/// lands there: in one run, or in a v-form block by block.
UserBuffers bind_exchanged(const Arguments& a, int rank, int ranks) {
  UserBuffers buffers;
  buffers.recv = moved_area(a.recv, Holds::all_blocks, rank, ranks);
  const std::vector<std::size_t> lengths = packed_blocks(a.recv, ranks);
  const Slice whole{Buffer::recv, 0,
                    std::accumulate(lengths.begin(), lengths.end(), std::size_t{0})};
  auto kept = std::make_shared<std::vector<ElementMemory>>();
  std::vector<Area::Block> blocks;
  for (const Slice& piece : buffers.recv.contiguous_pieces(whole)) {
    const Place from = buffers.recv.place(piece);
    const DatatypeInfo info = inspect(from.type);
    kept->push_back(element_memory(static_cast<std::size_t>(from.count), from.type, info));
    const Area copy = Area::packed(kept->back().area.items.base, from.count, from.type, info);
    blocks.push_back({piece.offset, copy.items});
    copy_place(from, copy.place({Buffer::send, 0, piece.length}));
  }
  buffers.send = Area::of_blocks(std::move(blocks));
  buffers.keeps = kept;
  return buffers;
}

/// Every block of a neighbour lies somewhere in the buffer, of nobody none.
UserBuffers bind_neighbours(const Arguments& a, const OperationRow& row) {
  const auto of_edges = [](const BufferArgument& buffer, const std::vector<int>& others) {
    return area_of(buffer, static_cast<int>(others.size()), somebody_of(others));
  };
  UserBuffers buffers;
  buffers.send = row.in_pairs() ? of_edges(a.send, a.neighbours->to)
                                : Area::packed(a.send.address, a.send.count, a.send.type,
                                               inspect(a.send.type));
  buffers.recv = of_edges(a.recv, a.neighbours->from);
  return buffers;
}

UserBuffers bind_moved(const Arguments& a, const OperationRow& row, int rank, int ranks) {
  const Side send = row.send, recv = row.recv;
  const bool sends = has_buffer(send.at, rank, a.root),
             receives = has_buffer(recv.at, rank, a.root);
  UserBuffers buffers;
  buffers.in_place = (sends && a.send.in_place()) || (receives && a.recv.in_place());
  if (sends)
    buffers.send =
        a.send.in_place() ? own_block(a.recv, rank) : moved_area(a.send, send.holds, rank, ranks);
  if (receives)
    buffers.recv =
        a.recv.in_place() ? own_block(a.send, rank) : moved_area(a.recv, recv.holds, rank, ranks);
  return buffers;
}

/// A contribution of so many elements in place must outlive the first result that lands there: it
/// is copied aside, once.
std::shared_ptr<const ElementMemory> copy_aside(const BufferArgument& buffer, std::size_t elements,
                                                MPI_Datatype type, const DatatypeInfo& info) {
  auto copy = std::make_shared<ElementMemory>(element_memory(elements, type, info));
  const Slice whole{Buffer::send, 0, elements};
  copy_place(Area::elements(buffer.address, type, info).place(whole), copy->area.place(whole));
  return copy;
}

UserBuffers bind_combined(const Arguments& a, const OperationRow& row, int rank, int ranks) {
  const Side send = row.send, recv = row.recv;
  UserBuffers buffers;
  buffers.op = a.op;
  buffers.own_operator = is_own_operator(a.op);
  buffers.type = a.send.type;
  buffers.datatype = inspect(a.send.type);
  if (has_buffer(recv.at, rank, a.root))
    buffers.recv = Area::elements(a.recv.address, a.recv.type, buffers.datatype);
  if (!has_buffer(send.at, rank, a.root)) return buffers;
  if (a.send.in_place()) {
    const MPI_Count elements = a.recv.count_before(row.in_blocks() ? ranks : 1);
    const auto own =
        copy_aside(a.recv, static_cast<std::size_t>(elements), a.recv.type, buffers.datatype);
    buffers.send = own->area;
    buffers.keeps = own;
  } else {
    buffers.send = Area::elements(a.send.address, a.send.type, buffers.datatype);
  }
  return buffers;
}

bool has_buffer_in_inter(At at, int root) {
  switch (at) {
    case At::nowhere:
      return false;
    case At::root:
      return root == MPI_ROOT;
    case At::everywhere:  // of a rooted operation: each of the group that does not hold the root
    case At::others:
      return root >= 0;
    case At::after_first:  // of operations that MPI does not have between groups
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> packed_blocks(const BufferArgument& buffer, int ranks) {
  return packed(buffer, ranks, all_are_there);
}

std::vector<std::size_t> packed_blocks(const BufferArgument& buffer,
                                       const std::vector<int>& others) {
  return packed(buffer, static_cast<int>(others.size()), somebody_of(others));
}

UserBuffers bind(const Arguments& arguments, int rank, int ranks) {
  const OperationRow& about = row(arguments.operation);
  if (about.all_to_all() && arguments.send.in_place())
    return bind_exchanged(arguments, rank, ranks);
  if (about.among_neighbours()) return bind_neighbours(arguments, about);
  return about.combines ? bind_combined(arguments, about, rank, ranks)
                        : bind_moved(arguments, about, rank, ranks);
}

bool copies_aside(const Arguments& arguments) {
  const OperationRow& about = row(arguments.operation);
  return arguments.send.in_place() && (about.combines || about.all_to_all());
}

Significant significant(const Arguments& arguments, int rank, bool inter) {
  const OperationRow& about = row(arguments.operation);
  const auto has = [&](At at) {
    return inter ? has_buffer_in_inter(at, about.rooted ? arguments.root : 0)
                 : has_buffer(at, rank, arguments.root);
  };
  const Side send = about.send, recv = about.recv;
  return {has(send.at) && !arguments.send.in_place(), has(recv.at) && !arguments.recv.in_place()};
}

SendElements send_elements(const Arguments& arguments, int rank, int ranks, bool inter) {
  if (!significant(arguments, rank, inter).send) return {};
  const OperationRow& about = row(arguments.operation);
  const Side send = about.send;
  if (send.holds == Holds::neighbours || arguments.blocks == Blocks::typed) {
    const std::vector<std::size_t> bytes =
        send.holds == Holds::neighbours ? packed_blocks(arguments.send, arguments.neighbours->to)
                                        : packed_blocks(arguments.send, ranks);
    return {std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}), 1};
  }
  MPI_Count count = 0;
  if (send.holds == Holds::block) count = arguments.send.count_of(rank);
  if (send.holds == Holds::all_blocks) count = arguments.send.count_before(ranks);
  return {static_cast<std::size_t>(count), about.combines ? 1 : packed_size(arguments.send.type)};
}

// Handles are of one type in some MPI libraries, so the names differ.
bool is_own_operator(MPI_Op op) {
  const std::array<MPI_Op, 16> known = {
      MPI_Op{}, MPI_OP_NULL, MPI_MAX,  MPI_MIN,  MPI_SUM,    MPI_PROD,   MPI_LAND,    MPI_BAND,
      MPI_LOR,  MPI_BOR,     MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
  return std::find(known.begin(), known.end(), op) == known.end() && !is_wide_sum(op);
}

}  // namespace pat::detail
