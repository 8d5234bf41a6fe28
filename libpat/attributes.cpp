#include "libpat/attributes.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <map>
#include <vector>

#include "libpat/mpi_check.hpp"
#include "libpat/runtime.hpp"

namespace pat {
namespace {

int twin_key = MPI_KEYVAL_INVALID;
int finalize_key = MPI_KEYVAL_INVALID;
bool detaching = false;  // the hooks are being removed: MPI goes on
/// The twin that was asked for last: most programs ask for one all the time, and MPI's attributes
/// are a lock and a search.
std::atomic<Communicator*> last_twin{nullptr};

void forget_last(Communicator* twin) {
  last_twin.compare_exchange_strong(twin, nullptr);
}

/// User communicators by the twin's id: the same order on every process.
std::map<std::uint32_t, MPI_Comm>& users() {
  static std::map<std::uint32_t, MPI_Comm> map;
  return map;
}

int on_free(MPI_Comm, int, void* value, void*) {
  auto* twin = static_cast<Communicator*>(value);
  forget_last(twin);
  users().erase(twin->id());
  if (Runtime* runtime = Runtime::instance().get()) runtime->forget(*twin);
  return MPI_SUCCESS;
}

int on_finalize(MPI_Comm, int, void*, void*) {
  if (detaching) return MPI_SUCCESS;
  // PAT_Finalize was forgotten: no MPI call may follow any more, so what needs one is left behind.
  if (Runtime* runtime = Runtime::instance().release()) {
    runtime->stop_daemon();
    spdlog::warn("MPI_Finalize was called while PAT is running, call PAT_Finalize before it");
  }
  return MPI_SUCCESS;
}

}  // namespace

Communicator* attached(MPI_Comm user) {
  if (twin_key == MPI_KEYVAL_INVALID) return nullptr;
  Communicator* twin = last_twin.load(std::memory_order_acquire);
  if (twin != nullptr && twin->user() == user) return twin;
  int found = 0;
  check(PMPI_Comm_get_attr(user, twin_key, &twin, &found));
  if (!found) return nullptr;
  last_twin.store(twin, std::memory_order_release);
  return twin;
}

void attach(MPI_Comm user, Communicator& twin) {
  if (twin_key == MPI_KEYVAL_INVALID)
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &twin_key, nullptr));
  check(PMPI_Comm_set_attr(user, twin_key, &twin));
  users()[twin.id()] = user;
}

void detach_all() {
  std::vector<MPI_Comm> all;
  for (const auto& [id, user] : users()) all.push_back(user);
  for (const MPI_Comm user : all) check(PMPI_Comm_delete_attr(user, twin_key));
  if (twin_key != MPI_KEYVAL_INVALID) check(PMPI_Comm_free_keyval(&twin_key));
  if (finalize_key != MPI_KEYVAL_INVALID) {
    detaching = true;
    check(PMPI_Comm_delete_attr(MPI_COMM_SELF, finalize_key));
    detaching = false;
    check(PMPI_Comm_free_keyval(&finalize_key));
  }
}

void hook_finalize() {
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &finalize_key, nullptr));
  check(PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, nullptr));
}

}  // namespace pat
