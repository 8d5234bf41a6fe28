// Who combines faster on contiguous data: MPI_Reduce_local, or a loop of our own that the compiler
// vectorises for the processor at hand. The answer decides which one libpat calls.
//
//   build/release/bin/combine_bench

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

struct Sum {
  static MPI_Op op() { return MPI_SUM; }
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct Max {
  static MPI_Op op() { return MPI_MAX; }
  template <class T>
  static T of(T a, T b) {
    return std::max(a, b);
  }
};

template <class T>
MPI_Datatype type_of();
template <>
MPI_Datatype type_of<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype type_of<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype type_of<std::int32_t>() {
  return MPI_INT32_T;
}

/// The loop is compiled for three levels of x86-64, the loader takes the best one there is.
#if defined(__x86_64__) && defined(__gnu_linux__)
#define EVERY_LEVEL __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define EVERY_LEVEL
#endif

#define OWN_LOOP(T, Op)                                                                         \
  EVERY_LEVEL void own_##T##_##Op(const T* __restrict in, T* __restrict inout, std::size_t n) { \
    for (std::size_t i = 0; i < n; ++i) inout[i] = Op::of(in[i], inout[i]);                     \
  }
using int32 = std::int32_t;
OWN_LOOP(double, Sum)
OWN_LOOP(float, Sum)
OWN_LOOP(int32, Sum)
OWN_LOOP(double, Max)

template <class T, class Op>
void library(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0)) / sizeof(T);
  std::vector<T> in(n, T{1}), inout(n, T{1});
  for (auto _ : state) {
    MPI_Reduce_local(in.data(), inout.data(), static_cast<int>(n), type_of<T>(), Op::op());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

template <class T, auto Loop>
void own(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0)) / sizeof(T);
  std::vector<T> in(n, T{1}), inout(n, T{1});
  for (auto _ : state) {
    Loop(in.data(), inout.data(), n);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int bytes : {1 << 10, 1 << 14, 1 << 18, 1 << 22}) benchmark->Arg(bytes);
}

BENCHMARK(library<double, Sum>)->Name("MPI_Reduce_local/double_sum")->Apply(sizes);
BENCHMARK(own<double, own_double_Sum>)->Name("own_loop/double_sum")->Apply(sizes);
BENCHMARK(library<float, Sum>)->Name("MPI_Reduce_local/float_sum")->Apply(sizes);
BENCHMARK(own<float, own_float_Sum>)->Name("own_loop/float_sum")->Apply(sizes);
BENCHMARK(library<int32, Sum>)->Name("MPI_Reduce_local/int32_sum")->Apply(sizes);
BENCHMARK(own<int32, own_int32_Sum>)->Name("own_loop/int32_sum")->Apply(sizes);
BENCHMARK(library<double, Max>)->Name("MPI_Reduce_local/double_max")->Apply(sizes);
BENCHMARK(own<double, own_double_Max>)->Name("own_loop/double_max")->Apply(sizes);

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) MPI_Abort(MPI_COMM_WORLD, 2);
  benchmark::RunSpecifiedBenchmarks();
  MPI_Finalize();
  return 0;
}
