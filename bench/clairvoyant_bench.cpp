// Speed of the schedule generators (seed 000 Section 5.7, Table 1, Figs. 7 and 8): P = N up to 2048
// and N = 64 up to P = 16384, uniform and skewed arrivals, every generator, and the key of a kept
// schedule; with the memory that a generator takes beside its result, in bits a cell of P x N.
//   clairvoyant_bench --benchmark_filter='fast|segment'

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "collectives/clairvoyant/rivals.hpp"
#include "collectives/clairvoyant/workload.hpp"

namespace {

/// Bytes that are allocated now and that were at most. One thread.
std::size_t allocated = 0, most_allocated = 0;

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  allocated += malloc_usable_size(memory);
  most_allocated = std::max(most_allocated, allocated);
  return memory;
}
void uncounted(void* memory) noexcept {
  if (memory != nullptr) allocated -= std::min(allocated, malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  uncounted(memory);
}

namespace pat::clairvoyant {
namespace {

/// Most memory that making `instance` takes once `list` has its size.
std::size_t bytes_beside(const Generator& generator, const Instance& instance, MessageList& list) {
  generator.generate(instance, list);
  const std::size_t before = allocated;
  most_allocated = allocated;
  generator.generate(instance, list);
  return most_allocated - before;
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

void register_all() {
  const auto add = [](int ranks, int segments) {
    for (const Arrivals arrivals : {Arrivals::uniform, Arrivals::skewed, Arrivals::balanced})
      for (const Order order : {Order::paper, Order::latest_first})
        for (const Generator& generator : generators_with_rivals()) {
          const bool slow = generator.name != "fast" && generator.name != "segment-tree";
          if (slow && ranks * segments > 256 * 256) continue;
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
  for (const Order order : {Order::paper, Order::latest_first})
    benchmark::RegisterBenchmark(("key/" + std::string(name(order))).c_str(), moved, order)
        ->Arg(128)
        ->Arg(512)
        ->Arg(4096);
}

}  // namespace
}  // namespace pat::clairvoyant

int main(int argc, char** argv) {
  pat::clairvoyant::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
