/** \file
 * Requests: calls of collectives that a program begins in one place and ends in another. Included by
 * pat.h. */
#ifndef PAT_REQUEST_H
#define PAT_REQUEST_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A collective call on its way, or one that can be started again and again. */
typedef struct PAT_Request_s* PAT_Request;
/** No request: what PAT_Request_free() leaves behind, and PAT_Waitall and its kin where a non-blocking
 *  call has ended. Those skip it, all other calls refuse it (MPI_ERR_REQUEST). */
#define PAT_REQUEST_NULL ((PAT_Request)0)

/** \name Non-blocking calls
 *  PAT_Igather and its kin hand over both buffers, which is this process's arrival, and return; the
 *  call goes on in the daemon, or without one inside PAT's calls, and ends in a wait or a test. Any
 *  number may be under way on a communicator, with plain and persistent calls in between; each process
 *  may wait for them in an order of its own. The request is freed when a wait or test says that the call
 *  has ended: PAT_Waitall, PAT_Testall, PAT_Waitany and PAT_Testany set its handle to PAT_REQUEST_NULL
 *  then; after PAT_Wait and PAT_Test the handle is none any more (MPI_ERR_REQUEST). Datatypes may be freed
 *  at once, operators not before the end; the arrays of counts of a v-form stay as they are until then. Operators of the program's own run in its threads only, inside
 *  PAT's calls. */
/**@{*/
/** Waits until the call has ended here; returns at once if the request is not active.
 *  MPI_ERR_OTHER after PAT_Start and before PAT_Ready: it would never end. */
int PAT_Wait(PAT_Request request);
/** *flag = 1 when the call has ended here or the request is not active, else 0; moves data where no
 *  daemon does. Never waits. May be called before PAT_Ready, then with 0. */
int PAT_Test(PAT_Request request, int* flag);
/** PAT_Wait for all of them. Returns the first error; the others are waited for all the same. Mistakes
 *  (MPI_ERR_REQUEST, MPI_ERR_OTHER) are found before anything is waited for. */
int PAT_Waitall(int count, PAT_Request requests[]);
/** *flag = 1 if all have ended or are not active; else 0, and no request is changed. Never waits. */
int PAT_Testall(int count, PAT_Request requests[], int* flag);
/** Waits until one of those that are active has ended; *index says which, MPI_UNDEFINED if none is
 *  active. */
int PAT_Waitany(int count, PAT_Request requests[], int* index);
/** *flag = 1 and *index as PAT_Waitany if one has ended or none is active; else *flag = 0 and *index =
 *  MPI_UNDEFINED. Never waits. */
int PAT_Testany(int count, PAT_Request requests[], int* index, int* flag);
/**@}*/

/** \name Persistent calls
 *  A plain call shows its buffers when it is entered; until then early data must wait in scratch.
 *  The persistent form hands the two buffers over one by one, so that data lands in place while the
 *  process still computes:
 *
 *      PAT_Gather_init(part, n, MPI_FLOAT, whole, n, MPI_FLOAT, 0, comm, &request);
 *      for (...) {
 *        PAT_Start(request);       // `whole` may be written from now on
 *        PAT_ProcessingStart();
 *        compute(part);            // `part` is still the program's
 *        PAT_ProcessingEnd();
 *        PAT_Ready(request);       // `part` may be read from now on: the arrival
 *        PAT_Wait(request);        // both are the program's again, `whole` holds the result
 *      }
 *      PAT_Request_free(&request);
 *
 *  This differs from MPI's persistent collectives, whose single start gives up both buffers.
 *
 *  Who owns what, on each process that has the buffer:
 *  - receive buffer: PAT's from PAT_Start until PAT_Wait, or PAT_Test with flag 1, has returned. In
 *    between neither read nor write it. With MPI_IN_PLACE the root's own block is a send buffer and
 *    follows the next line.
 *  - send buffer: the program's until PAT_Ready (a part of it: until its PAT_Pready), then PAT's
 *    until PAT_Wait, or PAT_Test with flag 1; in between it may be read.
 *
 *  Order: init and free are collective over the communicator and take their place among its other
 *  collectives, as MPI demands; every process must start a request the same number of times. PAT
 *  gives each request tags and decisions of its own. So several requests may be active at once,
 *  plain calls and calls of MPI may come between any two of these calls, and processes may start,
 *  ready and wait for different requests in different orders. (MPI's own rule orders starts with the
 *  other collectives of the communicator; keep to it if MPI's calls may take the place of these one
 *  day, or if you write a trace, whose rows are in the order of starts.)
 *
 *  Threads: with MPI_THREAD_MULTIPLE any thread may call, at the same time for different requests;
 *  PAT_Pready also for the same one. Below it, only the main thread. Init and free: main thread.
 *
 *  Progress: with the daemon data moves at any time. Without it, it moves inside PAT's calls only:
 *  - in waits, tests and progress calls;
 *  - in calls that make something on all processes: the first call on a communicator, PAT_Gather_init
 *    and its kin, PAT_Region_create;
 *  - in plain calls on a communicator that has had a request: from its first PAT_Gather_init or
 *    PAT_Igather (or one of their kin) on.
 *  A plain call on a communicator that never had a request may block as a call of MPI does, whatever
 *  its size and algorithm. A process whose request is ready should wait for it before it blocks
 *  there, or in a call of MPI, if other processes get there after this request only. Or give that
 *  communicator a request: one PAT_Ibarrier, waited for at any time, is enough (but not if some of
 *  its processes are not of the session, nor between two groups).
 *  Requests with an operator of the program's own need its threads with the daemon, too: the same
 *  holds for them, but for the progress calls, and only such a request makes plain calls go on.
 *
 *  PAT_Gather_init and its kin take MPI's arguments of the plain call, kept for all starts: buffers must
 *  stay where they are; arrays of counts too; datatypes may be freed, operators must not. The algorithm that is chosen then
 *  (PAT_UseAlg) holds for all starts. Nothing is sent yet. A reduction in place hands its one buffer
 *  over at PAT_Ready. Errors as of the plain call; MPI_ERR_ARG if `request` is NULL.
 *
 *  Errors go to the communicator's error handler; a call in the wrong order (MPI_ERR_OTHER) changes
 *  nothing, and the request goes on as if it had not been made. MPI_ERR_REQUEST: no request of this
 *  session. Free requests before PAT_Finalize. A communicator may be freed before its requests;
 * their mistakes then go to MPI_COMM_WORLD's error handler. */
/**@{*/
/** Cuts this process's send buffer into `parts` pieces, 1 to 65536 (MPI_ERR_ARG), for PAT_Pready:
 *  of its n elements (sendcount in a gather; at the root of a scatter sendcount times the number of
 *  processes) part p is the elements p * n / parts to (p + 1) * n / parts - 1, whole divisions.
 * Holds from the next start on. In a gather give the same number on all processes: the root's
 * number says into how many messages ls, sls and bsls cut a block (100 at most); another number
 * elsewhere is correct but gains less. Local. MPI_ERR_OTHER while the request is active. */
int PAT_Request_parts(PAT_Request request, int parts);
/** Hands over the receive buffer, and nothing of the send buffer. Never waits for other processes.
 *  MPI_ERR_OTHER if the request is active already. */
int PAT_Start(PAT_Request request);
/** Hands over one finished part of the send buffer, which may travel from now on; each part once
 *  between PAT_Start and PAT_Ready (MPI_ERR_OTHER), in any order, parts may be left out.
 * MPI_ERR_ARG if there is no such part. Local; never waits. */
int PAT_Pready(PAT_Request request, int part);
/** Hands over the send buffer, or what is left of it: the process has arrived. On every process,
 *  also on those that send nothing. Never waits for other processes. MPI_ERR_OTHER before PAT_Start
 *  and the second time. */
int PAT_Ready(PAT_Request request);
/** Frees the request and sets the handle to PAT_REQUEST_NULL. Collective over its communicator.
 *  MPI_ERR_OTHER while it is active. */
int PAT_Request_free(PAT_Request* request);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
