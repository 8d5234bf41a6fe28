// Decisions on the wire (libpat/agreement/decision.hpp), and the programs that are built from them.

#include "libpat/agreement/decision.hpp"

#include <cmath>

#include "libpat/agreement/kept_program.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;
using detail::Decision;

namespace {

void require_same_message(const Decision& decision) {
  detail::DecisionReader reader;
  Decision again;
  const auto messages = detail::encode(decision, 4096);
  for (const auto& message : messages)
    fuzz::require(reader.read(message.data(), message.size(), again) ==
                  (&message == &messages.back()));
  fuzz::require(again.ticks == decision.ticks && again.count == decision.count &&
                again.algorithm == decision.algorithm && again.cost == decision.cost);
}

/// As libpat does it for a stream whose calls have this size. So many segments that it takes
/// seconds are right, but slow.
void build(const Decision& decision) {
  if (is_library(decision.chosen()) || decision.ticks.size() > 16 || decision.segments > 512)
    return;
  Problem problem;
  problem.operation = decision.chosen().operation;
  problem.ranks = static_cast<int>(decision.ticks.size());
  problem.units = 4096;
  problem.segments = static_cast<int>(decision.segments);
  problem.variant = decision.variant;
  problem.window = static_cast<int>(decision.window);
  problem.cost = decision.cost;
  problem.only_rank = problem.ranks / 2;
  detail::KeptProgram kept;
  fuzz::require(kept.get(problem, decision, nullptr) != nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  detail::DecisionReader reader;
  while (!bytes.empty()) {
    const std::string message = bytes.string(bytes.number<std::uint16_t>());
    fuzz::read([&] {
      Decision decision;
      if (!reader.read(fuzz::as_bytes(message), message.size(), decision)) return;
      for (const double offset_s : decision.pattern().offset_s)
        fuzz::require(std::isfinite(offset_s) && offset_s >= 0.0);
      require_same_message(decision);
      build(decision);
    });
  }
  return 0;
}
