/* Time steps of a heat equation with PETSc: each step is a linear solve by conjugate
   gradients with block Jacobi as preconditioner. The source glows in a spot that wanders over the
   domain, so that the ranks' work for the source term changes from step to step.

     mpicc -O2 -o heat heat.c $(pkg-config --cflags --libs petsc) -lm */

#include <math.h>
#include <petscdmda.h>
#include <petscksp.h>

enum { size = 240, steps = 600 };

/* The source at a point: where the spot is, an inner sum has to be carried further. */
static double source(double x, double y, double t) {
  const double dx = x - 0.5 - 0.3 * cos(t), dy = y - 0.5 - 0.3 * sin(t);
  const int terms = 4 + (int)(60.0 * exp(-30.0 * (dx * dx + dy * dy)));
  double sum = 0.0;
  for (int k = 1; k <= terms; ++k) sum += exp(-k * 0.1) * sin(k * x) * cos(k * y);
  return sum;
}

static void fill(DM grid, Vec b, Vec u, double t, double dt) {
  PetscInt x0, y0, nx, ny;
  double **rhs, **old;
  DMDAGetCorners(grid, &x0, &y0, NULL, &nx, &ny, NULL);
  DMDAVecGetArray(grid, b, &rhs);
  DMDAVecGetArray(grid, u, &old);
  for (PetscInt j = y0; j < y0 + ny; ++j)
    for (PetscInt i = x0; i < x0 + nx; ++i)
      rhs[j][i] = old[j][i] + dt * source((double)i / size, (double)j / size, t);
  DMDAVecRestoreArray(grid, u, &old);
  DMDAVecRestoreArray(grid, b, &rhs);
}

static void assemble(DM grid, Mat a, double weight) {
  PetscInt x0, y0, nx, ny;
  DMDAGetCorners(grid, &x0, &y0, NULL, &nx, &ny, NULL);
  for (PetscInt j = y0; j < y0 + ny; ++j) {
    for (PetscInt i = x0; i < x0 + nx; ++i) {
      const MatStencil row = {0, j, i, 0};
      const MatStencil columns[5] = {
          {0, j, i, 0}, {0, j - 1, i, 0}, {0, j + 1, i, 0}, {0, j, i - 1, 0}, {0, j, i + 1, 0}};
      const double values[5] = {1.0 + 4.0 * weight, -weight, -weight, -weight, -weight};
      MatSetValuesStencil(a, 1, &row, 5, columns, values, INSERT_VALUES);
    }
  }
  MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY);
}

int main(int argc, char** argv) {
  DM grid;
  Mat a;
  Vec u, b;
  KSP solver;
  PetscInitialize(&argc, &argv, NULL, NULL);
  DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_PERIODIC, DM_BOUNDARY_PERIODIC, DMDA_STENCIL_STAR, size,
               size, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid);
  DMSetUp(grid);
  DMCreateMatrix(grid, &a);
  DMCreateGlobalVector(grid, &u);
  VecDuplicate(u, &b);
  assemble(grid, a, 0.4);
  KSPCreate(PETSC_COMM_WORLD, &solver);
  KSPSetOperators(solver, a, a);
  KSPSetType(solver, KSPCG);
  KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT);
  KSPSetFromOptions(solver);
  for (int step = 0; step < steps; ++step) {
    fill(grid, b, u, 0.02 * step, 0.01);
    KSPSolve(solver, b, u);
  }
  KSPDestroy(&solver);
  VecDestroy(&u);
  VecDestroy(&b);
  MatDestroy(&a);
  DMDestroy(&grid);
  return PetscFinalize();
}
