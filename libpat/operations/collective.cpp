#include "libpat/operations/collective.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/private_communicator.hpp"
#include "libpat/operations/checks.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

/// The packed bytes of a block, from whichever buffer this process has.
std::size_t block_bytes(const Arguments& a, const Significant& here) {
  const OperationRow& about = row(a.operation);
  if (about.combines) return static_cast<std::size_t>(a.recv.count) * packed_size(a.recv.type);
  const bool from_recv = here.recv && (about.recv->holds == Holds::all_blocks || !here.send);
  const BufferArgument& buffer = from_recv ? a.recv : a.send;
  if (!here.send && !here.recv) return 0;
  return static_cast<std::size_t>(buffer.count) * packed_size(buffer.type);
}

/// Units of each rank in a v-form, elements or else packed bytes: all of them where the counts are
/// given, elsewhere the caller's own.
std::vector<std::size_t> units_per_rank(const Arguments& a, const Significant& here,
                                        const Caller& me) {
  std::vector<std::size_t> units(static_cast<std::size_t>(me.size), 0);
  for (const BufferArgument* buffer :
       {here.send ? &a.send : nullptr, here.recv ? &a.recv : nullptr}) {
    if (buffer == nullptr || buffer->type == MPI_DATATYPE_NULL) continue;
    const std::size_t size = row(a.operation).combines ? 1 : packed_size(buffer->type);
    for (int r = 0; r < me.size; ++r)
      if (buffer->varies || r == me.rank)
        units[static_cast<std::size_t>(r)] = static_cast<std::size_t>(buffer->count_of(r)) * size;
  }
  return units;
}

/// The same of an allgather among neighbours: what comes from each is known.
std::vector<std::size_t> units_per_neighbour(const Arguments& a, const Caller& me) {
  std::vector<std::size_t> units(static_cast<std::size_t>(me.size), 0);
  const std::vector<std::size_t> received = packed_blocks(a.recv, me.neighbours->from);
  for (std::size_t edge = 0; edge < received.size(); ++edge)
    if (const int from = me.neighbours->from[edge]; from != Neighbours::nobody)
      units[static_cast<std::size_t>(from)] = received[edge];
  units[static_cast<std::size_t>(me.rank)] =
      static_cast<std::size_t>(a.send.count) * packed_size(a.send.type);
  return units;
}

/// What is exchanged with each rank in a v-form of all to all, or with each neighbour, bytes; else
/// nothing.
Exchange exchange_of(const Arguments& a, const Caller& me) {
  if (!a.varying() || !row(a.operation).in_pairs()) return {};
  if (row(a.operation).among_neighbours())
    return {packed_blocks(a.send, me.neighbours->to), packed_blocks(a.recv, me.neighbours->from)};
  const std::vector<std::size_t> received = packed_blocks(a.recv, me.size);
  return {a.send.in_place() ? received : packed_blocks(a.send, me.size), received};
}

/// As long for each as what this process exchanges with all: what it knows of the others.
std::vector<std::size_t> like_own(const Exchange& own) {
  std::size_t bytes = 0;
  for (const auto* side : {&own.sent, &own.received})
    bytes = std::accumulate(side->begin(), side->end(), bytes);
  return std::vector(own.sent.size(), bytes / (2 * own.sent.size()));
}

/// What a process knows of the counts of a v-form, units per rank; nothing where only its
/// neighbours have any for it.
std::vector<std::size_t> counts_of(const Arguments& a, const Significant& here, const Caller& me,
                                   const Exchange& exchange) {
  const OperationRow& about = row(a.operation);
  if (!a.varying()) return {};
  if (about.all_to_all()) return like_own(exchange);
  if (about.among_neighbours())
    return about.in_pairs() ? std::vector<std::size_t>() : units_per_neighbour(a, me);
  return units_per_rank(a, here, me);
}

/// Whether PAT_REPRODUCIBLE asks for the same bits, and these depend on the order. What an operator
/// of the program's own does nobody knows.
bool wants_fixed_order(const Arguments& a, Config::Reproducible promised) {
  if (promised == Config::Reproducible::no || is_wide_sum(a.op)) return false;
  return is_own_operator(a.op) || !is_exact_in_any_order(a.op, a.recv.type);
}

CallSignature signature_of(const Arguments& a, const Significant& here, Form form,
                           Config::Reproducible promised) {
  const OperationRow& about = row(a.operation);
  CallSignature signature;
  signature.operation = a.operation;
  signature.root = about.rooted ? a.root : 0;
  signature.varying = a.varying();
  signature.form = form;
  if (!a.varying() && about.has_bytes()) signature.block_bytes = block_bytes(a, here);
  if (!about.combines) return signature;
  int commutes = 0;
  check(PMPI_Op_commutative(a.op, &commutes));
  signature.unit_bytes = std::max<std::size_t>(1, packed_size(a.recv.type));
  signature.commutative = commutes != 0;
  signature.own_operator = is_own_operator(a.op);
  signature.fixed_order = wants_fixed_order(a, promised);
  return signature;
}

/// Signature and counts are known.
std::size_t total_bytes(const Call& call) {
  const OperationRow& about = row(call.signature.operation);
  if (!call.signature.varying)
    return call.signature.block_bytes *
           static_cast<std::size_t>(about.in_blocks() ? call.ranks : 1);
  if (!about.counts_are_known()) return 0;
  return std::accumulate(call.counts.begin(), call.counts.end(), std::size_t{0}) *
         call.signature.unit_bytes;
}

/// Fills in what the checked arguments say. Its twin is null where the library does all calls.
void describe(Call& call, const Caller& me, Form form, Config::Reproducible promised) {
  call.arguments.neighbours = me.neighbours;
  const Arguments& a = call.arguments;
  call.rank = me.rank;
  call.ranks = me.size;
  call.signature.operation = a.operation;
  call.signature.varying = a.varying();
  call.signature.form = form;
  if (me.inter) return;
  const Significant here = significant(a, me.rank, false);
  call.signature = signature_of(a, here, form, promised);
  call.exchange = exchange_of(a, me);
  call.counts = counts_of(a, here, me, call.exchange);
  call.total_bytes = total_bytes(call);
  // Not all ranks of a v-form know whether some count is too large for an int.
  call.left_to_library = a.large && a.varying();
}

/// A copy of the program's types for all blocks, with those of blocks without data left out.
void keep_types_of_blocks(KeptTypes& types, BufferArgument& buffer, int blocks) {
  std::vector<MPI_Datatype> own;
  for (int block = 0; block < blocks; ++block)
    own.push_back(buffer.count_of(block) > 0 ? buffer.types[block] : MPI_BYTE);
  buffer.types = types.keep(std::move(own));
}

/// The program may free its datatypes while the request lives.
void keep_types(Call& call, const Significant& here, int ranks) {
  Arguments& a = call.arguments;
  if (a.blocks == Blocks::typed) {
    if (here.send) keep_types_of_blocks(call.types, a.send, send_blocks(a, ranks));
    if (here.recv) keep_types_of_blocks(call.types, a.recv, recv_blocks(a, ranks));
    return;
  }
  if (row(a.operation).combines) {
    a.send.type = a.recv.type = call.types.keep(a.recv.type);
    return;
  }
  if (here.send) a.send.type = call.types.keep(a.send.type);
  if (here.recv) a.recv.type = call.types.keep(a.recv.type);
}

/// Where sums are to have the same bits in any order: what this call is made as; else null.
std::unique_ptr<OrderFree> order_free(const Arguments& arguments, const Session& session,
                                      const Caller& me) {
  if (session.config.reproducible != Config::Reproducible::any_order || me.inter) return nullptr;
  const Side send = row(arguments.operation).send;
  return OrderFree::make(arguments, significant(arguments, me.rank, false),
                         has_buffer(send.at, me.rank, arguments.root), me.rank, me.size);
}

/// A request's call, checked, with its twin.
std::unique_ptr<Call> make(const Arguments& arguments, Form form, Session& session,
                           const Caller& me) {
  auto call = std::make_unique<Call>();
  call->arguments = arguments;
  call->order_free = order_free(arguments, session, me);
  if (call->order_free) call->arguments = call->order_free->arguments();
  call->arguments.neighbours = me.neighbours;
  keep_types(*call, significant(arguments, me.rank, me.inter), me.blocks());
  describe(*call, me, form, session.config.reproducible);
  check(session.failure);
  call->twin = session.twin(arguments.comm, arguments.function);
  if (call->twin != nullptr) {
    call->twin->refuse_if_broken(arguments.function);
    session.open_messages(*call->twin, arguments.comm, arguments.function);
  }
  // Without a twin nobody says when the user frees it: errors then go to MPI_COMM_WORLD's handler.
  call->user_comm = call->twin != nullptr ? arguments.comm : MPI_COMM_NULL;
  return call;
}

}  // namespace

/// Arguments checked.
int call_as_given(const Arguments& arguments, Session& session, const Caller& me) {
  const std::int64_t arrival_ns = now_ns();
  const BeforeDeciding before = before_deciding(arguments.operation);
  check(session.failure);
  Twin* twin = me.inter ? nullptr : session.twin(arguments.comm, arguments.function);
  if (twin == nullptr) {
    session.calls.count_unmeasured();
    return library_calls(arguments).call(arguments);
  }
  twin->refuse_if_broken(arguments.function);
  Call call;
  call.arguments = arguments;
  call.twin = twin;
  describe(call, me, Form::plain, session.config.reproducible);
  bool by_library = session.calls.is_only_the_librarys(call);
  if ((!by_library || twin->wants_messages) &&
      session.open_messages(*twin, arguments.comm, arguments.function, &call))
    by_library = session.calls.is_only_the_librarys(call);
  int code = MPI_SUCCESS;
  if (by_library) {
    code = session.calls.call_library(call);
    session.under_lock([&](Locked& locked) { session.calls.count(locked, call, arrival_ns); });
  } else {
    code = session.under_lock([&](Locked& locked) {
      session.calls.place(locked, call);
      session.calls.ready(locked, call, arrival_ns);
      return session.rounds.finish(locked, call);
    });
  }
  keep_settled(arguments, me.rank, call.series->settled, before);
  return code;
}

int call(const Arguments& arguments) {
  const Caller me = caller_in(arguments);
  Session& session = Session::get(arguments.function);
  check_arguments(arguments, me);
  const auto wide = order_free(arguments, session, me);
  if (!wide) return call_as_given(arguments, session, me);
  wide->deposit();
  const int code = call_as_given(wide->arguments(), session, me);
  if (code == MPI_SUCCESS) wide->round();
  return code;
}

[[gnu::hot]] int call_settled(const Arguments& arguments, Settled& settled) {
  ProgressEvent event{now_ns(), {}, ProgressEvent::Kind::call, thread_number()};
  // All that is needed of it now: an error handler of the user's may end the session.
  const std::uint32_t communicator = settled.communicator;
  const auto series = static_cast<std::uint16_t>(settled.series);
  settled.begin();
  const Session* running = Session::instance().get();
  Watchdog::Watch watch(running != nullptr ? running->watchdog() : nullptr, arguments,
                        {settled.entered, communicator, nullptr, series}, Watchdog::Says::its_state,
                        event.time_ns);
  const int code = library_calls(arguments).call(arguments);
  const std::int64_t end_ns = now_ns();
  watch.ended(end_ns);
  const auto duration_s = static_cast<double>(end_ns - event.time_ns) * 1e-9;
  event.call = {static_cast<float>(duration_s), communicator, series, arguments.site_number};
  if (Session* session = Session::instance().get()) session->note(event, false);
  return code;
}

Requests::Handle make_request(const Arguments& arguments) {
  const Caller me = caller_in(arguments);
  Session& session = Session::get(arguments.function);
  check_arguments(arguments, me);
  auto call = make(arguments, Form::persistent, session, me);
  if (call->twin != nullptr)
    session.under_lock([&](Locked& locked) { session.calls.place(locked, *call); });
  const Algorithm* forced = call->stream != nullptr ? call->stream->forced : nullptr;
  if (forced == nullptr || is_library(*forced)) {
    session.assemble(arguments.comm, arguments.function);
    call->own_comm = private_communicator(arguments.comm);
  }
  // What is copied aside may be so when it is handed over.
  if (call->stream != nullptr && !copies_aside(call->arguments))
    call->buffers = bind(call->arguments, me.rank, me.size);
  call->elements = send_elements(call->arguments, me.rank, me.blocks(), me.inter);
  return session.under_lock(
      [&](Locked& locked) { return session.requests.add(locked, std::move(call)); });
}

Requests::Handle start(const Arguments& arguments) {
  const Caller me = caller_in(arguments);
  Session& session = Session::get(arguments.function);
  check_arguments(arguments, me);
  const std::int64_t arrival_ns = now_ns();
  auto made = make(arguments, Form::nonblocking, session, me);
  return session.under_lock([&](Locked& locked) {
    if (made->twin != nullptr) session.calls.place(locked, *made);
    Call& call = *made;
    const Requests::Handle handle = session.requests.add(locked, std::move(made));
    try {
      session.calls.ready(locked, call, arrival_ns);
    } catch (...) {  // the program gets no handle
      session.requests.abandon(locked, handle);
      throw;
    }
    return handle;
  });
}

bool needs_decision(const Arguments& arguments, Form form) try {
  if (arguments.comm == MPI_COMM_NULL) return false;
  Call call;
  call.twin = Twins::attached(arguments.comm);
  if (call.twin == nullptr || call.twin->is_broken()) return false;
  const Caller me = caller_in(arguments);
  check_arguments(arguments, me);
  Session& session = Session::get(arguments.function);
  const auto wide = order_free(arguments, session, me);
  call.arguments = wide ? wide->arguments() : arguments;
  describe(call, me, form, session.config.reproducible);
  if (session.calls.is_static(call)) return false;
  if (call.twin->has_messages()) return true;
  if (!call.twin->wants_messages.exchange(true)) drop_settled();
  return false;
} catch (const Error&) {
  return false;
} catch (const MpiFailure&) {
  return false;
}

}  // namespace pat::detail
