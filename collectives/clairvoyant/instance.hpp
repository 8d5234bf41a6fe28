#pragma once

// What a Clairvoyant schedule depends on, in whole numbers, so that every generator on every rank
// computes exactly the same (Marendic et al. 2016; Proficz, Ocetkiewicz 2020).

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pat::clairvoyant {

/// In which order the ready processes of a round look for a partner and are looked at as senders.
/// The root, once it has come, is the first in both.
enum class Order {
  paper,        ///< earliest availability first, then rank (Proficz, Ocetkiewicz 2020, Listing 2)
  latest_first  ///< latest whole tick of arrival first, then rank
};

/// Which processes take part in a round whose head is available at h: with length d, those
/// available at h + d at the latest (closed; Listings 1 and 2), or before it (open; Listing 6).
enum class Window { closed, open };

/// Names used on the command line: "paper", "latest-first".
std::string_view name(Order order);
std::optional<Order> find_order(std::string_view text);

/// Most segments and ranks that a Message can name.
inline constexpr int most_segments = (1 << 15) - 1;
inline constexpr int most_ranks = 1 << 24;

/// A reduction to be scheduled. Times are cut into whole rounds and a remainder; of the remainders
/// only their order matters. Nothing is rounded, so adding a round to a time adds exactly 1.
struct Instance {
  int ranks = 1;
  int segments = 1;
  int root = 0;
  Order order = Order::paper;
  Window window = Window::closed;
  std::vector<std::uint32_t> tick;  ///< per rank: whole rounds before it arrives
  std::vector<std::uint32_t> part;  ///< per rank: place of its remainder among the different ones

  bool operator==(const Instance&) const = default;
};

/// Cuts arrival times (seconds, at least 0) by the length of a round (seconds, above 0).
/// paper: fmod, which is exact, against time 0. latest_first: whole ticks since the first arrival,
/// floor((a - a_min) / d); all remainders count as 0. Throws Error for what makes no sense: NaN,
/// negative or infinite times, no segments, a root that is not a rank, or a spread of arrivals of
/// more than 2^31 rounds.
Instance make_instance(int segments, int root, std::span<const double> arrival_s, double round_s,
                       Order order, Window window = Window::closed);

}  // namespace pat::clairvoyant
