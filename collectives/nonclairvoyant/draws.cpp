#include "collectives/nonclairvoyant/draws.hpp"

#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/seed_seq.hpp>

#include "core/errors.hpp"

namespace pat::nonclairvoyant {

Distribution distribution_of(const std::string& name) {
  if (name == "constant") return Distribution::constant;
  if (name == "exponential") return Distribution::exponential;
  if (name == "gamma") return Distribution::gamma;
  throw Error(ErrorKind::argument,
              "there is no distribution '" + name + "', give constant, exponential or gamma");
}

const char* name(Distribution distribution) {
  switch (distribution) {
    case Distribution::constant:
      return "constant";
    case Distribution::exponential:
      return "exponential";
    case Distribution::gamma:
      break;
  }
  return "gamma";
}

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t number) {
  boost::random::seed_seq words{seed, seed >> 32, number, number >> 32};
  generator_.seed(words);
}

void RandomStream::draw(const CostLaw& law, std::span<double> costs) {
  const auto fill = [&](auto distribution) {
    std::generate(costs.begin(), costs.end(), [&] { return distribution(generator_); });
  };
  if (law.mean <= 0.0)
    std::fill(costs.begin(), costs.end(), 0.0);
  else if (law.distribution == Distribution::exponential)
    fill(boost::random::exponential_distribution<double>(1.0 / law.mean));
  else if (law.distribution == Distribution::constant || law.cv <= 0.0)
    std::fill(costs.begin(), costs.end(), law.mean);
  else
    fill(boost::random::gamma_distribution<double>(1.0 / (law.cv * law.cv),
                                                   law.mean * law.cv * law.cv));
}

}  // namespace pat::nonclairvoyant
