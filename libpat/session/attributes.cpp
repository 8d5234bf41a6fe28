#include "libpat/session/attributes.hpp"

#include <spdlog/spdlog.h>

#include <map>
#include <mutex>
#include <vector>

#include "libpat/mpi/check.hpp"
#include "libpat/session/runtime.hpp"
#include "libpat/session/settled.hpp"

namespace pat {
namespace {

int twin_key = MPI_KEYVAL_INVALID;
int finalize_key = MPI_KEYVAL_INVALID;
bool detaching = false;  // the hooks are being removed: MPI goes on
std::mutex users_mutex;
/// The twin that this thread asked for last: most programs ask for one all the time, and MPI's
/// attributes are a lock and a search. Holds until drop_settled().
struct LastTwin {
  MPI_Comm user = MPI_COMM_NULL;
  Communicator* twin = nullptr;
  std::uint64_t drops = 0;
};
thread_local LastTwin last;

/// User communicators by the twin's id: the same order on every process. Under users_mutex.
std::map<std::uint32_t, MPI_Comm>& users() {
  static std::map<std::uint32_t, MPI_Comm> map;
  return map;
}

int on_free(MPI_Comm, int, void* value, void*) {
  auto* twin = static_cast<Communicator*>(value);
  drop_settled();
  {
    const std::lock_guard lock(users_mutex);
    users().erase(twin->id());
  }
  if (Runtime* runtime = Runtime::instance().get()) runtime->forget(*twin);
  return MPI_SUCCESS;
}

int on_finalize(MPI_Comm, int, void*, void*) {
  if (detaching) return MPI_SUCCESS;
  // PAT_Finalize was forgotten: no MPI call may follow any more, so what needs one is left behind.
  if (Runtime* runtime = Runtime::instance().release()) {
    drop_settled();
    runtime->stop_daemon();
    spdlog::warn("MPI_Finalize was called while PAT is running, call PAT_Finalize before it");
  }
  return MPI_SUCCESS;
}

}  // namespace

Communicator* attached(MPI_Comm user) {
  if (twin_key == MPI_KEYVAL_INVALID) return nullptr;
  const std::uint64_t now = settled_drops();
  if (last.twin != nullptr && last.user == user && last.drops == now) return last.twin;
  Communicator* twin = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(user, twin_key, &twin, &found));
  if (!found) return nullptr;
  last = {user, twin, now};
  return twin;
}

void attach(MPI_Comm user, Communicator& twin) {
  if (twin_key == MPI_KEYVAL_INVALID)
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &twin_key, nullptr));
  check(PMPI_Comm_set_attr(user, twin_key, &twin));
  const std::lock_guard lock(users_mutex);
  users()[twin.id()] = user;
}

void detach_all() {
  std::vector<MPI_Comm> all;
  {
    const std::lock_guard lock(users_mutex);
    for (const auto& [id, user] : users()) all.push_back(user);
  }
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
