#include "libpat/execution/memory.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>

#include "libpat/mpi/check.hpp"
#include "libpat/mpi/local.hpp"

namespace pat::detail {

Area::Block Area::block_of(std::size_t unit) const {
  if (!blocks) return {0, items};
  const auto after =
      std::upper_bound(blocks->begin(), blocks->end(), unit,
                       [](std::size_t wanted, const Block& b) { return wanted < b.first_unit; });
  return *std::prev(after);
}

bool Area::fits(const Slice& slice) const {
  if (slice.length == 0) return true;
  const Block block = block_of(slice.offset);
  const std::size_t each = block.items.units_per_item;
  if ((slice.offset - block.first_unit) % each != 0 || slice.length % each != 0) return false;
  return block_of(slice.offset + slice.length - 1).first_unit == block.first_unit;
}

Place Area::place(const Slice& slice) const {
  if (slice.length == 0) return {};
  const auto [first_unit, there] = block_of(slice.offset);
  const int count = static_cast<int>(slice.length / there.units_per_item);
  const std::size_t item = (slice.offset - first_unit) / there.units_per_item;
  return {there.base + static_cast<MPI_Aint>(item) * there.stride, count, there.type};
}

std::vector<Slice> Area::contiguous_pieces(const Slice& slice) const {
  if (!blocks) return {slice};
  std::vector<Slice> pieces;
  const std::size_t end = slice.offset + slice.length;
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    const std::size_t from = std::max(slice.offset, (*blocks)[i].first_unit);
    const std::size_t to =
        i + 1 < blocks->size() ? std::min(end, (*blocks)[i + 1].first_unit) : end;
    if (from < to) pieces.push_back({slice.buffer, from, to - from});
  }
  return pieces;
}

Items Items::packed(const void* buffer, MPI_Count count, MPI_Datatype type,
                    const DatatypeInfo& info) {
  auto* base = static_cast<std::byte*>(const_cast<void*>(buffer));
  const bool countable = static_cast<std::size_t>(count) * info.size <= INT_MAX;
  if (info.dense && countable) return {base};
  return {base, type, info.size, info.extent};
}

Area Area::elements(const void* buffer, MPI_Datatype type, const DatatypeInfo& info) {
  return {{static_cast<std::byte*>(const_cast<void*>(buffer)), type, 1, info.extent}, nullptr};
}

ElementMemory element_memory(std::size_t count, MPI_Datatype type, const DatatypeInfo& info) {
  MPI_Aint lower = 0, true_extent = 0;
  check(PMPI_Type_get_true_extent(type, &lower, &true_extent));
  const MPI_Aint reach = info.extent * (static_cast<MPI_Aint>(count) - 1);
  const MPI_Aint back = std::max<MPI_Aint>(0, -reach);
  ElementMemory room;
  room.memory =
      raw_memory(static_cast<std::size_t>(std::max<MPI_Aint>(0, reach) + back + true_extent));
  room.area = Area::elements(room.memory.get() + back - lower, type, info);
  return room;
}

namespace {

/// The same memory, not from MPI_BOTTOM, for as long as it is needed: MPICH takes a null address
/// for a mistake in MPI_Pack and MPI_Unpack.
class Anchored {
 public:
  explicit Anchored(const Place& place) : place_(place) {
    if (place.address != MPI_BOTTOM) return;
    static std::byte anchor{};
    MPI_Aint at = 0;
    check(PMPI_Get_address(&anchor, &at));
    const MPI_Aint back = -at;
    check(PMPI_Type_create_hindexed(1, &place.count, &back, place.type, &shifted_));
    check(PMPI_Type_commit(&shifted_));
    place_ = {&anchor, 1, shifted_};
  }
  ~Anchored() {
    if (shifted_ != MPI_DATATYPE_NULL) PMPI_Type_free(&shifted_);
  }
  Anchored(const Anchored&) = delete;
  Anchored& operator=(const Anchored&) = delete;
  const Place& get() const { return place_; }

 private:
  Place place_;
  MPI_Datatype shifted_ = MPI_DATATYPE_NULL;
};

void pack(const Place& from, void* to, int room, int* position) {
  const Anchored there(from);
  check(PMPI_Pack(there.get().address, there.get().count, there.get().type, to, room, position,
                  local_communicator()));
}

void unpack(const void* from, int bytes, int* position, const Place& to) {
  const Anchored there(to);
  check(PMPI_Unpack(from, bytes, position, there.get().address, there.get().count, there.get().type,
                    local_communicator()));
}

/// Both sides typed. Through packed bytes: a message to oneself would be one that the program's own
/// receives, or another thread's copy, could take.
void copy_typed(const Place& from, const Place& to) {
  const DatatypeInfo info = inspect(from.type);
  const std::size_t bytes = static_cast<std::size_t>(from.count) * info.size;
  if (from.type == to.type && info.dense) {
    std::memcpy(to.address, from.address, bytes);
    return;
  }
  int limit = 0, packed = 0, unpacked = 0;
  check(PMPI_Pack_size(from.count, from.type, local_communicator(), &limit));
  const RawMemory memory = raw_memory(static_cast<std::size_t>(limit));
  pack(from, memory.get(), limit, &packed);
  unpack(memory.get(), packed, &unpacked, to);
}

}  // namespace

void copy_place(const Place& from, const Place& to) {
  if (from.count == 0) return;
  int position = 0;
  if (from.type == MPI_PACKED && to.type == MPI_PACKED) {
    std::memcpy(to.address, from.address, static_cast<std::size_t>(from.count));
  } else if (from.type == MPI_PACKED) {
    unpack(from.address, from.count, &position, to);
  } else if (to.type == MPI_PACKED) {
    pack(from, to.address, to.count, &position);
  } else {
    copy_typed(from, to);
  }
}

}  // namespace pat::detail
