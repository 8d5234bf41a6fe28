/** \file
 * Scan and exscan: every process receives the combination of the vectors of the ranks before it, in
 * a scan with its own. Included by pat.h, which says what holds for all collectives; request.h says
 * it of the forms with a request. */
#ifndef PAT_SCAN_H
#define PAT_SCAN_H

#include <mpi.h>
#include <pat/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Scan, MPI_Iscan. In place the vector lies in recvbuf. */
int PAT_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm);
int PAT_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, PAT_Request* request);
int PAT_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, PAT_Request* request);
#if MPI_VERSION >= 4
/** The forms with MPI_Count, where MPI has them. */
int PAT_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
               MPI_Op op, MPI_Comm comm);
int PAT_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm, PAT_Request* request);
int PAT_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm, PAT_Request* request);
#endif

/** MPI_Exscan, MPI_Iexscan. Rank 0 receives nothing, and its recvbuf is left as it was; in place
 * the vector lies there, on rank 0 too. */
int PAT_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm);
int PAT_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, PAT_Request* request);
int PAT_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, PAT_Request* request);
#if MPI_VERSION >= 4
/** The forms with MPI_Count, where MPI has them. */
int PAT_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm);
int PAT_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm, PAT_Request* request);
int PAT_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, PAT_Request* request);
#endif

#ifdef __cplusplus
}
#endif

#endif
