#include "apps/fft/imbalance.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "apps/fft/seeds.hpp"
#include "core/errors.hpp"
#include "core/units.hpp"

namespace pat::fft {
namespace {

constexpr double longest_s = 10.0;

using Shape = Imbalance::Shape;
constexpr std::array<std::pair<std::string_view, Shape>, 3> shapes = {
    {{"uniform", Shape::uniform}, {"ramp", Shape::ramp}, {"straggler", Shape::straggler}}};

}  // namespace

Imbalance parse_imbalance(const std::string& text) {
  if (text == "none") return {};
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto delay = parse_seconds(text.substr(colon + 1), BareNumber::refused);
    for (const auto& [name, shape] : shapes)
      if (delay && *delay <= longest_s && name == text.substr(0, colon)) return {shape, *delay};
  }
  throw Error(ErrorKind::argument,
              "--imbalance is '" + text +
                  "', write none, uniform:TIME, ramp:TIME or straggler:TIME with a time of at most "
                  "10s such as 5ms");
}

std::string to_string(const Imbalance& imbalance) {
  for (const auto& [name, shape] : shapes) {
    if (shape != imbalance.shape) continue;
    std::array<char, 32> number;
    const auto [end, error] =
        std::to_chars(number.data(), number.data() + number.size(), imbalance.delay_s * 1e3);
    return std::string(name) + ":" + std::string(number.data(), end) + "ms";
  }
  return "none";
}

double delay_s(const Imbalance& imbalance, std::uint64_t seed, std::size_t pattern, int rank,
               int ranks) {
  const auto r = static_cast<std::uint64_t>(rank);
  switch (imbalance.shape) {
    case Shape::none:
      return 0.0;
    case Shape::uniform: {
      std::mt19937_64 generator = generator_for(seed, {1, pattern, r});
      return uniform(generator) * imbalance.delay_s;
    }
    case Shape::ramp:
      return ranks > 1 ? imbalance.delay_s * rank / (ranks - 1) : 0.0;
    case Shape::straggler: {
      std::mt19937_64 generator = generator_for(seed, {2, pattern});
      const auto chosen = static_cast<std::uint64_t>(uniform(generator) * ranks);
      return chosen == r ? imbalance.delay_s : 0.0;
    }
  }
  return 0.0;
}

}  // namespace pat::fft
