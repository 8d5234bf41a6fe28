#include "libpat/session/requests.hpp"

#include <algorithm>
#include <string>

#include "core/errors.hpp"

namespace pat::detail {
namespace {

std::uint64_t number_of(Requests::Handle handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

}  // namespace

Requests::Handle Requests::add(Locked&, std::unique_ptr<Call> call) {
  const std::uint64_t number = ++made_;  // never the same: a stale handle is refused
  all_[number] = std::move(call);
  return reinterpret_cast<Handle>(number);
}

bool Requests::knows(Locked&, Handle handle) const {
  return all_.contains(number_of(handle));
}

Call& Requests::at(Locked&, Handle handle, const char* function) {
  const auto found = all_.find(number_of(handle));
  if (found == all_.end())
    throw Error(ErrorKind::request,
                std::string(function) +
                    ": this is no request of the session, make one with PAT_Gather_init, "
                    "PAT_Igather or another of their kind");
  return *found->second;
}

MPI_Comm Requests::user_communicator(Locked&, Handle handle) const {
  const auto found = all_.find(number_of(handle));
  return found != all_.end() ? found->second->user_comm : MPI_COMM_NULL;
}

std::size_t Requests::active(Locked&) const {
  return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [](const auto& entry) { return entry.second->active(); }));
}

void Requests::release(Locked& locked, Handle handle) {
  const auto place = all_.find(number_of(handle));
  const std::unique_ptr<Call> gone = std::move(place->second);
  all_.erase(place);
  if (Stream* stream = gone->stream;
      stream != nullptr && gone->signature.form == Form::persistent) {
    stream->in_use = false;
    following_.forget(locked, *stream);
  }
  if (gone->own_comm != MPI_COMM_NULL) PMPI_Comm_free(&gone->own_comm);
  Twin* twin = gone->twin;
  if (twin == nullptr || !twin->orphaned) return;
  const bool last = std::none_of(all_.begin(), all_.end(),
                                 [&](const auto& other) { return other.second->twin == twin; });
  if (last) depart(locked, *twin);
}

void Requests::abandon(Locked& locked, Handle handle) {
  Call& call = *all_.at(number_of(handle));
  if (call.twin != nullptr) call.twin->break_off(locked);
  if (call.stream != nullptr) call.stream->unfinished.erase(call.number);
  calls_.let_go(locked, call);
  release(locked, handle);
}

void Requests::forget(Locked& locked, Twin& gone) {
  following_.take_events(locked);
  bool has_requests = false;  // they outlive the user's communicator, and so does its twin
  for (const auto& [number, call] : all_) {
    if (call->twin != &gone) continue;
    call->user_comm = MPI_COMM_NULL;
    has_requests = true;
  }
  gone.orphaned = has_requests;  // the last of them takes it along
  if (has_requests)
    following_.forget(locked, gone);
  else
    depart(locked, gone);
}

/// Requests of an orphan were made use of since the user freed its communicator.
void Requests::depart(Locked& locked, Twin& twin) {
  following_.forget(locked, twin);
  twins_.depart(locked, twin);
  rest_.end();
}

void Requests::give_up_all(Locked& locked) {
  for (const auto& [number, call] : all_)
    if (call->twin != nullptr) call->twin->give_up(locked, std::move(call->run));
  calls_.give_up_turns(locked);
  all_.clear();
}

}  // namespace pat::detail
