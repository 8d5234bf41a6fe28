#include "libpat/execution/types_for_neighbours.hpp"

#include "collectives/operation_row.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/topology.hpp"

namespace pat::detail {
namespace {

void lengthen_to(std::size_t length, std::size_t ranks, BufferArgument& buffer,
                 std::vector<MPI_Datatype>& longer) {
  if (buffer.types == nullptr || length <= ranks) return;
  longer.assign(buffer.types, buffer.types + ranks);
  longer.resize(length, MPI_BYTE);
  buffer.types = longer.data();
}

}  // namespace

void TypesForNeighbours::lengthen(Arguments& arguments, MPI_Comm where) {
  if (arguments.blocks != Blocks::typed || !row(arguments.operation).all_to_all()) return;
  const std::shared_ptr<const Neighbours> neighbours = neighbours_in(where);
  if (neighbours == nullptr) return;
  int ranks = 0;
  check(PMPI_Comm_size(where, &ranks));
  const auto size = static_cast<std::size_t>(ranks);
  lengthen_to(neighbours->to.size(), size, arguments.send, send_);
  lengthen_to(neighbours->from.size(), size, arguments.recv, recv_);
}

}  // namespace pat::detail
