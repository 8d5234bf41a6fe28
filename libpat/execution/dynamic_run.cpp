#include "libpat/execution/dynamic_run.hpp"

#include <ranges>

#include "collectives/operation_row.hpp"
#include "core/text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/thread.hpp"

namespace pat::detail {

DynamicRun::DynamicRun(std::unique_ptr<Protocol> protocol, const Problem& problem, int rank,
                       Mailbox& mailbox, CallKey call, MPI_Comm communicator, int tag_base)
    : protocol_(std::move(protocol)),
      units_(problem.units),
      combines_(row(problem.operation).combines),
      has_result_(has_buffer(row(problem.operation).recv->at, rank, problem.root)),
      mailbox_(mailbox),
      call_(call),
      communicator_(communicator),
      tag_base_(tag_base),
      values_(static_cast<std::size_t>(protocol_->pieces()), At::send_buffer) {}

DynamicRun::~DynamicRun() {
  mailbox_.close(call_);
}

void DynamicRun::join(const UserBuffers& buffers) {
  user_ = buffers;
  if (has_result_) home_ = user_.recv;
  if (!combines_) pack_pieces_that_do_not_fit();
  start_s_ = PMPI_Wtime();
  joined_ = true;
  take_letters();
  act();
}

bool DynamicRun::advance(By by) {
  if (!joined_ || done() || (by == By::daemon && user_.own_operator)) return false;
  const bool changed = take_letters() | complete_transfers();
  if (changed || PMPI_Wtime() - start_s_ >= protocol_->next_s()) act();
  return changed;
}

void DynamicRun::finish(const OnWait& on_wait) {
  for (int attempt = 0; !protocol_->done(); ++attempt) {
    const bool changed = take_letters() | complete_transfers();
    const double waited_s = PMPI_Wtime() - start_s_;
    if (changed || waited_s >= protocol_->next_s()) {
      act();
      if (changed) attempt = 0;
      continue;
    }
    pause(transfers_.empty() ? attempt : 0);
    if (on_wait) on_wait(waited_s);
  }
  bring_home();
}

std::set<int> DynamicRun::receivers() const {
  std::set<int> ranks;
  for (const Transfer& transfer : transfers_)
    if (transfer.sends) ranks.insert(transfer.peer);
  return ranks;
}

bool DynamicRun::take_letters() {
  const auto letters = mailbox_.take(call_);
  for (const auto& [from, note] : letters) protocol_->take(from, note);
  return !letters.empty();
}

bool DynamicRun::complete_transfers() {
  bool changed = false;
  for (std::size_t i = 0; i < transfers_.size();) {
    int done = 0;
    const int code = PMPI_Test(&transfers_[i].request, &done, MPI_STATUS_IGNORE);
    note_error(code);
    if (!done && code == MPI_SUCCESS) {
      ++i;
      continue;
    }
    const Transfer ended = transfers_[i];
    transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (ended.sends) {
      protocol_->sent(ended.piece);
    } else {
      combine(ended.piece, ended.side);
      protocol_->received(ended.piece);
    }
    changed = true;
  }
  return changed;
}

void DynamicRun::act() {
  Actions actions;
  protocol_->act(PMPI_Wtime() - start_s_, actions);
  for (const Actions::Letter& letter : actions.letters)
    mailbox_.send(call_, letter.to, letter.note);
  for (const Actions::Transfer& transfer : actions.receives) post(transfer, false);
  for (const Actions::Transfer& transfer : actions.sends) post(transfer, true);
}

Slice DynamicRun::slice(int piece) const {
  return part_of({Buffer::send, 0, units_}, protocol_->pieces(), piece);
}

/// Where the next value of a piece lands, so that combining needs the fewest copies: the result is
/// written over the operand on the right, and the send buffer is not to be written on.
DynamicRun::At DynamicRun::landing(int piece, OperandSide side) const {
  if (!combines_) return At::home;
  const At value = values_[static_cast<std::size_t>(piece)];
  if (value == At::send_buffer) return side == OperandSide::left ? At::beside : At::home;
  return value == At::home ? At::beside : At::home;
}

const Area& DynamicRun::area(At at) {
  if (at == At::send_buffer) return user_.send;
  if (at == At::home) {
    if (home_.items.base == nullptr) {
      home_memory_ = element_memory(units_, user_.type, user_.datatype);
      home_ = home_memory_.area;
    }
    return home_;
  }
  if (!beside_memory_.memory) beside_memory_ = element_memory(units_, user_.type, user_.datatype);
  return beside_memory_.area;
}

void DynamicRun::post(const Actions::Transfer& transfer, bool sends) {
  const At at = sends ? values_[static_cast<std::size_t>(transfer.piece)]
                      : landing(transfer.piece, transfer.side);
  const Place place = area(at).place(slice(transfer.piece));
  const int tag = tag_base_ + transfer.piece;
  Transfer posted{MPI_REQUEST_NULL, transfer.peer, transfer.piece, transfer.side, sends};
  if (sends)
    check(PMPI_Isend(place.address, place.count, place.type, transfer.peer, tag, communicator_,
                     &posted.request));
  else
    check(PMPI_Irecv(place.address, place.count, place.type, transfer.peer, tag, communicator_,
                     &posted.request));
  transfers_.push_back(posted);
}

/// What came lies where landing() said.
void DynamicRun::combine(int piece, OperandSide side) {
  At& value = values_[static_cast<std::size_t>(piece)];
  if (!combines_) {
    value = At::home;
    return;
  }
  const Slice part = slice(piece);
  const At came = landing(piece, side);
  if (value == At::send_buffer && came == At::beside) {
    copy_place(user_.send.place(part), area(At::home).place(part));
    value = At::home;
  }
  const bool over_what_came =
      value == At::send_buffer || side == OperandSide::right;  // else over the own value
  const Place left = area(over_what_came ? value : came).place(part);
  if (over_what_came) value = came;
  const Place right = area(value).place(part);
  if (right.count > 0)
    note_error(PMPI_Reduce_local(left.address, right.address, right.count, right.type, user_.op));
}

/// A process sends or receives all of the vector, so all of it is packed, or unpacked in the end.
void DynamicRun::pack_pieces_that_do_not_fit() {
  Area& own = has_result_ ? home_ : user_.send;
  bool fits = true;
  for (int piece = 0; piece < protocol_->pieces(); ++piece) fits = fits && own.fits(slice(piece));
  if (fits) return;
  packed_ = raw_memory(units_);
  const Area packed = Area::raw_bytes(packed_.get());
  const Slice whole{Buffer::send, 0, units_};
  if (!has_result_) copy_place(own.place(whole), packed.place(whole));
  own = packed;
}

/// The root's result may have come out beside the receive buffer, or packed.
void DynamicRun::bring_home() {
  if (has_result_ && packed_) {
    const Slice whole{Buffer::recv, 0, units_};
    copy_place(home_.place(whole), user_.recv.place(whole));
  }
  for (std::size_t piece = 0; has_result_ && piece < values_.size(); ++piece) {
    if (values_[piece] != At::beside) continue;
    const Slice part = slice(static_cast<int>(piece));
    copy_place(beside_memory_.area.place(part), home_.place(part));
    values_[piece] = At::home;
  }
}

std::string DynamicRun::state() const {
  const std::string text = std::to_string(transfers_.size()) + " of " +
                           std::to_string(protocol_->pieces()) + " pieces on their way";
  if (transfers_.empty()) return text;
  return text + ": " + pat::join(transfers_ | std::views::take(8), ", ", [](const auto& one) {
           return std::string(one.sends ? "send to " : "recv from ") + std::to_string(one.peer);
         });
}

}  // namespace pat::detail
