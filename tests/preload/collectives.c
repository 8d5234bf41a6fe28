/* collectives ROUNDS FILE [multiple]: a program that knows nothing of PAT. Every collective of
 * MPI 3.1, in place, of each size, with datatypes and operators of its own, on parts of the
 * processes and between two groups. Each process writes to FILE.<rank> a sum over the bytes of all
 * results of each kind of call, which must not depend on who stands before MPI. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 80000 };

static uint64_t sum;
static FILE* results;

static void add(const void* bytes, size_t n) { /* FNV-1a */
  const unsigned char* one = bytes;
  for (size_t i = 0; i < n; ++i) sum = (sum ^ one[i]) * 1099511628211u;
}

static void say(int rank, const char* what) {
  fprintf(results, "%d %s %016llx\n", rank, what, (unsigned long long)sum);
  sum = 14695981039346656037u;
}

static double *in, *out;
static int *counts, *displs, *out_counts, *out_displs;

static void fill(int rank, int seed) {
  for (int i = 0; i < most; ++i) {
    in[i] = 1.0 / (1 + (i * 7 + rank * 131 + seed * 17) % 1009) - 0.3;
    out[i] = -1.0;
  }
}

/* Does not commute: 2x2 matrices, whose products depend on the order of ranks. */
static void multiply(void* a, void* b, int* n, MPI_Datatype* type) {
  double *x = a, *y = b;
  (void)type;
  for (int i = 0; i < *n; ++i, x += 4, y += 4) {
    const double z[4] = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
                         x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]};
    memcpy(y, z, sizeof z);
  }
}

static void rooted(MPI_Comm comm, int n, int root, int seed) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Gather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, comm);
  if (rank == root) add(out, sizeof(double) * n * size);
  MPI_Gather(rank == root ? MPI_IN_PLACE : in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, comm);
  if (rank == root) add(out, sizeof(double) * n * size);
  MPI_Scatter(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, comm);
  add(out, sizeof(double) * n);
  MPI_Scatter(in, n, MPI_DOUBLE, rank == root ? MPI_IN_PLACE : out, n, MPI_DOUBLE, root, comm);
  add(out, sizeof(double) * n);
  MPI_Bcast(in, n, MPI_DOUBLE, root, comm);
  add(in, sizeof(double) * n);
  fill(rank, seed + 1);
  MPI_Reduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, comm);
  if (rank == root) add(out, sizeof(double) * n);
#ifndef MPICH_NAME /* whose own reduction in place crashes on three processes (4.0.2) */
  MPI_Reduce(rank == root ? MPI_IN_PLACE : in, rank == root ? in : NULL, n, MPI_DOUBLE, MPI_PROD,
             root, comm);
  if (rank == root) add(in, sizeof(double) * n);
#endif
}

/* Blocks of about n numbers, some of none, with gaps between them; how many numbers all take. */
static int lay_out(int size, int n, int seed) {
  int total = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = (r + seed) % 3 == 0 ? 0 : n > 0 ? n - r % 2 : 0;
    displs[r] = total + r;
    total += counts[r] + 1;
  }
  return total;
}

static void varying(MPI_Comm comm, int n, int root, int seed) {
  int rank, size, total;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  total = lay_out(size, n, seed);
  MPI_Gatherv(in, counts[rank], MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, root, comm);
  if (rank == root) add(out, sizeof(double) * total);
  MPI_Scatterv(in, counts, displs, MPI_DOUBLE, out, counts[rank], MPI_DOUBLE, root, comm);
  add(out, sizeof(double) * counts[rank]);
  MPI_Allgatherv(in, counts[rank], MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, comm);
  add(out, sizeof(double) * total);
  fill(rank, seed + 1);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_DOUBLE, comm);
  add(in, sizeof(double) * total);
}

static void everybody(MPI_Comm comm, int n, int seed) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, comm);
  add(out, sizeof(double) * n * size);
  memcpy(out + (size_t)rank * n, in, sizeof(double) * n);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_DOUBLE, comm);
  add(out, sizeof(double) * n * size);
  MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
  add(out, sizeof(double) * n);
  MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_MAX, comm);
  add(in, sizeof(double) * n);
  MPI_Barrier(comm);
}

/* What sends each process something else, or combines for some alone. */
static void others(MPI_Comm comm, int n, int seed) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * size);
  fill(rank, seed);
  for (int r = 0; r < size; ++r) {
    counts[r] = out_counts[r] = n;
    displs[r] = out_displs[r] = r * n;
    types[r] = MPI_DOUBLE;
  }
  MPI_Alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, comm);
  add(out, sizeof(double) * n * size);
  MPI_Alltoallv(in, counts, displs, MPI_DOUBLE, out, out_counts, out_displs, MPI_DOUBLE, comm);
  add(out, sizeof(double) * n * size);
  for (int r = 0; r < size; ++r) displs[r] = out_displs[r] = (int)sizeof(double) * r * n;
  MPI_Alltoallw(in, counts, displs, types, out, out_counts, out_displs, types, comm);
  add(out, sizeof(double) * n * size);
  MPI_Scan(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
  add(out, sizeof(double) * n);
  MPI_Exscan(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
  if (rank > 0) add(out, sizeof(double) * n);
  MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm);
  add(out, sizeof(double) * n);
  MPI_Reduce_scatter_block(in, out, n, MPI_DOUBLE, MPI_MIN, comm);
  add(out, sizeof(double) * n);
  free(types);
}

/* Where one process is on both sides of a ring, MPICH 4.0.2 itself takes the two blocks of v- and
 * w-forms for each other. */
#ifdef MPICH_NAME
enum { least_with_sides = 3 };
#else
enum { least_with_sides = 1 };
#endif

static void neighbours(MPI_Comm comm, int n, int seed) {
  int rank, size, periodic = 1, two[2] = {n, n}, places[2] = {0, n};
  MPI_Comm ring;
  MPI_Aint far[2] = {0, (MPI_Aint)sizeof(double) * n};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Cart_create(comm, 1, &size, &periodic, 0, &ring);
  MPI_Neighbor_allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, ring);
  add(out, sizeof(double) * 2 * n);
  MPI_Neighbor_allgatherv(in, n, MPI_DOUBLE, out, two, places, MPI_DOUBLE, ring);
  add(out, sizeof(double) * 2 * n);
  MPI_Neighbor_alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, ring);
  add(out, sizeof(double) * 2 * n);
  MPI_Neighbor_alltoallv(in, two, places, MPI_DOUBLE, out, two, places, MPI_DOUBLE, ring);
  if (size >= least_with_sides) add(out, sizeof(double) * 2 * n);
  MPI_Neighbor_alltoallw(in, two, far, types, out, two, far, types, ring);
  if (size >= least_with_sides) add(out, sizeof(double) * 2 * n);
  MPI_Comm_free(&ring);
}

/* Several begun at once, with a plain call between. */
static void begun(MPI_Comm comm, int n, int seed) {
  int rank, size;
  MPI_Request requests[4];
  double *one = out, *two = out + 10000, *three = out + 40000;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Iallreduce(in, one, n, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
  MPI_Igather(in, n, MPI_DOUBLE, two, n, MPI_DOUBLE, 0, comm, &requests[1]);
  MPI_Ialltoall(in, n, MPI_DOUBLE, three, n, MPI_DOUBLE, comm, &requests[2]);
  MPI_Ibarrier(comm, &requests[3]);
  MPI_Allreduce(MPI_IN_PLACE, out + 70000, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  add(one, sizeof(double) * n);
  if (rank == 0) add(two, sizeof(double) * n * size);
  add(three, sizeof(double) * n * size);
}

/* Begins the call, whose last argument is `request`, waits for it, and adds up so many numbers. */
#define BEGIN(call, numbers)            \
  call;                                 \
  MPI_Wait(request, MPI_STATUS_IGNORE); \
  add(out, sizeof(double) * (numbers));

static void begun_rooted(MPI_Comm comm, int n, int root, int seed) {
  int rank, size, total;
  MPI_Request one, *request = &one;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  total = lay_out(size, n, seed);
  const int at_root = rank == root;
  BEGIN(MPI_Igather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, comm, request), at_root * n * size)
  BEGIN(MPI_Igatherv(in, counts[rank], MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, root, comm,
                     request),
        at_root * total)
  BEGIN(MPI_Iscatter(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, comm, request), n)
  BEGIN(MPI_Iscatterv(in, counts, displs, MPI_DOUBLE, out, counts[rank], MPI_DOUBLE, root, comm,
                      request),
        counts[rank])
  BEGIN(MPI_Ireduce(in, out, n, MPI_DOUBLE, MPI_SUM, root, comm, request), at_root * n)
  memcpy(out, in, sizeof(double) * n);
  BEGIN(MPI_Ibcast(out, n, MPI_DOUBLE, root, comm, request), n)
}

static void begun_by_all(MPI_Comm comm, int n, int seed) {
  int rank, size, total;
  MPI_Request one, *request = &one;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Datatype* types = malloc(sizeof(MPI_Datatype) * size);
  fill(rank, seed);
  total = lay_out(size, n, seed);
  BEGIN(MPI_Ibarrier(comm, request), 0)
  BEGIN(MPI_Iallgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, comm, request), n * size)
  BEGIN(
      MPI_Iallgatherv(in, counts[rank], MPI_DOUBLE, out, counts, displs, MPI_DOUBLE, comm, request),
      total)
  BEGIN(MPI_Iallreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm, request), n)
  BEGIN(MPI_Iscan(in, out, n, MPI_DOUBLE, MPI_SUM, comm, request), n)
  BEGIN(MPI_Iexscan(in, out, n, MPI_DOUBLE, MPI_SUM, comm, request), rank > 0 ? n : 0)
  for (int r = 0; r < size; ++r) {
    counts[r] = out_counts[r] = n;
    displs[r] = out_displs[r] = r * n;
    types[r] = MPI_DOUBLE;
  }
  BEGIN(MPI_Ireduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm, request), n)
  BEGIN(MPI_Ireduce_scatter_block(in, out, n, MPI_DOUBLE, MPI_MIN, comm, request), n)
  BEGIN(MPI_Ialltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, comm, request), n * size)
  BEGIN(MPI_Ialltoallv(in, counts, displs, MPI_DOUBLE, out, out_counts, out_displs, MPI_DOUBLE,
                       comm, request),
        n * size)
  for (int r = 0; r < size; ++r) displs[r] = out_displs[r] = (int)sizeof(double) * r * n;
  BEGIN(
      MPI_Ialltoallw(in, counts, displs, types, out, out_counts, out_displs, types, comm, request),
      n * size)
  free(types);
}

static void begun_with_neighbours(MPI_Comm comm, int n, int seed) {
  int rank, size, periodic = 1, two[2] = {n, n}, places[2] = {0, n};
  MPI_Comm ring;
  MPI_Request one, *request = &one;
  MPI_Aint far[2] = {0, (MPI_Aint)sizeof(double) * n};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Cart_create(comm, 1, &size, &periodic, 0, &ring);
  BEGIN(MPI_Ineighbor_allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, ring, request), 2 * n)
  BEGIN(MPI_Ineighbor_allgatherv(in, n, MPI_DOUBLE, out, two, places, MPI_DOUBLE, ring, request),
        2 * n)
  BEGIN(MPI_Ineighbor_alltoall(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, ring, request), 2 * n)
  BEGIN(MPI_Ineighbor_alltoallv(in, two, places, MPI_DOUBLE, out, two, places, MPI_DOUBLE, ring,
                                request),
        2 * n)
  BEGIN(MPI_Ineighbor_alltoallw(in, two, far, types, out, two, far, types, ring, request), 2 * n)
  MPI_Comm_free(&ring);
}

#if MPI_VERSION >= 4
/* What MPI 4 has beside: counts beyond an int, and calls that are made again and again. */
static void of_mpi_4(MPI_Comm comm, int n, int seed) {
  int rank, size;
  MPI_Request again;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Gather_c(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, 0, comm);
  if (rank == 0) add(out, sizeof(double) * n * size);
  MPI_Allreduce_c(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
  add(out, sizeof(double) * n);
  MPI_Alltoall_c(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, comm);
  add(out, sizeof(double) * n * size);
  /* Of an allgather MPICH 4.0.2 itself gives old data from the second start on. */
  MPI_Alltoall_init(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, comm, MPI_INFO_NULL, &again);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    add(out, sizeof(double) * n * size);
    if (n > 0) in[0] += 1.0;
  }
  MPI_Request_free(&again);
}
#endif

static void own_types(MPI_Comm comm, int n, int seed) {
  int rank, size;
  MPI_Datatype every_second, matrix;
  MPI_Op product;
  if (n == 0) return; /* MPICH 4.0.2 hangs where one element of no bytes meets no element */
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  fill(rank, seed);
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Gather(in, 1, every_second, out, n, MPI_DOUBLE, size / 2, comm);
  if (rank == size / 2) add(out, sizeof(double) * n * size);
  MPI_Bcast(in, 1, every_second, 0, comm);
  add(in, sizeof(double) * 2 * n);
  MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply, 0, &product);
  MPI_Reduce(in, out, n / 4, matrix, product, 0, comm);
  if (rank == 0) add(out, sizeof(double) * 4 * (n / 4));
  MPI_Allreduce(in, out, n / 4, matrix, product, comm);
  add(out, sizeof(double) * 4 * (n / 4));
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
  MPI_Type_free(&every_second);
}

/* The lower half of the ranks gathers what the upper half has. */
static void between(MPI_Comm comm, int n, int seed) {
  int rank, size, there;
  MPI_Comm half, both;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (size < 2) return;
  const int upper = rank >= size / 2;
  fill(rank, seed);
  MPI_Comm_split(comm, upper, rank, &half);
  MPI_Intercomm_create(half, 0, comm, upper ? 0 : size / 2, 7, &both);
  MPI_Comm_remote_size(both, &there);
  const int root = upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Gather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, root, both);
  if (root == MPI_ROOT) add(out, sizeof(double) * n * there);
  MPI_Bcast(root == MPI_ROOT ? in : out, n, MPI_DOUBLE, root, both);
  if (upper) add(out, sizeof(double) * n);
  MPI_Allgather(in, n, MPI_DOUBLE, out, n, MPI_DOUBLE, both);
  add(out, sizeof(double) * n * there);
  MPI_Barrier(both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void all(MPI_Comm comm, const char* where, int world_rank, int rounds) {
  const int sizes[] = {0, 1, 37, 2500};
  char what[80];
  int size;
  MPI_Comm_size(comm, &size);
  for (int round = 0; round < rounds; ++round)
    for (int s = 0; s < 4; ++s) {
      const int n = sizes[s], root = round % size;
      if (round > 1) usleep(1000 * ((world_rank * 7 + round * 3) % 5));
#define DO(call)                                            \
  call;                                                     \
  snprintf(what, sizeof what, "%s %s %d", where, #call, n); \
  say(world_rank, what)
      DO(rooted(comm, n, root, round));
      DO(varying(comm, n, root, round));
      DO(everybody(comm, n, round));
      DO(others(comm, n, round));
      DO(neighbours(comm, n, round));
      DO(begun(comm, n, round));
      DO(begun_rooted(comm, n, root, round));
      DO(begun_by_all(comm, n, round));
      DO(begun_with_neighbours(comm, n, round));
      DO(own_types(comm, n, round));
#if MPI_VERSION >= 4
      DO(of_mpi_4(comm, n, round));
#endif
      DO(between(comm, n, round));
    }
}

int main(int argc, char** argv) {
  int rank, size, level;
  char name[1000];
  if (argc < 3) return 2;
  const int rounds = atoi(argv[1]), multiple = argc > 3 && strcmp(argv[3], "multiple") == 0;
  MPI_Comm parity, first;
  MPI_Group world, group;
  int range[1][3] = {{0, 0, 1}};
  if (multiple)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", argv[2], rank);
  results = fopen(name, "w");
  if (results == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sum = 14695981039346656037u;
  in = malloc(sizeof(double) * most);
  out = malloc(sizeof(double) * most);
  counts = malloc(sizeof(int) * size);
  displs = malloc(sizeof(int) * size);
  out_counts = malloc(sizeof(int) * size);
  out_displs = malloc(sizeof(int) * size);
  all(MPI_COMM_WORLD, "world", rank, rounds);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &parity);
  all(parity, "parity", rank, rounds);
  MPI_Comm_free(&parity);
  all(MPI_COMM_SELF, "self", rank, 1);
  /* Made by those alone who are in it. */
  range[0][1] = size / 2;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, range, &group);
  if (rank <= size / 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &first);
    all(first, "first", rank, 1);
    MPI_Comm_free(&first);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  free(in);
  free(out);
  free(counts);
  free(displs);
  free(out_counts);
  free(out_displs);
  MPI_Finalize();
  return fclose(results) != 0;
}
