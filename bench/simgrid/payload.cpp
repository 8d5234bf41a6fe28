#include "bench/simgrid/payload.hpp"

#include <algorithm>
#include <vector>

#include "bench/simgrid/experiment.hpp"
#include "bench/simgrid/machine.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/mpi/check.hpp"

namespace pat::simulated {
namespace {

constexpr int root = 0;
double flops_per_float = 0.0;

void timed_sum(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const float*>(in);
  auto* right = static_cast<float*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = left[i] + right[i];
  smpi_execute_flops(flops_per_float * *count);
}

std::size_t block_floats(Operation operation, std::size_t bytes, int ranks) {
  require_simulated(operation);
  const std::size_t pieces = row(operation).in_blocks() ? static_cast<std::size_t>(ranks) : 1;
  const std::size_t block = bytes / sizeof(float) / pieces;
  if (block == 0)
    throw Error(ErrorKind::argument, std::to_string(bytes) + " bytes are less than a float for " +
                                         "each of " + std::to_string(ranks) + " processes.");
  return block;
}

}  // namespace

MPI_Op make_timed_sum(double gamma_s_per_byte) {
  flops_per_float = sizeof(float) * gamma_s_per_byte * host_speed_flops;
  MPI_Op op = MPI_OP_NULL;
  detail::check(PMPI_Op_create(timed_sum, 1, &op));
  return op;
}

Payload::Payload(Operation operation, std::size_t bytes, int rank, int ranks, MPI_Op op)
    : operation_(operation),
      rank_(rank),
      ranks_(ranks),
      op_(op),
      block_(block_floats(operation, bytes, ranks)),
      sum_("sum", measure::find_data_type("float")),
      contents_(operation, ranks, measure::find_data_type("float"), 1,
                row(operation).combines ? &sum_ : nullptr) {
  send_.resize(block_ * contents_.sent_blocks(rank, root));
  const std::size_t least = row(operation).combines ? 1 : 0;  // STAR-MPI's reduce writes to it
  recv_.resize(block_ * std::max(least, contents_.received_blocks(rank, root)));
}

void Payload::fill() {
  std::fill(recv_.begin(), recv_.end(), -1.0f);
  for (std::size_t b = 0; b < contents_.sent_blocks(rank_, root); ++b)
    measure::fill(send_.data() + b * block_, block_ * sizeof(float), contents_.sent(0, rank_, b));
}

/// Where all but the root receive, MPI has one argument for both sides.
detail::Arguments Payload::arguments(MPI_Comm comm) const {
  const bool shared = rank_ == root && row(operation_).recv->at == At::others;
  const auto side = [this](const std::vector<float>& buffer) {
    return detail::BufferArgument{
        .address = buffer.data(), .count = static_cast<MPI_Count>(block_), .type = MPI_FLOAT};
  };
  return {.operation = operation_,
          .send = side(send_),
          .recv = side(shared ? send_ : recv_),
          .root = root,
          .op = op_,
          .comm = comm};
}

detail::UserBuffers Payload::bind() const {
  return detail::bind(arguments(MPI_COMM_NULL), rank_, ranks_);
}

void Payload::call_mpi(MPI_Comm comm) const {
  const detail::Arguments call = arguments(comm);
  detail::check(detail::library_calls(call).call(call));
}

std::optional<std::string> Payload::check() const {
  for (std::size_t b = 0; b < contents_.received_blocks(rank_, root); ++b) {
    const auto at = measure::first_difference(recv_.data() + b * block_, block_ * sizeof(float),
                                              contents_.promised(0, rank_, root, b));
    if (at)
      return "Rank " + std::to_string(rank_) + " holds a wrong value in block " +
             std::to_string(b) + " at index " + std::to_string(*at / sizeof(float)) + ".";
  }
  return std::nullopt;
}

Problem Payload::problem(Operation operation, std::size_t bytes, int ranks) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.root = root;
  problem.units = block_floats(operation, bytes, ranks);
  if (row(operation).combines)
    problem.unit_bytes = sizeof(float);
  else
    problem.units *= sizeof(float);
  return problem;
}

}  // namespace pat::simulated
