/* Conjugate gradients for the Poisson problem -laplace(u) = 1 on the unit square, u = 0 on its edge, with
 * n x n points inside, rows of them on each process. The lines with PAT_ are what PAT needs: the two
 * computing phases of an iteration are regions, and each ends in a reduction.
 *
 *     mpicc -O2 solver.c $(pkg-config --cflags --libs pat) -lm -o solver
 *     PAT_REPORT=stderr mpirun -n 4 ./solver 200
 */
#include <math.h>
#include <pat/pat.h>
#include <stdio.h>
#include <stdlib.h>

static int n, rows, rank, ranks; /* points a side, rows here */
static PAT_Region matrix, update;

/* The neighbours' rows: row 0 of p is that above, row rows + 1 that below. */
static void exchange_halo(double* p) {
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(p + n, n, MPI_DOUBLE, above, 0, p + (rows + 1) * n, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(p + rows * n, n, MPI_DOUBLE, below, 1, p, n, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* q = A p, and the part of p.q that belongs to this process. */
static double multiply(double* p, double* q) {
  double dot = 0;
  PAT_Region_start(matrix);
  PAT_Region_pause(matrix); /* messages are no computing */
  exchange_halo(p);
  PAT_Region_resume(matrix);
  for (int i = 1; i <= rows; ++i) {
    for (int j = 0; j < n; ++j) {
      const double* u = p + i * n + j;
      q[i * n + j] = 4 * u[0] - u[-n] - u[n] - (j > 0 ? u[-1] : 0) - (j < n - 1 ? u[1] : 0);
      dot += u[0] * q[i * n + j];
    }
    if (i == rows / 2) PAT_Region_edge(matrix, 0.5); /* half of it is done */
  }
  PAT_Region_end(matrix);
  return dot;
}

static double sum_over_all(double mine) {
  double sum;
  PAT_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void collect(const double* x) { /* the whole solution at rank 0, which says what it is in the middle */
  int counts[ranks], starts[ranks];
  for (int r = 0, at = 0; r < ranks; at += counts[r++]) {
    counts[r] = (n / ranks + (r < n % ranks)) * n;
    starts[r] = at;
  }
  double* whole = rank == 0 ? malloc(sizeof(double) * n * n) : NULL;
  PAT_Gatherv(x + n, rows * n, MPI_DOUBLE, whole, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("u = %.6f in the middle\n", whole[n / 2 * n + n / 2]);
  free(whole);
}

int main(int argc, char** argv) {
  int provided, iteration;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (PAT_Init() != MPI_SUCCESS) {
    if (rank == 0) fprintf(stderr, "%s\n", PAT_Error_string());
    MPI_Finalize();
    return 1;
  }
  PAT_Region_create(MPI_COMM_WORLD, "matrix", &matrix);
  PAT_Region_create(MPI_COMM_WORLD, "update", &update);
  n = argc > 1 ? atoi(argv[1]) : 64;
  rows = n / ranks + (rank < n % ranks);

  const int points = (rows + 2) * n;
  double *x = calloc(points, sizeof(double)), *r = calloc(points, sizeof(double));
  double *p = calloc(points, sizeof(double)), *q = calloc(points, sizeof(double));
  for (int i = n; i < (rows + 1) * n; ++i) p[i] = r[i] = 1.0 / ((n + 1.0) * (n + 1.0));
  double rr = 0;
  for (int i = n; i < (rows + 1) * n; ++i) rr += r[i] * r[i];
  rr = sum_over_all(rr);
  const double first = rr;

  for (iteration = 0; iteration < 10 * n && rr > 1e-16 * first; ++iteration) {
    const double alpha = rr / sum_over_all(multiply(p, q));
    double mine = 0;
    PAT_Region_start(update);
    for (int i = n; i < (rows + 1) * n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      mine += r[i] * r[i];
    }
    PAT_Region_end(update);
    const double before = rr;
    rr = sum_over_all(mine);
    for (int i = n; i < (rows + 1) * n; ++i) p[i] = r[i] + rr / before * p[i];
  }
  if (rank == 0) printf("%d x %d points: %d iterations\n", n, n, iteration);
  collect(x);

  free(x), free(r), free(p), free(q);
  PAT_Region_free(&matrix);
  PAT_Region_free(&update);
  PAT_Finalize();
  MPI_Finalize();
  return 0;
}
