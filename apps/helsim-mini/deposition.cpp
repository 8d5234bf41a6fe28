#include "apps/helsim-mini/deposition.hpp"

#include <omp.h>

#include "apps/helsim-mini/cloud.hpp"

namespace helsim {
namespace {

void add_cloud(const Cloud& cloud, std::int64_t* nodes) {
  constexpr auto scale = static_cast<double>(units_per_particle);
  std::int64_t rest = units_per_particle;
  for (int n = 0; n < 7; ++n) {
    const auto share = static_cast<std::int64_t>(cloud.weight[n] * scale + 0.5);
    nodes[cloud.node[n]] += share;
    rest -= share;
  }
  nodes[cloud.node[7]] += rest;
}

}  // namespace

std::vector<std::int64_t> deposit(const Domain& domain, const Particles& particles) {
  const std::size_t nodes = domain.node_box().volume();
  std::vector<std::int64_t> total(nodes);
  const auto count = static_cast<std::int64_t>(particles.size());
#pragma omp parallel
  {
    std::vector<std::int64_t> own(omp_get_num_threads() > 1 ? nodes : 0);
    std::int64_t* target = own.empty() ? total.data() : own.data();
#pragma omp for
    for (std::int64_t n = 0; n < count; ++n)
      add_cloud(
          Cloud(domain.grid(), domain.node_box(),
                {particles.position[0][n], particles.position[1][n], particles.position[2][n]}),
          target);
    if (!own.empty()) {
#pragma omp critical
      for (std::size_t n = 0; n < nodes; ++n) total[n] += own[n];
    }
  }
  domain.add_halo(total);
  domain.fill_halo(total);
  return total;
}

}  // namespace helsim
