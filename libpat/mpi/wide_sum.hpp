#pragma once

#include <mpi.h>

#include <cstddef>

namespace pat::detail {

/// How sums of a floating-point type are made so that their bits are the same in any order: as
/// accumulators (core/binned_sum.hpp), each an element of an MPI datatype of its own with an
/// operator of its own.
struct WideSum {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::size_t element_bytes = 0, wide_bytes = 0;  ///< of the program's type and of `type`
  /// `count` elements of the program's at `from` as accumulators at `to`, and back.
  void (*deposit)(const void* from, std::byte* to, std::size_t count) = nullptr;
  void (*round)(const std::byte* from, void* to, std::size_t count) = nullptr;
};

/// For sums of double, float and the complex numbers made of them, of C and Fortran; null for any
/// other type. What it returns stays until close_wide_sums(). Thread-safe. Throws MpiFailure.
const WideSum* wide_sum_of(MPI_Datatype type);
/// Whether it is the operator of one of them.
bool is_wide_sum(MPI_Op op);
/// Before MPI's end: frees what MPI has made for them. Not while calls are on their way.
void close_wide_sums();

/// Whether MPI's operator gives the same bits in any order on that type: all on whole numbers,
/// truth values and bytes, but for sums of 8 and 16 bits. (Where they overflow Open MPI's vector
/// instructions stop at the largest, and what is left over beside full vectors wraps. The least and
/// greatest of floating-point numbers depend on the order where a NaN is among them, or zeros of
/// both signs.)
bool is_exact_in_any_order(MPI_Op op, MPI_Datatype type);

}  // namespace pat::detail
