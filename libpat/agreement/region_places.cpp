#include "libpat/agreement/region_places.hpp"

#include "core/errors.hpp"

namespace pat::detail {

RegionPlaces::~RegionPlaces() {
  for (const auto& block : blocks_) delete[] block.load();
}

RegionState& RegionPlaces::add(const std::string& name) {
  const std::uint32_t id = size(), block = block_of(id);
  if (block >= blocks_.size())
    throw Error(ErrorKind::argument, "there are more than two thousand million regions, free some");
  if (blocks_[block].load() == nullptr) blocks_[block] = new Place[first_block << block];
  Place& place = blocks_[block].load()[offset_of(id)];
  place = std::make_unique<RegionState>(id, name);
  size_.store(id + 1, std::memory_order_release);
  return *place;
}

RegionState* RegionPlaces::find(std::uint32_t id) const {
  return id < size() ? blocks_[block_of(id)].load()[offset_of(id)].get() : nullptr;
}

}  // namespace pat::detail
