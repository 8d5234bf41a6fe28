#include "libpat/execution/arguments.hpp"

#include <algorithm>
#include <array>
#include <climits>

#include "collectives/operation_row.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/wide_sum.hpp"

namespace pat::detail {
namespace {

void* place_of_block(const BufferArgument& buffer, const DatatypeInfo& info, int rank) {
  return static_cast<char*>(const_cast<void*>(buffer.address)) +
         buffer.displacement_of(rank) * info.extent;
}

/// Packed bytes of `type`: one block, or the blocks of all ranks.
Area moved_area(const BufferArgument& buffer, Holds holds, int rank, int ranks) {
  const DatatypeInfo info = inspect(buffer.type);
  if (!buffer.varies)
    return Area::packed(buffer.address, static_cast<int>(buffer.count), buffer.type, info);
  if (holds == Holds::block)
    return Area::packed(buffer.address, static_cast<int>(buffer.count_of(rank)), buffer.type, info);
  std::vector<int> counts;
  std::vector<MPI_Aint> displacements;
  for (int r = 0; r < ranks; ++r) {
    counts.push_back(static_cast<int>(buffer.count_of(r)));
    displacements.push_back(buffer.displacement_of(r));
  }
  return Area::packed_blocks(buffer.address, counts, displacements, buffer.type, info);
}

/// The block of `rank` in a buffer that holds all.
Area own_block(const BufferArgument& buffer, int rank) {
  const DatatypeInfo info = inspect(buffer.type);
  return Area::packed(place_of_block(buffer, info, rank), static_cast<int>(buffer.count_of(rank)),
                      buffer.type, info);
}

/// All blocks of a process that sends them in place, before the first that it receives lands there.
UserBuffers bind_exchanged(const Arguments& a, int rank, int ranks) {
  UserBuffers buffers;
  buffers.recv = moved_area(a.recv, Holds::all_blocks, rank, ranks);
  const DatatypeInfo info = inspect(a.recv.type);
  const std::size_t bytes =
      static_cast<std::size_t>(a.recv.count) * info.size * static_cast<std::size_t>(ranks);
  std::shared_ptr<std::byte[]> copy(raw_memory(bytes));
  const Slice whole{Buffer::send, 0, bytes};
  buffers.send = Area::raw_bytes(copy.get());
  copy_place(buffers.recv.place(whole), buffers.send.place(whole));
  buffers.keeps = copy;
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

UserBuffers bind(const Arguments& arguments, int rank, int ranks) {
  const OperationRow& about = row(arguments.operation);
  if (about.all_to_all() && arguments.send.in_place())
    return bind_exchanged(arguments, rank, ranks);
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
