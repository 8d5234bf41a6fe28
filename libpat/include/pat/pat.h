/** \file
 * PAT: prediction of process arrival times, and MPI collectives that follow them. C interface.
 *
 * Every function returns an MPI error code (MPI_SUCCESS, or a code whose class says what was wrong;
 * PAT_Error_string() gives the sentence). Wrong arguments and calls in the wrong order change
 * nothing. "Collective" means that all processes of the communicator must call; "local" that no
 * other process is involved. "Main thread" is the thread that may call MPI.
 *
 * An instrumented program (seed 001, Fig. 4):
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
 *     PAT_Init();
 *     for (int i = 0; i < iterations; ++i) {
 *       PAT_ProcessingStart();
 *       first_half();
 *       PAT_Edge(0.5);
 *       second_half();
 *       PAT_ProcessingEnd();
 *       PAT_Gather(part, n, MPI_FLOAT, whole, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
 *     }
 *     PAT_Finalize();
 *     MPI_Finalize();
 */
#ifndef PAT_PAT_H
#define PAT_PAT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/** The version of this header, as `pat --version` prints it: major.minor.patch. Programs that were
 *  built with another major version must be built anew. */
#define PAT_VERSION_MAJOR 0
#define PAT_VERSION_MINOR 1
#define PAT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/** A place in the program that computes and then communicates. */
typedef struct PAT_Region_s* PAT_Region;
/** The region on which the calls without a region argument act. Valid between Init and Finalize. */
#define PAT_REGION_DEFAULT ((PAT_Region)0)

/** A persistent gather or scatter, see below. */
typedef struct PAT_Request_s* PAT_Request;
/** No request: what PAT_Request_free() leaves behind. All calls refuse it (MPI_ERR_REQUEST). */
#define PAT_REQUEST_NULL ((PAT_Request)0)

/** Algorithms by number, for PAT_UseAlg(). PAT_UseAlgName() reaches every registered one. */
typedef enum PAT_Alg {
  PAT_Gather_AUTO = 0,
  PAT_Gather_MPI,
  PAT_Gather_LIN,
  PAT_Gather_LS,
  PAT_Gather_SLS,
  PAT_Gather_BSLS
} PAT_Alg;

/** \name Session */
/**@{*/
/** Starts PAT on MPI_COMM_WORLD; PAT_Init_comm(MPI_COMM_WORLD, NULL). After MPI_Init or
 *  MPI_Init_thread. Collective; main thread. With MPI_THREAD_MULTIPLE a background thread (the
 *  daemon) starts; below it the same work is done inside the PAT calls. */
int PAT_Init(void);
/** Starts PAT on `comm` (an intra-communicator). `config` is NULL or "key=value;key=value" with the
 *  keys that `pat info --env` lists, without PAT_ and in lower case; it beats the environment.
 *  Errors: MPI_ERR_COMM, MPI_ERR_ARG (bad setting; nothing is started on any process),
 *  MPI_ERR_OTHER (MPI is not running, or PAT already is). Collective; main thread. */
int PAT_Init_comm(MPI_Comm comm, const char* config);
/** Ends the session: writes the report and the trace, joins the daemon. Before MPI_Finalize.
 *  Collective over the session's communicator; main thread. MPI_ERR_OTHER if PAT is not running. */
int PAT_Finalize(void);
/** *flag = 1 between PAT_Init and PAT_Finalize. Local; thread-safe. */
int PAT_Initialized(int* flag);
/** The sentence that belongs to the last error on this thread; "" if there was none. Local;
 *  thread-safe; valid until the next PAT call of this thread. */
const char* PAT_Error_string(void);
/**@}*/

/** \name Progress of the default region
 *  Local. Start and End: one thread at a time. Edge: thread-safe, an OpenMP thread may call it. */
/**@{*/
/** The computing phase begins. MPI_ERR_OTHER if it already has. */
int PAT_ProcessingStart(void);
/** The phase has done `fraction` of its work, 0 < fraction < 1 (MPI_ERR_ARG). Any number of times
 *  between Start and End, also never; need not agree between processes. */
int PAT_Edge(double fraction);
/** PAT_Edge(done / total) for programs that count their work: 0 <= done <= total, total > 0
 *  (MPI_ERR_ARG). The first and the last step say nothing new and are accepted. Thread-safe. */
int PAT_Progress(double done, double total);
/** A number that the length of the present phase (or, between two phases, of the next one) depends
 *  on, such as "particles" or "elements": a covariate for models that can use it (regression,
 *  ensemble). Finite (MPI_ERR_ARG). Give it in every phase. Thread-safe. */
int PAT_Hint(const char* name, double value);
/** The computing phase ends; the process is about to enter a collective. */
int PAT_ProcessingEnd(void);
/**@}*/

/** \name Regions, for programs with more than one compute and communicate pair */
/**@{*/
/** Creates a region whose computing phases end in collectives on `comm`. Collective over `comm`;
 *  main thread. MPI_ERR_COMM unless all of `comm` belongs to the session. */
int PAT_Region_create(MPI_Comm comm, const char* name, PAT_Region* region);
/** As PAT_ProcessingStart, PAT_Edge, PAT_ProcessingEnd. Same rules for threads. */
int PAT_Region_start(PAT_Region region);
int PAT_Region_edge(PAT_Region region, double fraction);
int PAT_Region_end(PAT_Region region);
/** As PAT_Hint. */
int PAT_Region_hint(PAT_Region region, const char* name, double value);
/** Foretells this region's computing times with another model than the session's (PAT_PREDICTOR),
 *  such as "sma:5"; what was learnt about the region is forgotten. Processes may differ. Local; main
 *  thread. MPI_ERR_ARG says which models there are; MPI_ERR_OTHER inside a computing phase. */
int PAT_Region_predictor(PAT_Region region, const char* predictor);
/** Frees the region and sets the handle to NULL. Local; main thread. */
int PAT_Region_free(PAT_Region* region);
/**@}*/

/** \name What is predicted
 *  Local; thread-safe. */
/**@{*/
/** The arrival pattern of the last decision this process received for `region`: offsets_s[r] is the
 *  predicted arrival of rank r of the region's communicator in seconds after the earliest one.
 *  `n` must be the size of that communicator (MPI_ERR_COUNT). *epoch counts the decisions, 0 means
 *  that there is none yet and all offsets are 0. */
int PAT_GetPattern(PAT_Region region, double* offsets_s, int n, uint64_t* epoch);
/** This process's predicted computing time of the present (or next) phase in seconds with its 90 %
 *  interval. MPI_ERR_PENDING while nothing is known. Null pointers are not filled. */
int PAT_GetForecast(PAT_Region region, double* mean_s, double* lower_s, double* upper_s);
/**@}*/

/** \name Choice of algorithms
 *  Local, but every process must make the same choice before the same collective. */
/**@{*/
/** The algorithm of the gathers that follow on all communicators, PAT_Gatherv and PAT_Gather_init
 *  too, until the next choice. MPI_ERR_ARG if it is none of PAT_Alg; MPI_ERR_OTHER if PAT is not
 *  running. */
int PAT_UseAlg(PAT_Alg algorithm);
/** PAT_UseAlgName("gather", "bsls"); "auto" chooses call by call. MPI_ERR_ARG lists the names. */
int PAT_UseAlgName(const char* operation, const char* algorithm);
/**@}*/

/** \name Collectives
 *  Signature and meaning of the MPI function of the same name. Collective over `comm`; one thread
 *  at a time per communicator. Wrong arguments go to the communicator's error handler, before anything
 *  is sent: MPI_ERR_COMM, MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE (also a type that is not
 *  committed), MPI_ERR_OP (also an operation that is not defined on the type), MPI_ERR_ARG. More data
 *  than was expected is MPI_ERR_TRUNCATE in the v-forms; processes that give a gather, scatter or
 *  reduction different sizes are an error of the program, after which calls on that communicator may
 *  not end. MPI_ERR_OTHER: PAT does not run, or an earlier call on this communicator broke off. */
/**@{*/
int PAT_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
/** The counts are known at the root only: runs as a star whose leaves know their own count. */
int PAT_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm);
int PAT_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
/** As PAT_Gatherv, the other way round. */
int PAT_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm);
/** Operations that do not commute, and all of them with PAT_REPRODUCIBLE=1, run in a fixed tree;
 *  "auto" with PAT_REPRODUCIBLE=1 is the library's own. */
int PAT_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm);
#if MPI_VERSION >= 4
/** The forms with MPI_Count, where MPI has them. Calls of more than INT_MAX bytes in all go to MPI's
 *  own collective, and so do all v-forms, of which no process but the root knows the sizes. */
int PAT_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int PAT_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                  int root, MPI_Comm comm);
int PAT_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int PAT_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm);
int PAT_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm);
#endif
/**@}*/

/** \name Persistent gather and scatter
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
 *  Progress: with the daemon data moves at any time. Without it, it moves inside PAT's calls only
 * (a progress call or PAT_Test is enough): a process whose request is ready should wait for it
 * before it blocks in a call of MPI that the other processes reach after this request only.
 *
 *  Errors go to the communicator's error handler; a call in the wrong order (MPI_ERR_OTHER) changes
 *  nothing, and the request goes on as if it had not been made. MPI_ERR_REQUEST: no request of this
 *  session. Free requests before PAT_Finalize. A communicator may be freed before its requests;
 * their mistakes then go to MPI_COMM_WORLD's error handler. */
/**@{*/
/** MPI_Gather's arguments, kept for all starts: buffers must stay where they are; datatypes may be
 *  freed. The algorithm that is chosen now (PAT_UseAlg) holds for all starts. Sends nothing yet.
 *  Collective over `comm`. Errors as PAT_Gather; MPI_ERR_ARG if `request` is NULL. */
int PAT_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    PAT_Request* request);
/** As PAT_Gather_init, with MPI_Scatter's arguments. */
int PAT_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                     PAT_Request* request);
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
/** *flag = 1 when the call has ended here or the request is not active, else 0; moves data where no
 *  daemon does. Never waits. May be called before PAT_Ready, then with 0. */
int PAT_Test(PAT_Request request, int* flag);
/** Waits until the call has ended here; returns at once if the request is not active.
 *  MPI_ERR_OTHER after PAT_Start and before PAT_Ready: it would never end. */
int PAT_Wait(PAT_Request request);
/** Frees the request and sets the handle to PAT_REQUEST_NULL. Collective over its communicator.
 *  MPI_ERR_OTHER while it is active. */
int PAT_Request_free(PAT_Request* request);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
