#include "libpat/execution/schedule_run.hpp"

#include <algorithm>
#include <chrono>
#include <ranges>

#include "core/clock.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {
namespace {

/// Stands for an operation in the list of requests: a message "I have come".
constexpr OpId announcement = UINT32_MAX;

bool reads_send_buffer(const Op& op) {
  return (op.kind == OpKind::send || op.kind == OpKind::copy) && op.source.buffer == Buffer::send &&
         op.source.length > 0;
}

bool touches(const Op& op, Buffer buffer, OpKind kind) {
  const Slice& slice = kind == OpKind::recv ? op.target : op.source;
  return op.kind == kind && slice.buffer == buffer && slice.length > 0;
}

std::size_t end_of(const Program& program, Buffer buffer) {
  std::size_t end = 0;
  for (const Op& op : program.ops)
    for (const Slice& slice : {op.source, op.target})
      if (slice.buffer == buffer && slice.length > 0)
        end = std::max(end, slice.offset + slice.length);
  return end;
}

}  // namespace

ScheduleRun::ScheduleRun(std::shared_ptr<const Program> program, MPI_Comm communicator,
                         CallTags tags, std::size_t scratch_bytes)
    : shared_(std::move(program)),
      program_(*shared_),
      communicator_(communicator),
      tags_(tags),
      scratch_limit_(scratch_bytes),
      waiting_(program_.ops.size()),
      dependents_(program_.ops.size()),
      in_mirror_(program_.ops.size(), false),
      open_(program_.ops.size()),
      turns_(program_),
      announcements_to_come_(turns_.size()),
      recv_units_(end_of(program_, Buffer::recv)) {
  open_ += announcements_to_come_ + (program_.announces_to >= 0 ? 1 : 0);
  for (OpId id = 0; id < program_.ops.size(); ++id) {
    const Op& op = program_.ops[id];
    waiting_[id] = static_cast<std::uint32_t>(op.after.size());
    for (const OpId before : op.after) dependents_[before].push_back(id);
    if (op.kind == OpKind::join) join_id_ = id;
    if (tags_.first + static_cast<std::int64_t>(op.tag) >= tags_.announcement)
      throw Error(ErrorKind::internal,
                  "a schedule has more messages between two processes than this MPI library has "
                  "tags for, set PAT_SEGMENTS lower");
    if (op.after.empty()) ready_.push_back(id);
  }
}

ScheduleRun::~ScheduleRun() {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    if (is_send(request_ops_[i])) {
      PMPI_Request_free(&requests_[i]);
    } else {
      PMPI_Cancel(&requests_[i]);
      PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    }
  }
}

std::set<int> ScheduleRun::receivers() const {
  std::set<int> ranks;
  for (const Op& op : program_.ops)
    if (op.kind == OpKind::send) ranks.insert(op.peer);
  if (program_.announces_to >= 0) ranks.insert(program_.announces_to);
  return ranks;
}

std::vector<BlockTime> ScheduleRun::block_times() const {
  std::vector<BlockTime> times;
  for (const Turns::Took& one : turns_.took())
    times.push_back({one.peer, program_.ops[one.delivered].target.length,
                     1e-9 * static_cast<double>(one.took_ns)});
  return times;
}

/// Of the clock only where it is asked for: at the root of a star.
std::int64_t ScheduleRun::time_of_turn_ns() const {
  return turns_.size() > 0 ? now_ns() : 0;
}

bool ScheduleRun::advance(By by) {
  by_ = by;
  retry_combines();
  const std::size_t before = open_, active = requests_.size();
  begin_ready();
  while (!requests_.empty()) {
    int outcount = 0;
    indices_.resize(requests_.size());
    statuses_.resize(requests_.size());
    const int code = PMPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &outcount,
                                   indices_.data(), statuses_.data());
    note_errors(code, outcount);
    if (outcount == 0 || outcount == MPI_UNDEFINED) break;
    complete_requests(outcount);
  }
  return open_ != before || requests_.size() != active;
}

void ScheduleRun::open(const UserBuffers& buffers, std::vector<std::size_t> part_ends) {
  user_ = buffers;
  opened_ = true;
  part_ends_ = std::move(part_ends);
  part_ready_.assign(part_ends_.size(), false);
  note_misfits();
  std::erase_if(dependents_[join_id_], [&](OpId id) {
    if (!waits_for_buffers_only(program_.ops[id])) return false;
    if (--waiting_[id] == 0) ready_.push_back(id);
    return true;
  });
}

bool ScheduleRun::waits_for_buffers_only(const Op& op) const {
  if (reads_send_buffer(op)) return !part_ends_.empty();  // begin() sees to the pieces
  return op.kind == OpKind::copy && op.source.buffer == Buffer::scratch;
}

void ScheduleRun::hand_over_part(std::size_t part) {
  part_ready_[part] = true;
  retry_deferred();
}

void ScheduleRun::retry_deferred() {
  ready_.insert(ready_.end(), deferred_.begin(), deferred_.end());
  deferred_.clear();
}

void ScheduleRun::retry_combines() {
  if (!may_combine()) return;
  ready_.insert(ready_.end(), combines_.begin(), combines_.end());
  combines_.clear();
}

bool ScheduleRun::may_read(const Slice& source) const {
  if (joined_) return true;
  if (part_ends_.empty() || !user_.send.fits(source)) return false;
  const auto first = std::upper_bound(part_ends_.begin(), part_ends_.end(), source.offset);
  const auto last =
      std::lower_bound(part_ends_.begin(), part_ends_.end(), source.offset + source.length);
  if (last == part_ends_.end()) return false;
  for (auto part = first; part <= last; ++part)
    if (!part_ready_[static_cast<std::size_t>(part - part_ends_.begin())]) return false;
  return true;
}

void ScheduleRun::advance_until(MPI_Request& interrupt) {
  begin_ready();
  while (interrupt != MPI_REQUEST_NULL) wait_some(&interrupt);
}

void ScheduleRun::join(const UserBuffers& buffers) {
  by_ = By::caller;
  user_ = buffers;
  joined_ = true;
  prepare_memory();
  note_misfits();
  pack_send_buffer_if_needed();
  // What came early and fits the user's type goes home now, the rest when all of it is here.
  if (!mirror_all_) {
    std::vector<Slice> landed;
    landed.swap(landed_);
    for (const Slice& slice : landed) land(slice);
  }
  retry_deferred();
  announce_arrival();
  if (join_reached_) complete(join_id_);
}

bool ScheduleRun::is_send(OpId id) const {
  if (id == announcement) return program_.announces_to >= 0;
  return program_.ops[id].kind == OpKind::send;
}

void ScheduleRun::announce_arrival() {
  if (program_.announces_to < 0) return;
  check(PMPI_Comm_rank(communicator_, &announced_rank_));
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Isend(&announced_rank_, 1, MPI_INT, program_.announces_to, tags_.announcement,
                   communicator_, &request));
  requests_.push_back(request);
  request_ops_.push_back(announcement);
}

void ScheduleRun::expect_announcement() {
  listening_ = true;
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Irecv(&announced_rank_, 1, MPI_INT, MPI_ANY_SOURCE, tags_.announcement, communicator_,
                   &request));
  requests_.push_back(request);
  request_ops_.push_back(announcement);
}

void ScheduleRun::complete_announcement() {
  --open_;
  if (program_.announces_to >= 0) return;
  turns_.come(announced_rank_, time_of_turn_ns());
  if (--announcements_to_come_ > 0) expect_announcement();
}

void ScheduleRun::grant_out_of_turn() {
  while (const auto go_ahead = turns_.out_of_turn_now()) begin(*go_ahead);
}

void ScheduleRun::finish(const std::function<void(double)>& on_wait) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  by_ = By::caller;
  retry_combines();
  begin_ready();
  for (int attempt = 0; !done();) {
    if (requests_.empty())
      throw Error(ErrorKind::internal, "a collective cannot go on: " + state());
    if (!on_wait) {
      wait_some();
    } else if (advance(By::caller)) {
      attempt = 0;
    } else {  // naps when it takes long, so that those who are waited for get on
      pause(attempt++);
      on_wait(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  if (mirror_all_) bring_home();
}

void ScheduleRun::bring_home() {
  std::vector<Slice> landed;
  landed.swap(landed_);
  std::sort(landed.begin(), landed.end(),
            [](const Slice& a, const Slice& b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i < landed.size();) {
    Slice run = landed[i++];
    while (i < landed.size() && landed[i].offset <= run.offset + run.length) {
      run.length = std::max(run.length, landed[i].offset + landed[i].length - run.offset);
      ++i;
    }
    for (const Slice& piece : user_.recv.contiguous_pieces(run))
      copy_place(mirror().place(piece), user_.recv.place(piece));
  }
}

void ScheduleRun::wait_some(MPI_Request* interrupt) {
  const std::size_t own = requests_.size();
  if (interrupt != nullptr) requests_.push_back(*interrupt);
  int outcount = 0;
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  const int code = PMPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &outcount,
                                 indices_.data(), statuses_.data());
  if (interrupt != nullptr) {
    *interrupt = requests_.back();
    requests_.pop_back();
  }
  note_errors(code, outcount);
  indices_.resize(static_cast<std::size_t>(outcount));
  std::erase(indices_, static_cast<int>(own));
  complete_requests(static_cast<int>(indices_.size()));
}

void ScheduleRun::note_error(int code) {
  if (error_ == MPI_SUCCESS) error_ = code;
}

/// What MPI_Testsome or MPI_Waitsome said: of its messages, or of the call itself.
void ScheduleRun::note_errors(int code, int outcount) {
  if (code == MPI_SUCCESS) return;  // only else do the statuses tell
  bool of_a_message = false;
  for (int i = 0; i < outcount; ++i) {
    const int error = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
    if (error == MPI_SUCCESS) continue;
    note_error(error);
    of_a_message = true;
  }
  if (!of_a_message) throw MpiFailure(code);
}

void ScheduleRun::complete_requests(int outcount) {
  std::vector<OpId> ended;
  for (int i = 0; i < outcount; ++i)
    ended.push_back(request_ops_[static_cast<std::size_t>(indices_[i])]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    request_ops_[kept++] = request_ops_[i];
  }
  requests_.resize(kept);
  request_ops_.resize(kept);
  for (const OpId id : ended) {
    if (id == announcement) {
      complete_announcement();
      continue;
    }
    if (in_mirror_[id]) land(program_.ops[id].target);
    complete(id);
  }
  begin_ready();
  grant_out_of_turn();
}

void ScheduleRun::land(const Slice& slice) {
  if ((!joined_ && !opened_) || mirror_all_)
    landed_.push_back(slice);
  else
    copy_place(mirror().place(slice), user_.recv.place(slice));
}

void ScheduleRun::complete(OpId id) {
  --open_;
  turns_.ended(id, time_of_turn_ns());
  for (const OpId next : dependents_[id])
    if (--waiting_[next] == 0) ready_.push_back(next);
}

void ScheduleRun::begin_ready() {
  while (!ready_.empty()) {
    const OpId id = ready_.front();
    ready_.pop_front();
    begin(id);
  }
}

void ScheduleRun::begin(OpId id) {
  if (reads_send_buffer(program_.ops[id]) && !may_read(program_.ops[id].source)) {
    deferred_.push_back(id);
    return;
  }
  switch (program_.ops[id].kind) {
    case OpKind::join:
      join_reached_ = true;
      if (joined_) complete(id);
      return;
    case OpKind::send:
      if (turns_.grant_again(id, time_of_turn_ns())) return;
      if (!listening_ && announcements_to_come_ > 0) expect_announcement();
      return post_send(id);
    case OpKind::recv:
      return post_recv(id);
    case OpKind::reduce:
      if (!may_combine()) return combines_.push_back(id);
      [[fallthrough]];
    case OpKind::copy:
      run_local(id);
      return complete(id);
  }
}

void ScheduleRun::post_send(OpId id) {
  const Op& op = program_.ops[id];
  prepare_memory();
  const Place place = area(op.source.buffer).place(op.source);
  MPI_Request request = MPI_REQUEST_NULL;
  const auto send = op.asks ? &PMPI_Issend : &PMPI_Isend;
  check(send(place.address, place.count, place.type, op.peer,
             tags_.first + static_cast<int>(op.tag), communicator_, &request));
  requests_.push_back(request);
  request_ops_.push_back(id);
}

void ScheduleRun::post_recv(OpId id) {
  const Op& op = program_.ops[id];
  prepare_memory();
  Place place;
  const bool known = joined_ || opened_;
  if (touches(op, Buffer::recv, OpKind::recv) && (!known || mirror_all_)) {
    if (!known && early_bytes_ + op.target.length > scratch_limit_) {
      deferred_.push_back(id);
      return;
    }
    early_bytes_ += op.target.length;
    in_mirror_[id] = true;
    place = mirror().place(op.target);
  } else {
    place = area(op.target.buffer).place(op.target);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Irecv(place.address, place.count, place.type, op.peer,
                   tags_.first + static_cast<int>(op.tag), communicator_, &request));
  requests_.push_back(request);
  request_ops_.push_back(id);
}

void ScheduleRun::run_local(OpId id) {
  const Op& op = program_.ops[id];
  if (op.target.length == 0) return;
  const bool lands = op.target.buffer == Buffer::recv;
  if (lands && mirror_all_)
    landed_.push_back(op.target);
  else if (lands && user_.in_place && op.kind == OpKind::copy && op.source.buffer == Buffer::send)
    return;
  prepare_memory();
  const Place source = area(op.source.buffer).place(op.source);
  const Place target = area(op.target.buffer).place(op.target);
  if (op.kind == OpKind::copy)
    copy_place(source, target);
  else
    note_error(
        PMPI_Reduce_local(source.address, target.address, target.count, target.type, user_.op));
}

/// Where the operations of this call see the buffer.
Area ScheduleRun::area(Buffer buffer) const {
  switch (buffer) {
    case Buffer::send:
      return user_.send;
    case Buffer::recv:
      return mirror_all_ ? Area::raw_bytes(mirror_memory_.get()) : user_.recv;
    default:
      return scratch_;
  }
}

Area ScheduleRun::mirror() {
  if (!mirror_memory_) mirror_memory_ = raw_memory(recv_units_);
  return Area::raw_bytes(mirror_memory_.get());
}

void ScheduleRun::prepare_memory() {
  if (scratch_memory_ || program_.scratch_units == 0) return;
  if (user_.type == MPI_PACKED) {
    scratch_memory_ = raw_memory(program_.scratch_units);
    scratch_ = Area::raw_bytes(scratch_memory_.get());
    return;
  }
  ElementMemory room = element_memory(program_.scratch_units, user_.type, user_.datatype);
  scratch_memory_ = std::move(room.memory);
  scratch_ = room.area;
}

void ScheduleRun::note_misfits() {
  for (const Op& op : program_.ops)
    for (const Slice& slice : {op.source, op.target})
      if (slice.buffer == Buffer::recv && slice.length > 0 && !user_.recv.fits(slice))
        mirror_all_ = true;
  if (mirror_all_) mirror();
}

void ScheduleRun::pack_send_buffer_if_needed() {
  for (const Op& op : program_.ops) {
    if (packed_send_ || !reads_send_buffer(op) || user_.send.fits(op.source)) continue;
    const std::size_t units = end_of(program_, Buffer::send);
    packed_send_ = raw_memory(units);
    const Area packed = Area::raw_bytes(packed_send_.get());
    const Slice whole{Buffer::send, 0, units};
    for (const Slice& piece : user_.send.contiguous_pieces(whole))
      copy_place(user_.send.place(piece), packed.place(piece));
    user_.send = packed;
  }
}

std::string ScheduleRun::state() const {
  std::string text =
      std::to_string(open_) + " of " + std::to_string(program_.ops.size()) + " operations open";
  if (!joined_) text += ", not joined";
  if (request_ops_.empty()) return text;
  return text + ": " + pat::join(request_ops_ | std::views::take(8), ", ", [this](OpId id) {
           if (id == announcement) return std::string("word of who has come");
           return (is_send(id) ? "send to " : "recv from ") + std::to_string(program_.ops[id].peer);
         });
}

}  // namespace pat::detail
