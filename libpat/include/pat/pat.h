/** \file
 * PAT: prediction of process arrival times, and MPI collectives that follow them. C interface.
 *
 * Every function returns an MPI error code (MPI_SUCCESS, or a code whose class says what was wrong;
 * PAT_Error_string() gives the sentence). Wrong arguments and calls in the wrong order change
 * nothing. "Collective" means that all processes of the communicator must call; "local" that no
 * other process is involved. "Main thread" is the thread that may call MPI.
 *
 * An instrumented program (after Proficz, "Process arrival pattern aware algorithms for acceleration of
 * scatter and gather operations", Cluster Computing 2020, Fig. 4):
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
 *  Errors: MPI_ERR_COMM, MPI_ERR_ARG (bad setting: nothing is started on any process, and all have
 *  the same sentence, so that one may print it),
 *  MPI_ERR_OTHER (MPI is not running, or PAT already is). Collective; main thread. */
int PAT_Init_comm(MPI_Comm comm, const char* config);
/** Ends the session: writes the report and the trace, joins the daemon. Before MPI_Finalize. A
 *  program that ends without it, or by MPI_Abort or a signal, leaves what was recorded until then.
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
/** The computing phase begins. MPI_ERR_OTHER if it already has. What a program does wrong in these
 *  calls is counted: the log warns of the first mistake of each kind, the report has them all. */
int PAT_ProcessingStart(void);
/** The phase has done `fraction` of its work, 0 < fraction < 1 (MPI_ERR_ARG). Any number of times
 *  between Start and End, also never; need not agree between processes. MPI_ERR_OTHER outside a
 *  phase and inside a pause. */
int PAT_Edge(double fraction);
/** PAT_Edge(done / total) for programs that count their work: 0 <= done <= total, total > 0
 *  (MPI_ERR_ARG). The first and the last step say nothing new and are accepted. Thread-safe. */
int PAT_Progress(double done, double total);
/** A number that the length of the present phase (or, between two phases, of the next one) depends
 *  on, such as "particles" or "elements": a covariate for models that can use it (regression,
 *  ensemble). Finite (MPI_ERR_ARG). Give it in every phase. Thread-safe. */
int PAT_Hint(const char* name, double value);
/** The phase stops computing until PAT_Resume, for example while it exchanges halos: models learn
 *  and foretell computing times without the pauses, and fractions are of these. The arrival is
 *  foretold as computing time and pauses together: this phase will be paused as long as recent ones
 *  were. Same rules for threads as Start and End. MPI_ERR_OTHER outside a phase and in a pause. */
int PAT_Pause(void);
/** The phase goes on computing. MPI_ERR_OTHER if it is not paused. */
int PAT_Resume(void);
/** The computing phase ends, and with it a pause; the process is about to enter a collective. */
int PAT_ProcessingEnd(void);
/**@}*/

/** \name Regions, for programs with more than one compute and communicate pair */
/**@{*/
/** Creates a region whose computing phases end in collectives on `comm`. Collective over `comm`;
 *  main thread. MPI_ERR_COMM unless all of `comm` belongs to the session; MPI_ERR_ARG for a name that
 *  is blank, has more than 255 bytes or control characters. */
int PAT_Region_create(MPI_Comm comm, const char* name, PAT_Region* region);
/** As PAT_ProcessingStart, PAT_Edge, PAT_Pause, PAT_Resume, PAT_ProcessingEnd. Same rules for
 *  threads. */
int PAT_Region_start(PAT_Region region);
int PAT_Region_edge(PAT_Region region, double fraction);
int PAT_Region_pause(PAT_Region region);
int PAT_Region_resume(PAT_Region region);
int PAT_Region_end(PAT_Region region);
/** As PAT_Hint. */
int PAT_Region_hint(PAT_Region region, const char* name, double value);
/** Foretells this region's computing times with another model than the session's (PAT_PREDICTOR),
 *  such as "sma:5"; what was learnt about the region is forgotten. Processes may differ. Local; main
 *  thread. MPI_ERR_ARG says which models there are; MPI_ERR_OTHER inside a computing phase. */
int PAT_Region_predictor(PAT_Region region, const char* predictor);
/** Frees the region and sets the handle to NULL. Copies of the handle are refused from then on
 *  (MPI_ERR_ARG). MPI_ERR_OTHER inside a computing phase. Local; main thread. */
int PAT_Region_free(PAT_Region* region);
/**@}*/

/** \name What is predicted
 *  Local; thread-safe. */
/**@{*/
/** The arrival pattern of the last decision this process received for `region`: offsets_s[r] is the
 *  predicted arrival of rank r of the region's communicator in seconds after the earliest one.
 *  `n` must be the size of that communicator (MPI_ERR_COUNT), `offsets_s` an array of that length
 *  (MPI_ERR_ARG for a null pointer). *epoch counts the decisions, 0 means
 *  that there is none yet and all offsets are 0. */
int PAT_GetPattern(PAT_Region region, double* offsets_s, int n, uint64_t* epoch);
/** How old that pattern is: *calls is the number of calls after this region that this process has made
 *  since the one that the pattern was decided for; 0: it is for the next one. A pattern stays while nobody
 *  leaves it, so an old one still holds; where somebody does, he says so and another is decided (docs/auto.md).
 *  MPI_ERR_PENDING while there is none, MPI_ERR_ARG for a null pointer. */
int PAT_GetPatternAge(PAT_Region region, uint64_t* calls);
/** This process's predicted computing time of the present (or next) phase in seconds, without its
 *  pauses, with its 90 % interval. MPI_ERR_PENDING while nothing is known. Null pointers are not filled. The
 *  model sees the phases since it was asked last, up to 64, in the calling thread: microseconds each. */
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

#ifdef __cplusplus
}
#endif

/** \name Collectives
 *  Signature and meaning of the MPI function of the same name. Collective over `comm`; one thread
 *  at a time per communicator. Wrong arguments go to the communicator's error handler, before anything
 *  is sent: MPI_ERR_COMM, MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE (also a type that is not
 *  committed), MPI_ERR_OP (also an operation that is not defined on the type), MPI_ERR_ARG, MPI_ERR_TOPOLOGY
 *  (a neighbourhood collective on a communicator that has none). More data
 *  than was expected is MPI_ERR_TRUNCATE in the v-forms; processes that give a gather, scatter or
 *  reduction different sizes are an error of the program, after which calls on that communicator may
 *  not end. MPI_ERR_OTHER: PAT does not run, or an earlier call on this communicator broke off.
 *  The forms of each:
 *
 *      PAT_Gather        as MPI_Gather
 *      PAT_Igather       as MPI_Igather, with a PAT_Request
 *      PAT_Gather_init   persistent, with a PAT_Request; not MPI's form, see request.h
 *      PAT_Gather_c, PAT_Igather_c, PAT_Gather_init_c   with MPI_Count, where MPI has it. Calls of more
 *                        than INT_MAX bytes in all go to MPI's own collective, and so do their v-forms,
 *                        of which not every process knows the sizes. */
/**@{*/
#include <pat/allgather.h>
#include <pat/allreduce.h>
#include <pat/alltoall.h>
#include <pat/barrier.h>
#include <pat/bcast.h>
#include <pat/gather.h>
#include <pat/neighbor.h>
#include <pat/reduce.h>
#include <pat/reduce_scatter.h>
#include <pat/scan.h>
#include <pat/request.h>
#include <pat/scatter.h>
/**@}*/

#endif
