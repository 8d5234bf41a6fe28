// broadcast_models FIGURE: the model plots of seed 003, each point by the formula and simulated.
// Lines "x;way;formula_s;simulated_s" on standard output; bench/reproduce/seed003 draws them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/cost/terms.hpp"

namespace {

using namespace pat;

/// Of the slides.
constexpr LinkCost infiniband{.alpha_s = 40e-6, .beta_s_per_byte = 8.0 / 40e9};  // 40 Gbit/s
constexpr LinkCost gigabit{.alpha_s = 50e-6, .beta_s_per_byte = 4.7e-8};

/// What a figure says of a broadcast; 0 segments, variant -1: the algorithm chooses.
struct Point {
  LinkCost cost;
  int ranks = 64;
  std::size_t bytes = 1024;
  int segments = 0;
  int variant = -1;
};

void print(double x, const char* way, const char* algorithm, const Point& point) {
  Problem problem;
  problem.operation = Operation::bcast;
  problem.ranks = point.ranks;
  problem.units = point.bytes;
  problem.unit_bytes = 1;
  problem.segments = point.segments;
  problem.variant = point.variant;
  problem.cost = point.cost;
  const Algorithm& one = get_algorithm(Operation::bcast, algorithm);
  const ArrivalPattern flat = ArrivalPattern::flat(point.ranks);
  if (one.tune != nullptr) {
    const Tuning tuning = one.tune(problem, flat);
    problem.segments = tuning.segments;
    problem.variant = tuning.variant;
  }
  const CostModel model{.alpha_s = point.cost.alpha_s,
                        .beta_s_per_byte = point.cost.beta_s_per_byte,
                        .gamma_s_per_byte = 0.0};
  const double simulated_s = simulate(build_schedule(one, problem, flat), flat, model).run_time_s();
  std::printf("%g;%s;%.9g;%.9g\n", x, way, one.flat_s(CostTerms(problem, model)), simulated_s);
}

/// Time over k of the trees: 1 KiB, 40 Gbit/s.
void trees() {
  for (const int ranks : {64, 128, 1024})
    for (int k = 2; k <= 16; ++k)
      for (const char* tree : {"knomial", "kary"}) {
        const std::string way = std::string(tree) + ", " + std::to_string(ranks) + " processes";
        print(k, way.c_str(), tree, {.cost = infiniband, .ranks = ranks, .variant = k});
      }
}

/// Time of the pipeline over the segment size: 128 processes.
void segments() {
  for (const int mib : {1, 2, 3})
    for (int segment = 1 << 10; segment <= 1 << 20; segment *= 2) {
      const std::size_t bytes = static_cast<std::size_t>(mib) << 20;
      const std::string way = std::to_string(mib) + " MiB";
      print(segment, way.c_str(), "pipeline",
            {.cost = gigabit,
             .ranks = 128,
             .bytes = bytes,
             .segments = static_cast<int>(bytes) / segment});
    }
}

/// Binomial tree against pipeline over the size: 64 processes, 40 Gbit/s.
void crossing() {
  for (std::size_t bytes = 1 << 10; bytes <= 1 << 24; bytes *= 2) {
    const Point point{.cost = infiniband, .bytes = bytes};
    Point fixed = point;
    fixed.segments = static_cast<int>(std::max<std::size_t>(1, bytes / 4096));
    print(static_cast<double>(bytes), "binomial tree", "knomial", point);
    print(static_cast<double>(bytes), "pipeline, segments of 4 KiB", "pipeline", fixed);
    print(static_cast<double>(bytes), "pipeline, best segments", "pipeline", point);
  }
}

/// The three broadcasts over the size, and the one that is best in rounds: 128 processes.
void three() {
  for (std::size_t bytes = 1 << 10; bytes <= 1 << 24; bytes *= 2) {
    const Point point{.cost = gigabit, .ranks = 128, .bytes = bytes};
    print(static_cast<double>(bytes), "pipelined binary tree", "pipelined-binary", point);
    print(static_cast<double>(bytes), "binomial tree", "knomial", point);
    print(static_cast<double>(bytes), "pipeline", "pipeline", point);
    print(static_cast<double>(bytes), "circulant", "circulant", point);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string figure = argc == 2 ? argv[1] : "";
  if (figure == "trees")
    trees();
  else if (figure == "segments")
    segments();
  else if (figure == "crossing")
    crossing();
  else if (figure == "three")
    three();
  else {
    std::fprintf(stderr, "broadcast_models: give one of trees, segments, crossing, three\n");
    return 2;
  }
  return 0;
}
