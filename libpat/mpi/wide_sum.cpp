#include "libpat/mpi/wide_sum.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>

#include "core/binned_sum.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/datatype.hpp"

namespace pat::detail {
namespace {

constexpr std::size_t kinds = 4;
std::mutex making;
std::array<WideSum, kinds> made;  // by kind; under `making` until it has a type

bool is_one_of(MPI_Datatype type, std::initializer_list<MPI_Datatype> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

/// `parts` numbers an element: 2 for complex ones.
template <class T, std::size_t parts>
struct Kind {
  static constexpr std::size_t wide_bytes = parts * BinnedSum<T>::bytes;

  static void add(void* from, void* to, int* count, MPI_Datatype*) {
    BinnedSum<T>::add(static_cast<const std::byte*>(from), static_cast<std::byte*>(to),
                      parts * static_cast<std::size_t>(*count));
  }
  static void deposit(const void* from, std::byte* to, std::size_t count) {
    BinnedSum<T>::deposit(std::span(static_cast<const T*>(from), parts * count), to);
  }
  static void round(const std::byte* from, void* to, std::size_t count) {
    BinnedSum<T>::round(from, std::span(static_cast<T*>(to), parts * count));
  }

  static WideSum make() {
    WideSum sum{.element_bytes = parts * sizeof(T),
                .wide_bytes = wide_bytes,
                .deposit = deposit,
                .round = round};
    check(PMPI_Op_create(add, 1, &sum.op));
    check(PMPI_Type_contiguous(static_cast<int>(wide_bytes), MPI_BYTE, &sum.type));
    check(PMPI_Type_commit(&sum.type));
    return sum;
  }
};

constexpr std::array<WideSum (*)(), kinds> makers = {Kind<double, 1>::make, Kind<float, 1>::make,
                                                     Kind<double, 2>::make, Kind<float, 2>::make};

/// `kinds` for what is none of them. Fortran's may be of another size than here, or missing.
std::size_t kind_of(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL || !is_predefined(type)) return kinds;
  std::size_t kind = kinds;
  if (is_one_of(type, {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8}))
    kind = 0;
  else if (is_one_of(type, {MPI_FLOAT, MPI_REAL, MPI_REAL4}))
    kind = 1;
  else if (is_one_of(type, {MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16}))
    kind = 2;
  else if (is_one_of(type, {MPI_C_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8}))
    kind = 3;
#ifndef SMPI_H  // SimGrid names these two and has them not
  else if (type == MPI_CXX_DOUBLE_COMPLEX)
    kind = 2;
  else if (type == MPI_CXX_FLOAT_COMPLEX)
    kind = 3;
#endif
  constexpr std::array<std::size_t, kinds> bytes = {8, 4, 16, 8};
  return kind < kinds && packed_size(type) == bytes[kind] ? kind : kinds;
}

}  // namespace

const WideSum* wide_sum_of(MPI_Datatype type) {
  const std::size_t kind = kind_of(type);
  if (kind == kinds) return nullptr;
  const std::lock_guard lock(making);
  if (made[kind].type == MPI_DATATYPE_NULL) made[kind] = makers[kind]();
  return &made[kind];
}

bool is_wide_sum(MPI_Op op) {
  const std::lock_guard lock(making);
  return std::any_of(made.begin(), made.end(), [&](const WideSum& one) {
    return one.type != MPI_DATATYPE_NULL && one.op == op;
  });
}

void close_wide_sums() {
  const std::lock_guard lock(making);
  for (WideSum& sum : made) {
    if (sum.type == MPI_DATATYPE_NULL) continue;
    PMPI_Type_free(&sum.type);
    PMPI_Op_free(&sum.op);
    sum = {};
  }
}

bool is_exact_in_any_order(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_REPLACE || op == MPI_NO_OP || type == MPI_DATATYPE_NULL) return false;
  if (is_one_of(type,
                {MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT8_T,
                 MPI_INT16_T, MPI_UINT8_T, MPI_UINT16_T, MPI_INTEGER1, MPI_INTEGER2}))
    return op != MPI_SUM;
  return is_one_of(type, {MPI_INT,       MPI_UNSIGNED,  MPI_LONG,     MPI_UNSIGNED_LONG,
                          MPI_LONG_LONG, MPI_INT32_T,   MPI_INT64_T,  MPI_UINT32_T,
                          MPI_UINT64_T,  MPI_C_BOOL,    MPI_CXX_BOOL, MPI_BYTE,
                          MPI_AINT,      MPI_OFFSET,    MPI_COUNT,    MPI_UNSIGNED_LONG_LONG,
                          MPI_INTEGER,   MPI_LOGICAL,   MPI_INTEGER4, MPI_INTEGER8,
                          MPI_2INT,      MPI_SHORT_INT, MPI_LONG_INT});
}

}  // namespace pat::detail
