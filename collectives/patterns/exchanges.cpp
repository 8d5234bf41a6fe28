#include "collectives/patterns/exchanges.hpp"

#include <algorithm>
#include <set>

#include "collectives/operation_row.hpp"
#include "collectives/patterns/pieces.hpp"

namespace pat {
namespace {

/// Whom this process both sends data to and receives data from.
std::set<int> partners(const Program& program) {
  std::set<int> receivers, senders, both;
  for (const Op& op : program.ops) {
    if (op.kind == OpKind::send && op.source.length > 0) receivers.insert(op.peer);
    if (op.kind == OpKind::recv && op.target.length > 0) senders.insert(op.peer);
  }
  std::set_intersection(receivers.begin(), receivers.end(), senders.begin(), senders.end(),
                        std::inserter(both, both.end()));
  return both;
}

/// As many as an operation's message is to be cut into if its ends are partners.
int pieces_of(const Problem& problem, const Op& op) {
  if (op.asks || op.peer < 0) return 1;
  const Slice& what = op.kind == OpKind::send ? op.source : op.target;
  return unasked_pieces(problem, static_cast<double>(what.length * problem.unit_bytes));
}

/// Writes a program anew, with messages in place of each that is too long.
class Cut {
 public:
  Cut(const Problem& problem, const Program& old) : problem_(problem), partners_(partners(old)) {
    cut_.scratch_units = old.scratch_units;
    cut_.senders_at_once = old.senders_at_once;
    cut_.announces_to = old.announces_to;
    for (const Op& op : old.ops) add(op);
    for (Program::Turn turn : old.turns) {
      turn.go_ahead = first_[turn.go_ahead];
      turn.delivered = first_[turn.delivered];
      cut_.turns.push_back(turn);
    }
  }
  Program take() { return std::move(cut_); }

 private:
  /// Sends leave one after another, of receives two are open.
  void add(const Op& op) {
    const int pieces = partners_.count(op.peer) > 0 ? pieces_of(problem_, op) : 1;
    const std::size_t open = op.kind == OpKind::recv ? 2 : 1;
    OpIds after;
    for (const OpId id : op.after) after.insert(after.end(), last_[id].begin(), last_[id].end());
    first_.push_back(static_cast<OpId>(cut_.ops.size()));
    OpIds last;
    for (int piece = 0; piece < pieces; ++piece) {
      Op one = op;
      one.source = part_of(op.source, pieces, piece);
      one.target = part_of(op.target, pieces, piece);
      one.after = after;
      if (last.size() == open) {
        one.after = {last.front()};
        last.erase(last.begin());
      }
      last.push_back(static_cast<OpId>(cut_.ops.size()));
      cut_.ops.push_back(std::move(one));
    }
    last_.push_back(std::move(last));
  }

  const Problem& problem_;
  const std::set<int> partners_;
  Program cut_;
  std::vector<OpId> first_;  ///< of each old operation, what it became: the first of them
  std::vector<OpIds> last_;  ///< after which all of it is over
};

}  // namespace

void cut_exchanges(Schedule& schedule) {
  const Problem& problem = schedule.problem;
  if (problem.cost.unasked_bytes == 0 || row(problem.operation).all_to_all()) return;
  const auto is_too_long = [&](const Op& op) { return pieces_of(problem, op) > 1; };
  for (Program& program : schedule.programs)
    if (std::any_of(program.ops.begin(), program.ops.end(), is_too_long))
      program = Cut(problem, program).take();
}

}  // namespace pat
