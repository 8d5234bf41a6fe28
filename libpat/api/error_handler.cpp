#include "libpat/api/error_handler.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <thread>

#include "libpat/mpi/last_error.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

/// What all processes have to say is said once: rank 0's handler ends the others while they wait.
/// They speak themselves where it does not come.
void let_rank_0_speak(MPI_Comm comm) {
  int rank = 0;
  if (PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank != 0)
    std::this_thread::sleep_for(std::chrono::seconds(1));
}

/// A handler that ends the job says what MPI knows of the code only, so the sentence comes first.
void call_error_handler(MPI_Comm comm, int code) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
    if (handler == MPI_ERRORS_ARE_FATAL) {
      if (Session::why_none().on_all) let_rank_0_speak(comm);
      spdlog::error("{}", remembered_error());
    }
    PMPI_Errhandler_free(&handler);
  }
  PMPI_Comm_call_errhandler(comm, code);
}

}  // namespace

int with_error_handler(MPI_Comm comm, const std::function<int()>& body) {
  bool refused = false;  // an error that the MPI library returned has been through its handler
  const int code = guarded([&] {
    try {
      return body();
    } catch (...) {
      refused = true;
      throw;
    }
  });
  if (code != MPI_SUCCESS && !refused) remember_mpi_error(code);
  if (refused) call_error_handler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
  return code;
}

}  // namespace pat::detail
