#include "libpat/preload/requests.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "libpat/api/error_handler.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/local.hpp"
#include "libpat/operations/checks.hpp"
#include "libpat/operations/collective.hpp"
#include "libpat/preload/lifetime.hpp"
#include "libpat/preload/phases.hpp"
#include "libpat/session/session.hpp"
#include "pat/pat.h"

namespace pat::detail {
namespace {

/// Of one communicator; streams, of which it has 64, are not given back.
constexpr int most_persistent = 16;

struct Held {
  PAT_Request call;
  int tag;
  bool persistent;
  bool active;
};

int largest_tag() {
  int* bound = nullptr;
  int known = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &known);
  return known ? *bound : 32767;
}

/// Those that are active, and all persistent ones. Never destroyed: the program may wait for
/// requests in its last functions.
struct Table {
  std::mutex mutex;
  std::unordered_map<MPI_Request, Held> held;
  std::map<std::uint32_t, int> persistent_of_twin;
  std::set<int> tags;  ///< of those held
  int last_tag = 0;

  int take_tag() {
    static const int largest = largest_tag();
    do last_tag = last_tag < largest ? last_tag + 1 : 0;
    while (!tags.insert(last_tag).second);
    return last_tag;
  }
  void erase(std::unordered_map<MPI_Request, Held>::iterator place) {
    tags.erase(place->second.tag);
    held.erase(place);
  }
};
Table& table() {
  static Table& all = *new Table;
  return all;
}

bool has_algorithms(Operation operation) {
  return std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& one) {
    return one.operation == operation && !is_library(one);
  });
}

bool may_take(const Arguments& arguments, Form form) {
  if (!is_watching() || Phases::mine().inside) return false;
  const Session& session = *Session::instance();
  if (!session.circumstances.daemon_everywhere || session.failure != MPI_SUCCESS) return false;
  if (!has_algorithms(arguments.operation) || is_own_operator(arguments.op)) return false;
  return needs_decision(arguments, form);
}

/// The receive that ends when PAT's call does.
template <class Receive>
int receive_nothing(const Receive& receive, int tag, MPI_Request* request) {
  return receive(nullptr, 0, MPI_BYTE, 0, tag, local_communicator(), request);
}

/// The call has ended: so does the request of MPI.
void let_go(MPI_Request request) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(request);
  if (found == all.held.end()) return;
  found->second.active = false;
  requests_of_pat.fetch_sub(1, std::memory_order_relaxed);
  PMPI_Send(nullptr, 0, MPI_BYTE, 0, found->second.tag, local_communicator());
  if (!found->second.persistent) all.erase(found);
}

/// PAT_REQUEST_NULL: none of PAT's, or not on its way.
PAT_Request active_call(MPI_Request request) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(request);
  const bool is_active = found != all.held.end() && found->second.active;
  return is_active ? found->second.call : PAT_REQUEST_NULL;
}

/// `ended`: true if it has.
int end_one(MPI_Request request, Until until, bool& ended) {
  const PAT_Request call = active_call(request);
  if (call == PAT_REQUEST_NULL) return MPI_SUCCESS;
  int over = 1;
  const int code = until == Until::over ? PAT_Wait(call) : PAT_Test(call, &over);
  ended = code != MPI_SUCCESS || over != 0;
  if (ended) let_go(request);
  return code;
}

}  // namespace

bool takes_request(const Arguments& arguments) {
  return may_take(arguments, Form::nonblocking);
}

bool takes_persistent(const Arguments& arguments) {
  if (!may_take(arguments, Form::persistent)) return false;
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return all.persistent_of_twin[Twins::attached(arguments.comm)->id()]++ < most_persistent;
}

int begin_request(const Arguments& arguments, MPI_Request* request) {
  return with_error_handler(arguments.comm, [&] {
    const PAT_Request call = static_cast<PAT_Request>(start(arguments));
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const int tag = all.take_tag();
    check(receive_nothing(PMPI_Irecv, tag, request));
    all.held[*request] = {call, tag, false, true};
    requests_of_pat.fetch_add(1, std::memory_order_relaxed);
    return MPI_SUCCESS;
  });
}

int make_persistent(const Arguments& arguments, MPI_Request* request) {
  return with_error_handler(arguments.comm, [&] {
    const PAT_Request call = static_cast<PAT_Request>(make_request(arguments));
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const int tag = all.take_tag();
    check(receive_nothing(PMPI_Recv_init, tag, request));
    all.held[*request] = {call, tag, true, false};
    return MPI_SUCCESS;
  });
}

int end_requests(int count, const MPI_Request requests[], Until until) {
  int first = MPI_SUCCESS;
  for (int i = 0; requests != nullptr && i < count; ++i) {
    bool ended = false;
    const int code = end_one(requests[i], until, ended);
    if (first == MPI_SUCCESS) first = code;
    if (ended && until == Until::now) note_wait(count, requests, 0);  // the time counts once
  }
  return first;
}

void note_wait(int count, const MPI_Request requests[], std::int64_t since_ns) {
  Session* const session = Session::instance().get();
  for (int i = 0; session != nullptr && requests != nullptr && i < count; ++i)
    if (const PAT_Request call = active_call(requests[i]); call != PAT_REQUEST_NULL)
      session->under_lock([&](Locked& locked) {
        if (session->requests.knows(locked, call))
          session->requests.at(locked, call, "MPI_Wait").waits_since_ns = since_ns;
      });
}

int start_requests(int count, const MPI_Request requests[]) {
  Table& all = table();
  for (int i = 0; requests != nullptr && i < count; ++i) {
    PAT_Request call = PAT_REQUEST_NULL;
    {
      const std::lock_guard lock(all.mutex);
      const auto found = all.held.find(requests[i]);
      if (found == all.held.end() || found->second.active) continue;
      found->second.active = true;
      call = found->second.call;
      requests_of_pat.fetch_add(1, std::memory_order_relaxed);
    }
    int code = PAT_Start(call);
    if (code == MPI_SUCCESS) code = PAT_Ready(call);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

bool is_under_way(MPI_Request request) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(request);
  return found != all.held.end() && found->second.active;
}

void free_request(MPI_Request request) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  const auto found = all.held.find(request);
  if (found == all.held.end()) return;
  if (found->second.active) requests_of_pat.fetch_sub(1, std::memory_order_relaxed);
  all.erase(found);
}

}  // namespace pat::detail
