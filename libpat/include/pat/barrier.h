/** \file
 * Barrier: nobody leaves before all have come.
 * Included by pat.h, which says what holds for all collectives; request.h says it of the forms with a
 * request. */
#ifndef PAT_BARRIER_H
#define PAT_BARRIER_H

#include <mpi.h>
#include <pat/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Barrier, MPI_Ibarrier. It goes straight to the library's own unless an algorithm is chosen
 * (PAT_UseAlgName, PAT_ALG) or PAT_MIN_BYTES is 0: see docs/collectives.md. */
int PAT_Barrier(MPI_Comm comm);
int PAT_Ibarrier(MPI_Comm comm, PAT_Request* request);
int PAT_Barrier_init(MPI_Comm comm, PAT_Request* request);

#ifdef __cplusplus
}
#endif

#endif
