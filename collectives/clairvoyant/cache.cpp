#include "collectives/clairvoyant/cache.hpp"

#include <algorithm>

#include "collectives/clairvoyant/generators.hpp"

namespace pat::clairvoyant {

std::shared_ptr<const MessageList> Cache::get(const Request& request,
                                              std::span<const double> arrival_s) {
  Instance key = make_instance(request.segments, request.root, arrival_s, request.round_s,
                               request.order, request.window);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  if (found != entries_.end()) {
    found->used = ++clock_;
    ++hits_;
    return found->list;
  }
  ++misses_;
  auto list = std::make_shared<MessageList>();
  fast(key, *list);
  if (entries_.size() == capacity_)
    entries_.erase(
        std::min_element(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.used < b.used; }));
  entries_.push_back({std::move(key), std::move(list), ++clock_});
  return entries_.back().list;
}

MessageList rows_of(const MessageList& list, int rank) {
  MessageList own;
  for (std::size_t r = 0; r < list.rounds.size(); ++r) {
    Round round = list.rounds[r];
    round.first = static_cast<std::uint32_t>(own.messages.size());
    for (const Message& m : list.of(r))
      if (m.sender() == rank || m.receiver() == rank) own.messages.push_back(m);
    if (own.messages.size() > round.first) own.rounds.push_back(round);
  }
  return own;
}

}  // namespace pat::clairvoyant
