#include "libpat/session/finalize_hook.hpp"

#include <mpi.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>

#include "collectives/algorithm.hpp"
#include "collectives/operation_row.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/session/session.hpp"
#include "libpat/session/settled.hpp"

namespace pat::detail {
namespace {

int hook_attribute = MPI_KEYVAL_INVALID;
bool unhooking = false;  // MPI goes on
void (*last_words)() = nullptr;

int on_finalize(MPI_Comm, int, void*, void*) {
  if (unhooking) return MPI_SUCCESS;
  // PAT_Finalize was forgotten: what needs the other processes is left behind.
  if (Session* session = Session::instance().release()) {
    drop_settled();
    last_words();
    session->leave();
    spdlog::warn(
        "rank {} called MPI_Finalize while PAT is running, call PAT_Finalize before it on every "
        "process",
        session->rank());
  }
  return MPI_SUCCESS;
}

}  // namespace

void stop_at_exit() {
  operation_rows();  // made before, so that they are destroyed after the daemon has ended
  algorithms();
  static const pid_t process = getpid();
  static const int hooked = std::atexit([] {
    Session* session = Session::instance().get();
    if (session != nullptr && getpid() == process) session->stop_background();
  });
  static_cast<void>(hooked);
}

void hook_finalize(void (*on_forgotten)()) {
  last_words = on_forgotten;
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &hook_attribute, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, hook_attribute, nullptr));
}

void unhook_finalize() {
  if (hook_attribute == MPI_KEYVAL_INVALID) return;
  unhooking = true;
  check(PMPI_Comm_delete_attr(MPI_COMM_SELF, hook_attribute));
  unhooking = false;
  check(PMPI_Comm_free_keyval(&hook_attribute));
}

}  // namespace pat::detail
