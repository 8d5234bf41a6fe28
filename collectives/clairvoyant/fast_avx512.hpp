#pragma once

#include "collectives/clairvoyant/messages.hpp"

namespace pat::clairvoyant {

/// fast() for processors with AVX-512. False, and nothing done, for instances of more than
/// 1024 segments or 32000 processes, and where it was not built.
bool fast_avx512(const Instance& instance, MessageList& out);

}  // namespace pat::clairvoyant
