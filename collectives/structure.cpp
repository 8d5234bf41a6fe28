#include "collectives/structure.hpp"

#include <algorithm>

namespace pat {
namespace {

std::size_t buffer_units(const Schedule& schedule, int rank, Buffer buffer) {
  switch (buffer) {
    case Buffer::send:
      return send_units(schedule.problem, rank);
    case Buffer::recv:
      return recv_units(schedule.problem, rank);
    case Buffer::scratch:
      return schedule.programs[rank].scratch_units;
  }
  return 0;
}

bool reads(const Op& op) {
  return op.kind == OpKind::send || op.kind == OpKind::copy || op.kind == OpKind::reduce;
}

bool writes(const Op& op) {
  return op.kind == OpKind::recv || op.kind == OpKind::copy || op.kind == OpKind::reduce;
}

std::string fault(const Schedule& schedule, int rank, const Op& op, bool joined) {
  const bool message = op.kind == OpKind::send || op.kind == OpKind::recv;
  if (message && (op.peer < 0 || op.peer >= schedule.problem.ranks || op.peer == rank))
    return "has no possible partner";
  for (const Slice& slice : {op.source, op.target})
    if (slice.length > 0 &&
        slice.offset + slice.length > buffer_units(schedule, rank, slice.buffer))
      return "reaches past the end of " + buffer_name(slice.buffer);
  if (writes(op) && op.target.length > 0 && op.target.buffer == Buffer::send)
    return "writes to the send buffer";
  if ((op.kind == OpKind::copy || op.kind == OpKind::reduce) &&
      op.source.length != op.target.length)
    return "has a source and a target of different lengths";
  if (joined) return "";
  if (reads(op) && op.source.length > 0 && op.source.buffer != Buffer::scratch)
    return "reads " + buffer_name(op.source.buffer) + " before the process has arrived";
  if (op.kind != OpKind::recv && writes(op) && op.target.length > 0 &&
      op.target.buffer != Buffer::scratch)
    return "writes " + buffer_name(op.target.buffer) + " before the process has arrived";
  return "";
}

}  // namespace

std::string buffer_name(Buffer buffer) {
  switch (buffer) {
    case Buffer::send:
      return "the send buffer";
    case Buffer::recv:
      return "the receive buffer";
    case Buffer::scratch:
      return "scratch";
  }
  return "";
}

std::string describe(const Schedule& schedule, int rank, OpId id) {
  const Op& op = schedule.programs[rank].ops[id];
  static constexpr const char* kinds[] = {"join", "send to ", "recv from ", "copy", "reduce"};
  std::string text = "operation " + std::to_string(id) + " of rank " + std::to_string(rank) + " (" +
                     kinds[static_cast<int>(op.kind)];
  if (op.kind == OpKind::send || op.kind == OpKind::recv) text += std::to_string(op.peer);
  return text + ", round " + std::to_string(op.round) + ")";
}

Verdict check_structure(const Schedule& schedule) {
  for (int rank = 0; rank < schedule.problem.ranks; ++rank) {
    const Program& program = schedule.programs[rank];
    for (OpId id = 0; id < program.ops.size(); ++id)
      for (const OpId before : program.ops[id].after)
        if (before >= id)
          return {false,
                  describe(schedule, rank, id) + " waits for an operation that is not before it"};
    const std::vector<bool> joined = after_join(program);
    const auto joins = std::count_if(program.ops.begin(), program.ops.end(),
                                     [](const Op& op) { return op.kind == OpKind::join; });
    if (joins != 1)
      return {false, "the program of rank " + std::to_string(rank) + " has " +
                         std::to_string(joins) + " joins instead of one"};
    for (OpId id = 0; id < program.ops.size(); ++id) {
      const std::string what = fault(schedule, rank, program.ops[id], joined[id]);
      if (!what.empty()) return {false, describe(schedule, rank, id) + " " + what};
    }
  }
  return {};
}

}  // namespace pat
