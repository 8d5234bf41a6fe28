/** \file
 * For PAT in other languages; programs in C do not need it, and pat.h does not include it. */
#ifndef PAT_REFUSE_H
#define PAT_REFUSE_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Refuses a call whose arguments cannot be handed to C: PAT_Error_string() is "function: sentence", and
 *  the error goes to the error handler of `comm`, as of PAT's own functions. Returns MPI_ERR_ARG, if the
 *  handler does. Local; thread-safe. */
int PAT_Refuse(MPI_Comm comm, const char* function, const char* sentence);

#ifdef __cplusplus
}
#endif

#endif
