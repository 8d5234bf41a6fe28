/* The persistent form as a C program uses it. */
#include <pat/pat.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 3000, iterations = 5 };

static void must(int code) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s\n", PAT_Error_string());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  int level, rank, size, wrong = 0;
  PAT_Request request = PAT_REQUEST_NULL;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  must(PAT_Init());
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* part = malloc(count * sizeof *part);
  int* whole = malloc((size_t)(count * size) * sizeof *whole);
  must(PAT_Gather_init(part, count, MPI_INT, whole, count, MPI_INT, 0, MPI_COMM_WORLD, &request));
  must(PAT_Request_parts(request, 2));
  for (int i = 0; i < iterations; ++i) {
    int done = 0;
    must(PAT_Start(request));
    must(PAT_ProcessingStart());
    for (int k = 0; k < count; ++k) part[k] = rank + i;
    must(PAT_ProcessingEnd());
    must(PAT_Pready(request, 0));
    must(PAT_Ready(request));
    must(PAT_Test(request, &done));
    must(PAT_Wait(request));
    for (int k = 0; rank == 0 && k < count * size; ++k) wrong |= whole[k] != k / count + i;
  }
  must(PAT_Request_free(&request));
  must(PAT_Finalize());
  MPI_Finalize();
  free(part);
  free(whole);
  return wrong;
}
