#include "bench/simgrid/payload.hpp"

#include <algorithm>
#include <vector>

#include "bench/simgrid/experiment.hpp"
#include "bench/simgrid/machine.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
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

/// MPI's own collective on floats. `op` is that of a reduction.
struct Collective {
  Operation operation;
  int (*call)(const void* send, void* recv, int count, MPI_Op op, MPI_Comm comm);
};

const std::vector<Collective> collectives = {
    {Operation::gather,
     [](const void* send, void* recv, int count, MPI_Op, MPI_Comm comm) {
       return PMPI_Gather(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, root, comm);
     }},
    {Operation::scatter,
     [](const void* send, void* recv, int count, MPI_Op, MPI_Comm comm) {
       return PMPI_Scatter(send, count, MPI_FLOAT, recv, count, MPI_FLOAT, root, comm);
     }},
    {Operation::reduce,
     [](const void* send, void* recv, int count, MPI_Op op, MPI_Comm comm) {
       return PMPI_Reduce(send, recv, count, MPI_FLOAT, op, root, comm);
     }},
    {Operation::bcast,
     [](const void*, void* recv, int count, MPI_Op, MPI_Comm comm) {
       return PMPI_Bcast(recv, count, MPI_FLOAT, root, comm);
     }},
    {Operation::allreduce, [](const void* send, void* recv, int count, MPI_Op op, MPI_Comm comm) {
       return PMPI_Allreduce(send, recv, count, MPI_FLOAT, op, comm);
     }}};

const Collective* find_collective(Operation operation) {
  for (const Collective& one : collectives)
    if (one.operation == operation) return &one;
  return nullptr;
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

bool has_mpi_call(Operation operation) {
  return find_collective(operation) != nullptr;
}

MPI_Op make_timed_sum(double gamma_s_per_byte) {
  flops_per_float = sizeof(float) * gamma_s_per_byte * host_speed_flops;
  MPI_Op op = MPI_OP_NULL;
  check(PMPI_Op_create(timed_sum, 1, &op));
  return op;
}

Payload::Payload(Operation operation, std::size_t bytes, int rank, int ranks, MPI_Op op)
    : operation_(operation),
      rank_(rank),
      op_(op),
      block_(block_floats(operation, bytes, ranks)),
      sum_("sum", bench::find_data_type("float")),
      contents_(operation, ranks, bench::find_data_type("float"), 1,
                row(operation).combines ? &sum_ : nullptr) {
  send_.resize(block_ * contents_.sent_blocks(rank, root));
  const std::size_t least = row(operation).combines ? 1 : 0;  // STAR-MPI's reduce writes to it
  recv_.resize(block_ * std::max(least, contents_.received_blocks(rank, root)));
}

/// Where all but the root receive, MPI has one argument for both sides.
float* Payload::receiving_argument() {
  const bool shared = rank_ == root && row(operation_).recv->at == At::others;
  return shared ? send_.data() : recv_.data();
}

void Payload::fill() {
  std::fill(recv_.begin(), recv_.end(), -1.0f);
  for (std::size_t b = 0; b < contents_.sent_blocks(rank_, root); ++b)
    bench::fill(send_.data() + b * block_, block_ * sizeof(float), contents_.sent(0, rank_, b));
}

UserBuffers Payload::bind() {
  UserBuffers buffers;
  if (row(operation_).combines) {
    buffers.op = op_;
    buffers.type = MPI_FLOAT;
    buffers.datatype = {sizeof(float), sizeof(float), true};
    buffers.send = Area::elements(send_.data(), MPI_FLOAT, buffers.datatype);
    buffers.recv = Area::elements(recv_.data(), MPI_FLOAT, buffers.datatype);
  } else {
    buffers.send = Area::raw_bytes(send_.data());
    buffers.recv = Area::raw_bytes(recv_.data());
  }
  return buffers;
}

void Payload::call_mpi(MPI_Comm comm) {
  pat::check(find_collective(operation_)
                 ->call(send_.data(), receiving_argument(), static_cast<int>(block_), op_, comm));
}

std::optional<std::string> Payload::check() const {
  for (std::size_t b = 0; b < contents_.received_blocks(rank_, root); ++b) {
    const auto at = bench::first_difference(recv_.data() + b * block_, block_ * sizeof(float),
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
