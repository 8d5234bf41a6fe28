#include "libpat/execution/packed_aside.hpp"

#include <climits>

#include "collectives/operation_row.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::detail {

std::unique_ptr<PackedAside> PackedAside::make(const Arguments& arguments, MPI_Comm where) {
  const bool exchanges = row(arguments.operation).all_to_all() && arguments.varying();
  if (!exchanges || !arguments.send.in_place()) return nullptr;
  int ranks = 0;
  check(PMPI_Comm_size(where, &ranks));
  auto made = std::make_unique<PackedAside>();
  std::size_t place = 0;
  for (const std::size_t bytes : packed_blocks(arguments.recv, ranks)) {
    made->large_.counts.push_back(static_cast<MPI_Count>(bytes));
    made->large_.displacements.push_back(static_cast<MPI_Aint>(place));
    place += bytes;
  }
  if (place > INT_MAX && !arguments.large) return nullptr;
  made->small_.counts.assign(made->large_.counts.begin(), made->large_.counts.end());
  made->small_.displacements.assign(made->large_.displacements.begin(),
                                    made->large_.displacements.end());
  made->types_.assign(static_cast<std::size_t>(ranks), MPI_PACKED);
  made->memory_ = raw_memory(place);
  const Area from = area_of_blocks(arguments.recv, ranks),
             to = Area::raw_bytes(made->memory_.get());
  for (const Slice& block : from.contiguous_pieces({Buffer::recv, 0, place}))
    copy_place(from.place(block), to.place(block));
  made->arguments_ = arguments;
  BufferArgument& send = made->arguments_.send;
  send = {
      .address = made->memory_.get(), .type = MPI_PACKED, .varies = true, .large = arguments.large};
  if (arguments.blocks == Blocks::typed) send.types = made->types_.data();
  send.counts = arguments.large ? static_cast<const void*>(made->large_.counts.data())
                                : made->small_.counts.data();
  send.displacements = arguments.large ? static_cast<const void*>(made->large_.displacements.data())
                                       : made->small_.displacements.data();
  return made;
}

}  // namespace pat::detail
