#pragma once

#include "collectives/check/verify.hpp"
#include "collectives/clairvoyant/messages.hpp"

namespace pat::check {

/// Whether a generated schedule keeps the algorithm's own rules: at most one send and one receive a
/// process and round; nobody takes part before it has arrived (paper: by the end of the round whose
/// head it is judged by; latest-first: in the round of its whole tick); what was received in a
/// round is not sent on in it; nothing empty is sent; copies are marked, and only they; and at the
/// end the root, and it alone, holds every contribution of every segment exactly once. Cost:
/// O(messages x ranks / 64).
Verdict check_rounds(const clairvoyant::Instance& instance, const clairvoyant::MessageList& list);

}  // namespace pat::check
