#pragma once

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

/// Linear search in a state matrix. `skip_idle` off plays idle rounds one by one, as the papers'
/// pseudo-code does; the result is the same.
void linear_search(const Instance& instance, MessageList& out, bool skip_idle);
void linear(const Instance& instance, MessageList& out);

}  // namespace pat::clairvoyant
