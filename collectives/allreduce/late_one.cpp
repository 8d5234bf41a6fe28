#include "collectives/allreduce/late_one.hpp"

#include <algorithm>

#include "collectives/patterns/circulant.hpp"

namespace pat::allreduce {

LateOne::LateOne(int places, int pieces) : places_(places), pieces_(pieces) {
  if (places > 1) plan();
  lay_out();
}

/// The pieces of an owner are those that it gets from place 0, but for the last, which goes to all.
void LateOne::lay_out() {
  owners_ = circulant_skips(places_);
  owners_.pop_back();
  position_.assign(static_cast<std::size_t>(pieces_), -1);
  int next = 0;
  for (const int owner : owners_) {
    const int first = next;
    for (const Transfer& transfer : transfers_)
      if (transfer.from == 0 && transfer.to == owner && position_[transfer.part] < 0)
        position_[transfer.part] = next++;
    runs_.push_back({first, next});
  }
  for (int& position : position_)
    if (position < 0) position = next++;  // one place: nobody sends
}

reduce::Parts LateOne::last_of(int owner) const {
  const int last = position_[pieces_ - 1];
  if (last >= runs_[owner].first && last < runs_[owner].last) return {last, last};
  return {last, last + 1};
}

void LateOne::plan() {
  const CirculantBroadcast broadcast(places_, pieces_);
  std::vector<std::vector<int>> received;
  for (int place = 0; place < places_; ++place) received.push_back(broadcast.received_by(place));
  std::vector<std::vector<bool>> has(static_cast<std::size_t>(places_),
                                     std::vector<bool>(static_cast<std::size_t>(pieces_), false));
  int missing = pieces_;  // at place 0
  for (int round = 0; missing > 0; ++round) {
    const bool over = round >= broadcast.rounds();
    const std::size_t before = transfers_.size();
    // Place 0 sends the last piece until the end: only then may its result take the place of that.
    const int back = over ? 1 + round % (places_ - 1) : broadcast.previous(0, round);
    for (int part = 0; part < pieces_ - (over ? 0 : 1); ++part)
      if (has[back][part] && !has[0][part]) {
        transfers_.push_back({round, back, 0, part, false});
        --missing;
        break;
      }
    for (int place = 1; !over && place < places_; ++place)
      if (received[place][round] >= 0)
        transfers_.push_back(
            {round, broadcast.previous(place, round), place, received[place][round], false});
    for (std::size_t i = before; i < transfers_.size(); ++i)
      has[transfers_[i].to][transfers_[i].part] = true;
  }
}

}  // namespace pat::allreduce
