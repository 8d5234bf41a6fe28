#include "libpat/memory.hpp"

#include <cstring>

#include "libpat/mpi_check.hpp"

namespace pat {

Place Area::place(const Slice& slice) const {
  if (slice.length == 0) return {};
  const auto item = static_cast<MPI_Aint>(slice.offset / units_per_item);
  return {base + item * stride, static_cast<int>(slice.length / units_per_item), type};
}

Area Area::packed(const void* buffer, MPI_Datatype type, const DatatypeInfo& info) {
  auto* base = static_cast<std::byte*>(const_cast<void*>(buffer));
  if (info.dense) return raw_bytes(base);
  return {base, type, info.size, info.extent};
}

Area Area::elements(const void* buffer, MPI_Datatype type, const DatatypeInfo& info) {
  return {static_cast<std::byte*>(const_cast<void*>(buffer)), type, 1, info.extent};
}

void copy_place(const Place& from, const Place& to) {
  if (from.count == 0) return;
  int position = 0;
  if (from.type == MPI_PACKED && to.type == MPI_PACKED) {
    std::memcpy(to.address, from.address, static_cast<std::size_t>(from.count));
  } else if (from.type == MPI_PACKED) {
    check(PMPI_Unpack(from.address, from.count, &position, to.address, to.count, to.type,
                      MPI_COMM_SELF));
  } else if (to.type == MPI_PACKED) {
    check(PMPI_Pack(from.address, from.count, from.type, to.address, to.count, &position,
                    MPI_COMM_SELF));
  } else {
    check(PMPI_Sendrecv(from.address, from.count, from.type, 0, 0, to.address, to.count, to.type, 0,
                        0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  }
}

}  // namespace pat
