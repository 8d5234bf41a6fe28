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
int PAT_UseAlg(PAT_Alg algorithm);
/** PAT_UseAlgName("gather", "bsls"); "auto" chooses call by call. MPI_ERR_ARG lists the names. */
int PAT_UseAlgName(const char* operation, const char* algorithm);
/**@}*/

/** \name Collectives
 *  Signature and meaning of the MPI function of the same name. Collective over `comm`; one thread
 *  at a time per communicator. Wrong arguments go to the communicator's error handler. */
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
/** Operations that do not commute, and all of them with PAT_REPRODUCIBLE=1, run in a fixed tree. */
int PAT_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
