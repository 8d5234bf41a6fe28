#include "collectives/allreduce/spread.hpp"

#include <algorithm>
#include <numeric>

namespace pat::allreduce {
namespace {

class Spread {
 public:
  Spread(int places, int owners, int parts)
      : places_(places),
        owners_(owners),
        parts_(parts),
        last_(places - 1),
        has_(static_cast<std::size_t>(places), std::vector<bool>(parts, false)),
        held_(places, 0),
        holders_(parts, 0) {}

  std::vector<Transfer> run() {
    int missing = owners_ > 0 ? places_ * parts_ : 0;
    for (int round = 0; missing > 0; ++round) {
      sends_.assign(places_, false);
      receives_.assign(places_, false);
      const std::size_t before = all_.size();
      if (round < parts_) {
        const int owner = round % owners_;
        all_.push_back({round, owner, last_, round, true});
        for (const int place : {owner, last_}) sends_[place] = receives_[place] = true;
      }
      pass_on(round);
      for (std::size_t i = before; i < all_.size(); ++i) missing -= arrive(all_[i]);
    }
    return std::move(all_);
  }

 private:
  /// Rounds until the place exchanges.
  int exchanges_in(int place, int round) const {
    return place < owners_ && round < parts_ ? (place - round % owners_ + owners_) % owners_
                                             : owners_;
  }

  void pass_on(int round) {
    std::vector<int> parts, receivers(places_);
    for (int part = std::min(parts_, round) - 1; part >= 0; --part)
      if (holders_[part] < places_) parts.push_back(part);
    std::iota(receivers.begin(), receivers.end(), 0);
    std::stable_sort(parts.begin(), parts.end(),
                     [&](int a, int b) { return holders_[a] < holders_[b]; });
    std::stable_sort(receivers.begin(), receivers.end(), [&](int a, int b) {
      if (held_[a] != held_[b]) return held_[a] < held_[b];
      return exchanges_in(a, round) > exchanges_in(b, round);
    });
    for (const int part : parts) {
      auto receiver = receivers.begin();
      for (int sender = 0; sender < places_; ++sender) {
        if (sends_[sender] || !has_[sender][part]) continue;
        while (receiver != receivers.end() && (receives_[*receiver] || has_[*receiver][part]))
          ++receiver;
        if (receiver == receivers.end()) break;
        all_.push_back({round, sender, *receiver, part, false});
        sends_[sender] = receives_[*receiver] = true;
      }
    }
  }

  /// Returns how many places have the part now that did not.
  int arrive(const Transfer& transfer) {
    const auto take = [&](int place) {
      has_[place][transfer.part] = true;
      ++held_[place];
      ++holders_[transfer.part];
    };
    take(transfer.to);
    if (transfer.exchange) take(transfer.from);
    return transfer.exchange ? 2 : 1;
  }

  const int places_, owners_, parts_, last_;
  std::vector<std::vector<bool>> has_;  // by place and part: it has it finished
  std::vector<int> held_, holders_;
  std::vector<bool> sends_, receives_;  // in this round
  std::vector<Transfer> all_;
};

}  // namespace

std::vector<Transfer> spread_rounds(int places, int owners, int parts) {
  return Spread(places, owners, parts).run();
}

}  // namespace pat::allreduce
