// MPI_Init, MPI_Init_thread, MPI_Session_init, MPI_Finalize and MPI_Abort of a program that was not
// changed. MPI_X is for other tools, which call PMPI_X in the end: see Behind.

#include <mpi.h>

#include "libpat/preload/behind.hpp"
#include "libpat/preload/lifetime.hpp"
#include "libpat/preload/phases.hpp"
#include "libpat/report/spool.hpp"

using pat::detail::Behind;

namespace {

using Init = int (*)(int*, char***);
using InitThread = int (*)(int*, char***, int, int*);
using Finalize = int (*)();
using Abort = int (*)(MPI_Comm, int);
#if MPI_VERSION >= 4
using SessionInit = int (*)(MPI_Info, MPI_Errhandler, MPI_Session*);
#endif

const Behind<InitThread>& init_thread() {
  static const Behind<InitThread> behind("MPI_Init_thread", "PMPI_Init_thread");
  return behind;
}

}  // namespace

extern "C" {

int PMPI_Init(int* argc, char*** argv) {
  static const Behind<Init> behind("MPI_Init", "PMPI_Init");
  int level = MPI_THREAD_SINGLE;
  const int code = pat::detail::wants_thread_multiple()
                       ? init_thread().library(argc, argv, MPI_THREAD_MULTIPLE, &level)
                       : behind.library(argc, argv);
  if (code == MPI_SUCCESS) pat::detail::begin_watching();
  return code;
}

int MPI_Init(int* argc, char*** argv) {
  static const Behind<Init> behind("MPI_Init", "PMPI_Init");
  return behind.tool != nullptr ? behind.tool(argc, argv) : PMPI_Init(argc, argv);
}

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (pat::detail::wants_thread_multiple()) required = MPI_THREAD_MULTIPLE;
  const int code = init_thread().library(argc, argv, required, provided);
  if (code == MPI_SUCCESS) pat::detail::begin_watching();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const auto tool = init_thread().tool;
  return tool != nullptr ? tool(argc, argv, required, provided)
                         : PMPI_Init_thread(argc, argv, required, provided);
}

int PMPI_Finalize() {
  static const Behind<Finalize> behind("MPI_Finalize", "PMPI_Finalize");
  pat::detail::end_watching();
  return behind.library();
}

int MPI_Finalize() {
  static const Behind<Finalize> behind("MPI_Finalize", "PMPI_Finalize");
  return behind.tool != nullptr ? behind.tool() : PMPI_Finalize();
}

#if MPI_VERSION >= 4
/// What a program does in a session of its own is left to MPI.
int PMPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  static const Behind<SessionInit> behind("MPI_Session_init", "PMPI_Session_init");
  pat::detail::note_session_of_program();
  return behind.library(info, handler, session);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  static const Behind<SessionInit> behind("MPI_Session_init", "PMPI_Session_init");
  return behind.tool != nullptr ? behind.tool(info, handler, session)
                                : PMPI_Session_init(info, handler, session);
}
#endif

int PMPI_Abort(MPI_Comm comm, int code) {
  static const Behind<Abort> behind("MPI_Abort", "PMPI_Abort");
  pat::detail::say_last_words(false);
  return behind.library(comm, code);
}

}  // extern "C"
