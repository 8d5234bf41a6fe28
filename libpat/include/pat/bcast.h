/** \file
 * Broadcast: every process receives the root's buffer.
 * Included by pat.h, which says what holds for all collectives; request.h says it of the forms with a
 * request. */
#ifndef PAT_BCAST_H
#define PAT_BCAST_H

#include <mpi.h>
#include <pat/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Bcast, MPI_Ibcast. */
int PAT_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int PAT_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               PAT_Request* request);
int PAT_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                   PAT_Request* request);

#if MPI_VERSION >= 4
/** The forms with MPI_Count, where MPI has them. */
int PAT_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
int PAT_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                 PAT_Request* request);
int PAT_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                     PAT_Request* request);
#endif

#ifdef __cplusplus
}
#endif

#endif
