#include "libpat/session/settled.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>

#include "collectives/operation_row.hpp"
#include "libpat/mpi/datatype.hpp"

namespace pat::detail {
namespace {

/// What makes two calls one kind: all arguments but the buffers' addresses, and those of a v-form
/// that the others do not know; and which algorithm the program has chosen. With what is kept
/// beside it one line of the cache: see settled().
struct KindOfCall {
  MPI_Comm comm = {};
  MPI_Datatype send_type = {}, recv_type = {};
  MPI_Op op = {};
  std::int32_t send_count = 0, recv_count = 0;
  std::int32_t root = 0;
  std::uint16_t choice = 0;
  std::uint8_t operation = 0;
  bool varying : 1 = false, large : 1 = false;
  bool send_in_place : 1 = false, recv_in_place : 1 = false;

  bool operator==(const KindOfCall&) const = default;
};
static_assert(operation_count <= 256);

KindOfCall kind_of_call(const Arguments& a, std::uint16_t choice) {
  return {.comm = a.comm,
          .send_type = a.send.type,
          .recv_type = a.recv.type,
          .op = a.op,
          .send_count = static_cast<std::int32_t>(a.send.count),
          .recv_count = static_cast<std::int32_t>(a.recv.count),
          .root = a.root,
          .choice = choice,
          .operation = static_cast<std::uint8_t>(a.operation),
          .varying = a.varying(),
          .large = a.large,
          .send_in_place = a.send.in_place(),
          .recv_in_place = a.recv.in_place()};
}

/// Whether the call's kind says all that counts when it is decided. Counts beyond an int have none,
/// and v-forms whose counts all ranks know: who decides goes by them. The types of a w-form are
/// many.
bool has_kind(const Arguments& a) {
  if (a.varying()) return a.blocks != Blocks::typed && !row(a.operation).counts_are_known();
  return a.send.count <= INT_MAX && a.recv.count <= INT_MAX;
}

struct alignas(64) Kept {
  KindOfCall kind;
  Settled* settled = nullptr;
  std::uint64_t drops = 0;  ///< how many there had been
};
static_assert(sizeof(Kept) == 64);

/// All that changes what is kept.
struct alignas(64) Changes {
  std::atomic<std::uint64_t> drops{0};
  /// By operation; 0: what it was when something was dropped last.
  std::array<std::atomic<std::uint16_t>, operation_count> choices{};
};
constinit Changes changes;
constexpr std::uint16_t being_chosen = 0xFFFF;

std::uint16_t choice_of(Operation operation) {
  return changes.choices[static_cast<std::size_t>(operation)].load(std::memory_order_acquire);
}

/// Programs repeat few kinds of calls; two that share a place push each other out.
constexpr std::size_t places_kept = 8;
thread_local constinit std::array<Kept, places_kept> kept = {};

Kept& place(const KindOfCall& kind) {
  const auto sum = kind.operation + 3 * static_cast<std::size_t>(kind.root) +
                   5 * static_cast<std::size_t>(kind.send_count) +
                   7 * static_cast<std::size_t>(kind.choice);
  return kept[sum % places_kept];
}

bool is_lasting_type(MPI_Datatype type) {
  return is_predefined(type);
}

bool is_lasting(const Arguments& arguments, int rank) {
  const Significant here = significant(arguments, rank, false);
  return (!here.send || is_lasting_type(arguments.send.type)) &&
         (!here.recv || is_lasting_type(arguments.recv.type)) && !is_own_operator(arguments.op);
}

}  // namespace

[[gnu::hot]] Settled* settled(const Arguments& arguments) {
  if (!has_kind(arguments)) return nullptr;
  const KindOfCall kind = kind_of_call(arguments, choice_of(arguments.operation));
  const Kept& known = place(kind);
  if (known.settled == nullptr || known.drops != settled_drops() || known.kind != kind)
    return nullptr;
  return known.settled->is_next() ? known.settled : nullptr;
}

BeforeDeciding before_deciding(Operation operation) {
  return {settled_drops(), choice_of(operation)};
}

void keep_settled(const Arguments& arguments, int rank, Settled& settled,
                  const BeforeDeciding& before) {
  if (!settled.is_next() || !has_kind(arguments)) return;
  if (before.choice == being_chosen || before.choice != choice_of(arguments.operation)) return;
  const KindOfCall kind = kind_of_call(arguments, before.choice);
  Kept& known = place(kind);
  if (known.settled == &settled && known.drops == before.drops && known.kind == kind) return;
  if (is_lasting(arguments, rank)) known = {kind, &settled, before.drops};
}

void drop_settled() {
  changes.drops.fetch_add(1, std::memory_order_acq_rel);
  for (auto& choice : changes.choices) choice.store(0, std::memory_order_release);
}

void begin_to_choose(Operation operation) {
  changes.choices[static_cast<std::size_t>(operation)].store(being_chosen);
}

void choose_settled(Operation operation, const Algorithm* algorithm) {
  const auto number = algorithm == nullptr ? 1 : algorithm - algorithms().data() + 2;
  changes.choices[static_cast<std::size_t>(operation)].store(static_cast<std::uint16_t>(number));
}

std::uint64_t settled_drops() {
  return changes.drops.load(std::memory_order_acquire);
}

}  // namespace pat::detail
