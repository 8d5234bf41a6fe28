// Arrival patterns, times and sizes as the commands take them: "uniform:50ms", "4k:1M", "ramp:5ms".

#include "measure/delays.hpp"

#include "apps/fft/imbalance.hpp"
#include "core/units.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;

namespace {

void use_pattern(const std::string& text) {
  if (text.find("trace:") != std::string::npos) return;  // names a file
  constexpr int ranks = 5;
  const auto delays = measure::make_delays(text, {ranks, 2, 1});
  for (std::uint64_t iteration = 0; iteration < 3; ++iteration) {
    const std::vector<double> delay_s = delays->at(iteration);
    fuzz::require(delay_s.size() == ranks);
    for (const double delay : delay_s)
      fuzz::require(delay >= 0.0 && delay <= measure::longest_delay_s);
  }
}

void use_imbalance(const std::string& text) {
  const fft::Imbalance imbalance = fft::parse_imbalance(text);
  const double delay_s = fft::delay_s(imbalance, 1, 0, 1, 3);
  fuzz::require(delay_s >= 0.0 && delay_s <= 10.0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text(data, size);
  fuzz::read([&] { use_pattern(text); });
  fuzz::read([&] { use_imbalance(text); });
  parse_seconds(text, BareNumber::seconds);
  fuzz::read([&] {
    for (const std::size_t bytes : parse_sizes(text)) fuzz::require(bytes > 0);
  });
  return 0;
}
