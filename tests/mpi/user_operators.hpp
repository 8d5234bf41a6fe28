#pragma once

#include <mpi.h>

// Types and operators of a program's own, on which every reduction is tried.

namespace pat::test {

/// Affine maps x -> a x + b modulo a prime, two ints each: composing them is associative and does
/// not commute.
struct AffineMaps {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op after = MPI_OP_NULL;

  AffineMaps() {
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &after);
  }
  ~AffineMaps() {
    MPI_Op_free(&after);
    MPI_Type_free(&type);
  }
  AffineMaps(const AffineMaps&) = delete;
  AffineMaps& operator=(const AffineMaps&) = delete;

 private:
  static void compose(void* in, void* inout, int* length, MPI_Datatype*) {
    constexpr long long prime = 1000003;
    const int* f = static_cast<const int*>(in);
    int* g = static_cast<int*>(inout);
    for (int k = 0; k < *length; ++k, f += 2, g += 2) {
      g[1] = static_cast<int>((1LL * f[0] * g[1] + f[1]) % prime);
      g[0] = static_cast<int>(1LL * f[0] * g[0] % prime);
    }
  }
};

/// The first and the third of four ints, which are added; the others are gaps and must stay as they
/// are.
struct GappedPairs {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op add = MPI_OP_NULL;

  GappedPairs() {
    MPI_Datatype ends = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &ends);
    MPI_Type_create_resized(ends, 0, 4 * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&ends);
    MPI_Op_create(sum, 1, &add);
  }
  ~GappedPairs() {
    MPI_Op_free(&add);
    MPI_Type_free(&type);
  }
  GappedPairs(const GappedPairs&) = delete;
  GappedPairs& operator=(const GappedPairs&) = delete;

 private:
  static void sum(void* in, void* inout, int* length, MPI_Datatype*) {
    const int* a = static_cast<const int*>(in);
    int* b = static_cast<int*>(inout);
    for (int k = 0; k < *length; ++k, a += 4, b += 4) b[0] += a[0], b[2] += a[2];
  }
};

}  // namespace pat::test
