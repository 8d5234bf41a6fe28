/** \file
 * Reduce: the root receives the combination of every process's vector.
 * Included by pat.h, which says what holds for all collectives; request.h says it of the forms with a
 * request. */
#ifndef PAT_REDUCE_H
#define PAT_REDUCE_H

#include <mpi.h>
#include <pat/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Operations that do not commute, and all of them with PAT_REPRODUCIBLE=1, run in a fixed tree; "auto"
 *  with PAT_REPRODUCIBLE=1 is the library's own. An operation of the program's own runs in its threads
 *  only; it must not be freed before a request that uses it has ended. */
int PAT_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm);
int PAT_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm, PAT_Request* request);
int PAT_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                    MPI_Op op, int root, MPI_Comm comm, PAT_Request* request);

#if MPI_VERSION >= 4
/** The forms with MPI_Count, where MPI has them. */
int PAT_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm);
int PAT_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, int root, MPI_Comm comm, PAT_Request* request);
int PAT_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPI_Comm comm, PAT_Request* request);
#endif

#ifdef __cplusplus
}
#endif

#endif
