#include "apps/fft/imbalance.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "apps/fft/seeds.hpp"
#include "core/errors.hpp"

namespace pat::fft {
namespace {

constexpr double longest_s = 10.0;

using Shape = Imbalance::Shape;
constexpr std::array<std::pair<std::string_view, Shape>, 3> shapes = {
    {{"uniform", Shape::uniform}, {"ramp", Shape::ramp}, {"straggler", Shape::straggler}}};
constexpr std::array<std::pair<std::string_view, double>, 3> units = {
    {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}}};

std::optional<double> parse_seconds(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, factor] : units) {
    const double seconds = number * factor;
    if (unit == name && seconds >= 0.0 && seconds <= longest_s) return seconds;
  }
  return std::nullopt;
}

}  // namespace

Imbalance parse_imbalance(const std::string& text) {
  if (text == "none") return {};
  const std::string_view all = text;
  const std::size_t colon = all.find(':');
  if (colon != std::string_view::npos) {
    const std::optional<double> delay = parse_seconds(all.substr(colon + 1));
    for (const auto& [name, shape] : shapes)
      if (delay && name == all.substr(0, colon)) return {shape, *delay};
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
