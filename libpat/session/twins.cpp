#include "libpat/session/twins.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "libpat/mpi/check.hpp"
#include "libpat/session/settled.hpp"
#include "libpat/session/twin_tally.hpp"

namespace pat::detail {
namespace {

int attribute = MPI_KEYVAL_INVALID;
Twins::OnFree told_of_frees = nullptr;
std::mutex users_mutex;
/// The twin that this thread asked for last: most programs ask for one all the time, and MPI's
/// attributes are a lock and a search. Holds until drop_settled().
struct LastTwin {
  MPI_Comm user = MPI_COMM_NULL;
  Twin* twin = nullptr;
  std::uint64_t drops = 0;
};
thread_local LastTwin last;

/// User communicators by the twin's id: the same order on every process. Under users_mutex.
std::map<std::uint32_t, MPI_Comm>& users() {
  static std::map<std::uint32_t, MPI_Comm> map;
  return map;
}

int on_free(MPI_Comm, int, void* value, void*) {
  auto* twin = static_cast<Twin*>(value);
  drop_settled();
  {
    const std::lock_guard lock(users_mutex);
    users().erase(twin->id());
  }
  told_of_frees(*twin);
  return MPI_SUCCESS;
}

void attach(MPI_Comm user, Twin& twin) {
  if (attribute == MPI_KEYVAL_INVALID)
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_free, &attribute, nullptr));
  check(PMPI_Comm_set_attr(user, attribute, &twin));
  const std::lock_guard lock(users_mutex);
  users()[twin.id()] = user;
}

/// The ranks that the processes of `comm` have in `session`.
std::vector<int> ranks_in(MPI_Group session, MPI_Comm comm) {
  MPI_Group mine = MPI_GROUP_NULL;
  check(PMPI_Comm_group(comm, &mine));
  int size = 0;
  check(PMPI_Group_size(mine, &size));
  std::vector<int> ranks(static_cast<std::size_t>(size)), session_ranks(ranks.size());
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  check(PMPI_Group_translate_ranks(mine, size, ranks.data(), session, session_ranks.data()));
  PMPI_Group_free(&mine);
  return session_ranks;
}

}  // namespace

Twins::Twins(MPI_Comm session, OnFree on_free, bool keeps_tallies) : keeps_tallies_(keeps_tallies) {
  told_of_frees = on_free;
  check(PMPI_Comm_group(session, &session_));
  check(PMPI_Comm_rank(session, &rank_));
  check(PMPI_Comm_size(session, &size_));
  newest_.assign(static_cast<std::size_t>(size_), 0);
}

Twins::~Twins() {
  PMPI_Group_free(&session_);
}

std::vector<int> Twins::session_ranks() const {
  std::vector<int> all(static_cast<std::size_t>(size_));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Twin* Twins::attached(MPI_Comm user) {
  if (attribute == MPI_KEYVAL_INVALID) return nullptr;
  const std::uint64_t now = settled_drops();
  if (last.twin != nullptr && last.user == user && last.drops == now) return last.twin;
  Twin* twin = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(user, attribute, &twin, &found));
  if (!found) return nullptr;
  last = {user, twin, now};
  return twin;
}

std::optional<std::vector<int>> Twins::session_ranks(MPI_Comm user) const {
  int is_inter = 0;
  check(PMPI_Comm_test_inter(user, &is_inter));
  if (is_inter) return std::nullopt;
  std::vector<int> ranks = ranks_in(session_, user);
  if (std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end()) return std::nullopt;
  return ranks;
}

std::unique_ptr<Twin> Twins::make(MPI_Comm user, std::vector<int> session_ranks) {
  // Rank 0's name for the communicator holds for all.
  std::uint32_t name =
      made_++ * static_cast<std::uint32_t>(size_) + static_cast<std::uint32_t>(rank_);
  check(PMPI_Bcast(&name, 1, MPI_UINT32_T, 0, user));
  return std::make_unique<Twin>(user, std::move(session_ranks), name);
}

Twin& Twins::add(Locked&, MPI_Comm user, std::unique_ptr<Twin> twin) {
  attach(user, *twin);
  const auto ranks = static_cast<std::uint32_t>(size_);
  newest_[twin->id() % ranks] = twin->id() / ranks + 1;
  return *(twins_[twin->id()] = std::move(twin));
}

Twin* Twins::find(Locked&, std::uint32_t id) const {
  const auto found = twins_.find(id);
  return found != twins_.end() ? found->second.get() : nullptr;
}

bool Twins::has_departed(Locked& locked, std::uint32_t id) const {
  const auto ranks = static_cast<std::uint32_t>(size_);
  return find(locked, id) == nullptr && id / ranks < newest_[id % ranks];
}

void Twins::depart(Locked& locked, Twin& gone) {
  advance_departures(locked);  // without a daemon nobody else may come by
  const auto found = twins_.find(gone.id());
  if (keeps_tallies_)
    for (const Series* series : gone.all_series())
      departed_tallies_[tally_key(gone, *series)].add(final_tally(gone, *series));
  if (gone.has_messages())
    departures_.push_back(std::make_unique<Departure>(locked, std::move(found->second)));
  twins_.erase(found);
}

void Twins::advance_departures(Locked& locked) {
  std::erase_if(departures_, [&](const auto& departure) { return departure->advance(locked); });
}

void Twins::detach_all() {
  std::vector<MPI_Comm> all;
  {
    const std::lock_guard lock(users_mutex);
    for (const auto& [id, user] : users()) all.push_back(user);
  }
  for (const MPI_Comm user : all) check(PMPI_Comm_delete_attr(user, attribute));
  if (attribute != MPI_KEYVAL_INVALID) check(PMPI_Comm_free_keyval(&attribute));
}

}  // namespace pat::detail
