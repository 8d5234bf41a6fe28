#include "collectives/clairvoyant/workload.hpp"

#include <random>

namespace pat::clairvoyant {
namespace {

std::vector<double> draw(const Workload& workload, std::mt19937_64& random) {
  std::vector<double> arrivals(workload.ranks, 0.0);
  std::uniform_real_distribution<double> uniform(0.0, workload.ranks + 0.1);
  if (workload.kind == Arrivals::uniform)
    for (double& arrival : arrivals) arrival = uniform(random);
  if (workload.kind == Arrivals::skewed) arrivals.back() = workload.segments;
  return arrivals;
}

}  // namespace

std::string_view name(Arrivals arrivals) {
  switch (arrivals) {
    case Arrivals::uniform:
      return "uniform";
    case Arrivals::skewed:
      return "skewed";
    case Arrivals::balanced:
      return "balanced";
  }
  return "";
}

std::vector<Instance> Workload::instances(int count) const {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> length(0.001, 1.0);
  std::vector<Instance> result;
  for (int i = 0; i < count; ++i) {
    const std::vector<double> arrivals = draw(*this, random);
    const int root = kind == Arrivals::uniform ? static_cast<int>(random() % ranks) : 0;
    result.push_back(make_instance(segments, root, arrivals, length(random), order));
  }
  return result;
}

std::vector<double> Workload::arrivals() const {
  std::mt19937_64 random(seed);
  return draw(*this, random);
}

}  // namespace pat::clairvoyant
