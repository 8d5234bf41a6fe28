#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/operation.hpp"
#include "collectives/problem.hpp"
#include "core/arrival_pattern.hpp"

namespace pat {

struct CostModel;
struct MpiPrice;
enum class Reach;

/// Which ranks have a buffer.
/// others: all but the root; after_first: all but rank 0.
enum class At { nowhere, everywhere, root, others, after_first };

/// What lies in a buffer: the block of its rank, the blocks of all ranks in rank order, or a block
/// for each neighbour of its rank, in the order of Problem::neighbours.
enum class Holds { block, all_blocks, neighbours };

/// One side of an operation, what is sent or what is received.
struct Side {
  At at;
  Holds holds;
};

/// Whether `rank` has a buffer that ranks `at` have.
constexpr bool has_buffer(At at, int rank, int root) {
  return at == At::everywhere || (at == At::root && rank == root) ||
         (at == At::others && rank != root) || (at == At::after_first && rank > 0);
}

/// Unit `unit` of the send buffers of ranks first .. last-1, combined in rank order; one rank where
/// data only moves.
struct Promised {
  int first;
  int last;
  std::size_t unit;
};

/// The algorithms that `pat predict` compares: one that follows the forecast and what would be used
/// without one; empty: none.
struct StudiedPair {
  std::string_view informed;
  std::string_view plain;
};

/// A field that must be given: it has no default, so a row that leaves it out does not compile.
template <class T>
class Stated {
 public:
  template <class... Values>
  requires(sizeof...(Values) > 0 &&
           requires(Values && ... v) {
             T{std::forward<Values>(v)...};
           }) constexpr Stated(Values&&... values)
      : value_{std::forward<Values>(values)...} {}
  constexpr operator const T&() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

/// All that the rest of PAT needs to know of a collective operation. Adding one is writing its row
/// in collectives/operations/<name>.cpp and the line `pat_operation(<name>)`; the checks, the
/// prices, the commands and the tests find it there.
struct OperationRow {
  Stated<Operation> operation;
  Stated<std::string_view> name;  ///< as users write it
  Stated<bool> rooted;            ///< it has a root argument
  Stated<bool> combines;          ///< it combines values; otherwise it moves them
  Stated<Side> send, recv;

  /// What unit `unit` of `rank`'s receive buffer holds at the end. Defined for units within
  /// recv_units().
  Stated<Promised (*)(const Problem&, int rank, std::size_t unit)> promised;

  /// A moment on the pattern's time axis, seconds, before which the last process cannot leave,
  /// beside that nobody leaves before it arrives; null where nothing better is proved.
  /// lower_bound_s() asks it, with good arguments.
  Stated<double (*)(const Problem&, const ArrivalPattern&, const CostModel&, Reach)> bound;

  /// What the MPI library's own collective is priced by, with correction and times left open; no
  /// algorithm where there is none to price it by. price_mpi() asks it, with a valid problem.
  Stated<MpiPrice (*)(const Problem&, const CostModel&)> stand_in;

  /// The algorithm that combines in a fixed order, whatever the arrivals and the operator; "mpi"
  /// where only the library's own is registered, "" for operations that do not combine.
  Stated<std::string_view> fixed_order;

  /// What a v-form runs in place of an algorithm that needs the counts of other ranks or moves data
  /// in the background: one that ignores the pattern and one that follows it; "" without v-form
  /// and where every rank knows all counts: then each algorithm does a v-form itself.
  Stated<std::string_view> v_plain, v_aware;

  /// Data may land before the call says what it is: it is only moved.
  Stated<bool> lands_early;
  /// Finished parts of a send buffer are messages of their own.
  Stated<bool> parts_travel;
  Stated<StudiedPair> study;
  /// Calls stay with the MPI library until the user names an algorithm or auto: no order of the
  /// arrivals gains much, and deciding costs.
  bool library_unasked = false;

  /// Whether any data moves.
  bool has_bytes() const { return send->at != At::nowhere || recv->at != At::nowhere; }
  /// Whether the vector is cut into a block for each rank, which in a v-form differ: otherwise each
  /// block is all of it.
  bool in_blocks() const {
    return send->holds == Holds::all_blocks || recv->holds == Holds::all_blocks;
  }
  /// Whether each rank has a block for each other: in a v-form counts then differ by pairs of ranks
  /// (Problem::exchanges).
  bool all_to_all() const {
    return send->holds == Holds::all_blocks && recv->holds == Holds::all_blocks;
  }
  /// Whether ranks exchange with their neighbours (Problem::neighbours) and with nobody else.
  bool among_neighbours() const { return recv->holds == Holds::neighbours; }
  /// Whether a v-form has counts by pairs, of ranks or of neighbours.
  bool in_pairs() const { return all_to_all() || send->holds == Holds::neighbours; }
  /// Whether blocks may differ in length: it has a v-form.
  bool has_v_form() const { return in_blocks() || among_neighbours(); }
  /// Whether every rank is given the counts of all in a v-form: it has all blocks, on one side.
  bool counts_are_known() const {
    return !all_to_all() && ((send->at == At::everywhere && send->holds == Holds::all_blocks) ||
                             (recv->at == At::everywhere && recv->holds == Holds::all_blocks));
  }
  /// Whether the root takes in a block from each rank: many messages meet at its port.
  bool many_to_one() const { return recv->at == At::root && recv->holds == Holds::all_blocks; }
  /// Whether the root hands out a block to each rank.
  bool one_to_many() const { return send->at == At::root && send->holds == Holds::all_blocks; }
};

/// Defines what the registration line `pat_operation(ID)` refers to, in the namespace
/// pat::operation_ID:
///   PAT_OPERATION(gather) { return {...}; }
#define PAT_OPERATION(id)                 \
  namespace here = ::pat::operation_##id; \
  ::pat::OperationRow make();             \
  ::pat::OperationRow make()

/// The rows of all operations, in the order of the registration lines. Thread-safe.
const std::vector<OperationRow>& operation_rows();

/// The row of an operation. Thread-safe.
inline const OperationRow& row(Operation operation) {
  return operation_rows().at(static_cast<std::size_t>(operation));
}

/// "gather, scatter or reduce" with `last` = " or ": the names of the operations that are wanted,
/// for sentences.
std::string operation_names_where(bool (*wanted)(const OperationRow&), std::string_view last,
                                  std::string_view separator = ", ");

/// The length of the longest name: what a column of names needs.
int operation_width();

}  // namespace pat
