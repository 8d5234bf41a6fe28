#include "libpat/session/twin.hpp"

#include <algorithm>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/execution/letters.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/private_communicator.hpp"
#include "libpat/mpi/topology.hpp"

namespace pat::detail {
namespace {

constexpr std::uint32_t calls_apart = Letters::calls_apart;

constexpr std::string_view beyond = "mpi: one of more kinds of calls than are told apart";

/// MPI attaches it to MPI_COMM_WORLD alone; without it the standard's least holds.
int largest_tag() {
  int* value = nullptr;
  int found = 0;
  check(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found));
  return found ? *value : 32767;
}

}  // namespace

Twin::Twin(MPI_Comm user, std::vector<int> session_ranks, std::uint32_t id)
    : id_(id),
      session_ranks_(std::move(session_ranks)),
      neighbours_(neighbours_in(user)),
      short_circle_(detail::has_short_circle(user)) {
  check(PMPI_Comm_rank(user, &rank_));
  tags_per_call_ = static_cast<std::uint32_t>(largest_tag() - 1) / (most_streams * calls_apart);
  // The first tags that no stream uses.
  last_tag_ = static_cast<int>(tags_per_call_ * most_streams * calls_apart);
}

void Twin::open_messages(MPI_Comm user) {
  data_ = private_communicator(user);
  mailbox_ = std::make_unique<Mailbox>(data_, last_tag_ + 1);
  messages_ = Messages::open;
}

Twin::~Twin() {
  streams_.clear();
  if (broken_) {  // MPI would give its context, and what is on its way in it, to another
    static_cast<void>(mailbox_.release());
    return;
  }
  mailbox_.reset();
  if (data_ != MPI_COMM_NULL) PMPI_Comm_free(&data_);
}

int Twin::rank_of_session(int session_rank) const {
  const auto found = std::find(session_ranks_.begin(), session_ranks_.end(), session_rank);
  return found == session_ranks_.end() ? -1 : static_cast<int>(found - session_ranks_.begin());
}

Stream* Twin::find(const CallSignature& signature, const Algorithm* forced) const {
  for (const auto& stream : streams_)
    if (stream->signature == signature && stream->forced == forced) return stream.get();
  return nullptr;
}

Stream* Twin::obtain(Locked&, const CallSignature& signature, const Algorithm* forced) {
  if (Stream* known = find(signature, forced)) return known;
  return add_stream(signature, forced);
}

Stream* Twin::obtain_for_request(Locked&, const CallSignature& signature, const Algorithm* forced) {
  Stream* chosen = nullptr;
  for (const auto& stream : streams_)
    if (stream->signature == signature && stream->forced == forced && !stream->in_use)
      chosen = stream.get();
  if (chosen == nullptr) chosen = add_stream(signature, forced);
  if (chosen != nullptr) chosen->in_use = true;
  return chosen;
}

Stream* Twin::add_stream(const CallSignature& signature, const Algorithm* forced) {
  if (streams_.size() >= most_streams) return nullptr;
  streams_.push_back(std::make_unique<Stream>());
  begin(*streams_.back(), streams_.size() - 1, signature, forced);
  return streams_.back().get();
}

void Twin::begin(Series& series, std::size_t id, const CallSignature& signature,
                 const Algorithm* forced) {
  series.id = static_cast<std::uint32_t>(id);
  series.signature = signature;
  series.forced = forced;
  series.settled.communicator = id_;
  series.settled.entered = &entered;
  series.settled.series = series.id;
  series.leader_rank = row(signature.operation).rooted ? signature.root : 0;
}

Series& Twin::undecided(Locked& locked, const CallSignature& signature, const Algorithm* forced,
                        std::string_view because) {
  for (const auto& series : undecided_)
    if (series->signature == signature && series->forced == forced &&
        series->left_because == because)
      return *series;
  if (undecided_.size() >= most_undecided && because != beyond) {
    CallSignature any;
    any.operation = signature.operation;
    any.varying = true;
    return undecided(locked, any, nullptr, beyond);
  }
  undecided_.push_back(std::make_unique<Series>());
  Series& made = *undecided_.back();
  begin(made, most_streams + undecided_.size() - 1, signature, forced);
  made.left_because = because;
  made.of_any_kind = because == beyond;
  return made;
}

Series* Twin::series(std::uint32_t id) const {
  if (id < most_streams) return by_id(id);
  const std::size_t place = id - most_streams;
  return place < undecided_.size() ? undecided_[place].get() : nullptr;
}

std::vector<const Series*> Twin::all_series() const {
  std::vector<const Series*> all;
  for (const auto& stream : streams_) all.push_back(stream.get());
  for (const auto& series : undecided_) all.push_back(series.get());
  return all;
}

CallTags Twin::tags(const Stream& stream, std::uint32_t call) const {
  const std::uint32_t first = (stream.id * calls_apart + call % calls_apart) * tags_per_call_;
  return {static_cast<int>(first), static_cast<int>(first + tags_per_call_ - 1)};
}

bool Twin::tags_are_free(const Stream& stream, std::uint32_t call) {
  return stream.unfinished.empty() || call - *stream.unfinished.begin() < calls_apart;
}

void Twin::break_off(Locked&) {
  broken_ = true;
  drop_settled();
}

void Twin::refuse_if_broken(const char* function) const {
  if (broken_)
    throw Error(ErrorKind::order,
                std::string(function) +
                    ": an earlier call on this communicator broke off, free it and make another");
}

void Twin::give_up(Locked&, std::unique_ptr<Run> run) {
  if (run) given_up_to_.merge(run->receivers());
}

const std::set<int>& Twin::give_up_all(Locked& locked) {
  for (const auto& stream : streams_) give_up(locked, std::move(stream->ahead));
  given_up_to_.merge(mailbox_->receivers());
  return given_up_to_;
}

}  // namespace pat::detail
