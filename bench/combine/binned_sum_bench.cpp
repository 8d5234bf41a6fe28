// What order-free sums cost beside plain ones: cutting numbers into bins, adding accumulators and
// rounding them, in gigabytes of the program's numbers a second.
//
//   build/release/bin/binned_sum_bench

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "core/binned_sum.hpp"

namespace {

using pat::BinnedSum;

constexpr std::size_t count = std::size_t{1} << 17;  // a megabyte of doubles

template <class T>
std::vector<T> numbers() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(normal(random));
  return values;
}

template <class T>
std::vector<std::byte> accumulators() {
  std::vector<std::byte> sums(count * BinnedSum<T>::bytes);
  BinnedSum<T>::deposit(numbers<T>(), sums.data());
  return sums;
}

void say_bytes(benchmark::State& state, std::size_t each) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(count * each));
}

template <class T>
void plain_add(benchmark::State& state) {
  const std::vector<T> from = numbers<T>();
  std::vector<T> to = from;
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
    benchmark::ClobberMemory();
  }
  say_bytes(state, sizeof(T));
}

template <class T>
void deposit(benchmark::State& state) {
  const std::vector<T> values = numbers<T>();
  std::vector<std::byte> sums(count * BinnedSum<T>::bytes);
  for (auto _ : state) {
    BinnedSum<T>::deposit(values, sums.data());
    benchmark::ClobberMemory();
  }
  say_bytes(state, sizeof(T));
}

template <class T>
void add(benchmark::State& state) {
  const std::vector<std::byte> from = accumulators<T>(), start = from;
  std::vector<std::byte> to = start;
  for (auto _ : state) {
    BinnedSum<T>::add(from.data(), to.data(), count);
    benchmark::ClobberMemory();
  }
  say_bytes(state, sizeof(T));
}

template <class T>
void round(benchmark::State& state) {
  const std::vector<std::byte> sums = accumulators<T>();
  std::vector<T> values(count);
  for (auto _ : state) {
    BinnedSum<T>::round(sums.data(), values);
    benchmark::ClobberMemory();
  }
  say_bytes(state, sizeof(T));
}

BENCHMARK(plain_add<double>);
BENCHMARK(deposit<double>);
BENCHMARK(add<double>);
BENCHMARK(round<double>);
BENCHMARK(plain_add<float>);
BENCHMARK(deposit<float>);
BENCHMARK(add<float>);
BENCHMARK(round<float>);

}  // namespace

BENCHMARK_MAIN();
