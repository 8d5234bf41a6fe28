// Requests: calls that outlive the function that makes them, and what becomes of them when the
// program frees their communicator or ends the session.

#include <algorithm>
#include <string>

#include "core/errors.hpp"
#include "libpat/session/calls.hpp"

namespace pat::detail {

Calls::Handle Calls::add(Locked&, std::unique_ptr<Call> call) {
  const std::uint64_t handle = ++requests_made_;  // never the same: a stale one is refused
  requests_[handle] = std::move(call);
  return reinterpret_cast<Handle>(handle);
}

bool Calls::is_request(Locked&, Handle handle) const {
  return requests_.contains(reinterpret_cast<std::uint64_t>(handle));
}

Call& Calls::request(Locked&, Handle handle, const char* function) {
  const auto found = requests_.find(reinterpret_cast<std::uint64_t>(handle));
  if (found == requests_.end())
    throw Error(ErrorKind::request,
                std::string(function) +
                    ": this is no request of the session, make one with PAT_Gather_init, "
                    "PAT_Igather or another of their kind");
  return *found->second;
}

MPI_Comm Calls::user_communicator(Locked&, Handle handle) const {
  const auto found = requests_.find(reinterpret_cast<std::uint64_t>(handle));
  return found != requests_.end() ? found->second->user_comm : MPI_COMM_NULL;
}

std::size_t Calls::active_requests(Locked&) const {
  return static_cast<std::size_t>(
      std::count_if(requests_.begin(), requests_.end(),
                    [](const auto& entry) { return entry.second->active(); }));
}

void Calls::release(Locked& locked, Handle handle) {
  const auto place = requests_.find(reinterpret_cast<std::uint64_t>(handle));
  const std::unique_ptr<Call> gone = std::move(place->second);
  requests_.erase(place);
  if (Stream* stream = gone->stream;
      stream != nullptr && gone->signature.form == Form::persistent) {
    stream->in_use = false;
    for (Following& after : following_)
      if (after.request == stream) {
        after.request = nullptr;
        after.signature.reset();
      }
  }
  if (gone->own_comm != MPI_COMM_NULL) PMPI_Comm_free(&gone->own_comm);
  Twin* twin = gone->twin;
  if (twin == nullptr || !twin->orphaned) return;
  const bool last = std::none_of(requests_.begin(), requests_.end(),
                                 [&](const auto& other) { return other.second->twin == twin; });
  if (!last) return;
  forget_what_follows(*twin);  // requests of an orphan were made use of since
  twins_.depart(locked, *twin);
  rise();
}

void Calls::abandon(Locked& locked, Handle handle) {
  Call& call = *requests_.at(reinterpret_cast<std::uint64_t>(handle));
  if (call.twin != nullptr) call.twin->break_off();
  if (call.stream != nullptr) call.stream->unfinished.erase(call.number);
  let_go(call);
  release(locked, handle);
}

void Calls::forget(Locked& locked, Twin& gone) {
  take_events(locked);
  bool has_requests = false;  // they outlive the user's communicator, and so does its twin
  for (const auto& [handle, call] : requests_) {
    if (call->twin != &gone) continue;
    call->user_comm = MPI_COMM_NULL;
    has_requests = true;
  }
  gone.orphaned = has_requests;  // the last of them takes it along
  forget_what_follows(gone);
  if (has_requests) return;
  twins_.depart(locked, gone);
  rise();
}

void Calls::give_up_all(Locked&) {
  for (const auto& [handle, call] : requests_) {
    if (call->twin == nullptr) continue;
    call->twin->give_up(std::move(call->run));
    call->twin->in_order.clear();
  }
  requests_.clear();
}

}  // namespace pat::detail
