#pragma once

#include <cmath>
#include <random>
#include <sstream>
#include <string>

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant::test {

/// P and N from 1 to the given most, any root, both orders and windows; arrivals uniform, skewed,
/// equal or tied; rounds from 1e-6 to longer than all arrivals.
inline Instance random_case(std::mt19937_64& random, int most_ranks, int most_segments) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const int ranks = 1 + static_cast<int>(random() % most_ranks);
  const int segments = 1 + static_cast<int>(random() % most_segments);
  std::vector<double> arrivals(ranks, 0.0);
  const auto kind = random() % 5;
  for (double& arrival : arrivals) {
    if (kind == 0) arrival = ranks * unit(random);                         // uniform
    if (kind == 1) arrival = static_cast<double>(random() % (2 * ranks));  // tied, whole numbers
    if (kind == 2) arrival = std::floor(4 * ranks * unit(random)) / 8;     // tied, on eighths
  }
  if (kind == 3) arrivals[random() % ranks] = segments * unit(random);  // skewed
  const double exponent = -6.0 + 6.0 * unit(random);
  double round = 2.0 * ranks * std::pow(10.0, exponent);
  if (random() % 2) round = std::ldexp(1.0, static_cast<int>(random() % 6) - 3);  // exact multiples
  if (random() % 4 == 0) round = 0.05 + unit(random);
  return make_instance(segments, static_cast<int>(random() % ranks), arrivals, round,
                       random() % 2 ? Order::paper : Order::latest_first,
                       random() % 4 ? Window::closed : Window::open);
}

inline std::string show(const Instance& instance) {
  std::ostringstream text;
  text << "P=" << instance.ranks << " N=" << instance.segments << " root=" << instance.root << " "
       << name(instance.order) << (instance.window == Window::open ? " open" : " closed")
       << " ticks";
  for (int p = 0; p < instance.ranks; ++p)
    text << ' ' << instance.tick[p] << '.' << instance.part[p];
  return text.str();
}

}  // namespace pat::clairvoyant::test
