// Speed of the schedule generators (seed 000 Section 5.7, Table 1, Figs. 7 and 8): P = N up to 2048
// and N = 64 up to P = 16384, uniform and skewed arrivals, every generator, and the key of a kept
// schedule; with the memory that a generator takes beside its result, in bits a cell of P x N.
//   clairvoyant_bench [--all] --benchmark_filter='fast|segment'
// --all: linear and the heaps beyond 256 x 256 too, which take minutes each.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "bench/counted_memory.hpp"
#include "collectives/clairvoyant/rivals.hpp"
#include "collectives/clairvoyant/workload.hpp"

namespace pat::clairvoyant {
namespace {

/// Most memory that making `instance` takes once `list` has its size.
std::size_t bytes_beside(const Generator& generator, const Instance& instance, MessageList& list) {
  generator.generate(instance, list);
  return most_bytes_held([&] { generator.generate(instance, list); });
}

void generate(benchmark::State& state, const Generator& generator, const Workload& workload) {
  const std::vector<Instance> instances = workload.instances(4);
  MessageList list;
  const double cells = static_cast<double>(workload.ranks) * workload.segments;
  const auto bytes = static_cast<double>(bytes_beside(generator, instances[0], list));
  state.counters["bits_per_cell"] = 8 * bytes / cells;
  std::size_t messages = 0, turn = 0;
  for (auto _ : state) {
    generator.generate(instances[turn++ % instances.size()], list);
    benchmark::DoNotOptimize(list.messages.data());
    messages += list.messages.size();
  }
  state.counters["ns_per_message"] =
      benchmark::Counter(static_cast<double>(messages) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// What it costs to see that arrivals which moved a little still lead to the same schedule.
void moved(benchmark::State& state, Order order) {
  const int ranks = static_cast<int>(state.range(0));
  std::vector<double> arrivals(Workload{Arrivals::uniform, ranks, 64, order, 1}.arrivals());
  const Instance known = make_instance(64, 0, arrivals, 0.5, order);
  arrivals[0] += 1e-12;
  for (auto _ : state)
    benchmark::DoNotOptimize(make_instance(64, 0, arrivals, 0.5, order) == known);
}

/// Seed 000, Lemma 1: what is done to the heaps where one process comes a round, over P N^2.
void heap_operations(benchmark::State& state, decltype(&pairing_heap_erasing) heaps) {
  const int segments = static_cast<int>(state.range(0)), ranks = 8 * segments;
  std::vector<double> arrivals(ranks);
  for (int i = 0; i < ranks; ++i) arrivals[i] = i;
  const Instance instance = make_instance(segments, 0, arrivals, 1.0, Order::paper);
  MessageList list;
  HeapOperations operations;
  for (auto _ : state) operations = heaps(instance, list, true);
  const double cells = static_cast<double>(ranks) * segments;
  state.counters["inserts_over_PNN"] = static_cast<double>(operations.inserts) / cells / segments;
  state.counters["erases_over_PNN"] = static_cast<double>(operations.erases) / cells / segments;
}

/// The slow generators take minutes beyond 256 x 256, where only `all` asks for them.
void register_all(bool all) {
  const auto add = [all](int ranks, int segments) {
    for (const Arrivals arrivals : {Arrivals::uniform, Arrivals::skewed, Arrivals::balanced})
      for (const Order order : {Order::paper, Order::latest_first})
        for (const Generator& generator : generators_with_rivals()) {
          const bool slow = generator.name != "fast" && generator.name != "segment-tree";
          if (slow && !all && ranks * segments > 256 * 256) continue;
          const Workload workload{arrivals, ranks, segments, order, 1};
          benchmark::RegisterBenchmark(
              (std::string(generator.name) + "/" + std::string(name(arrivals)) + "/" +
               std::string(name(order)) + "/P" + std::to_string(ranks) + "/N" +
               std::to_string(segments))
                  .c_str(),
              [&generator, workload](benchmark::State& state) {
                generate(state, generator, workload);
              })
              ->Unit(benchmark::kMicrosecond);
        }
  };
  for (int size = 4; size <= 2048; size *= 2) add(size, size);
  for (const int ranks : {4096, 16384}) add(ranks, 64);
  benchmark::RegisterBenchmark("lemma1/erased-at-once", heap_operations, pairing_heap_erasing)
      ->RangeMultiplier(2)
      ->Range(4, 64);
  benchmark::RegisterBenchmark("lemma1/filtered", heap_operations, pairing_heap_filtering)
      ->RangeMultiplier(2)
      ->Range(4, 64);
  for (const Order order : {Order::paper, Order::latest_first})
    benchmark::RegisterBenchmark(("key/" + std::string(name(order))).c_str(), moved, order)
        ->Arg(128)
        ->Arg(512)
        ->Arg(4096);
}

}  // namespace
}  // namespace pat::clairvoyant

int main(int argc, char** argv) {
  const auto end = std::remove_if(argv + 1, argv + argc,
                                  [](char* one) { return std::strcmp(one, "--all") == 0; });
  const bool all = end != argv + argc;
  argc = static_cast<int>(end - argv);
  pat::clairvoyant::register_all(all);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
