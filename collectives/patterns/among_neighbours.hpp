#pragma once

// The algorithms of both operations among neighbours: what travels along an edge differs, who sends
// when does not.

#include "collectives/algorithm.hpp"

namespace pat::neighbours {

Algorithm lin(Operation operation);
Algorithm latest_last(Operation operation);
Algorithm b_latest_last(Operation operation);

}  // namespace pat::neighbours
