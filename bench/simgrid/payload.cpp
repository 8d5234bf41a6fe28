#include "bench/simgrid/payload.hpp"

#include <algorithm>

#include "bench/simgrid/machine.hpp"
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

bool in_blocks(Operation operation) {
  return operation == Operation::gather || operation == Operation::scatter;
}

std::size_t block_floats(Operation operation, std::size_t bytes, int ranks) {
  if (operation == Operation::allreduce || operation == Operation::barrier)
    throw Error(ErrorKind::argument, "The operation '" + std::string(name(operation)) +
                                         "' is not simulated; gather, scatter, reduce and bcast "
                                         "are.");
  const std::size_t floats = bytes / sizeof(float);
  const std::size_t block =
      in_blocks(operation) ? floats / static_cast<std::size_t>(ranks) : floats;
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
      data_(measure::find_data_type("float"), 1) {
  const std::size_t all = block_ * static_cast<std::size_t>(ranks_);
  const bool is_root = rank_ == root;
  switch (operation_) {
    case Operation::gather:
      send_.resize(block_);
      if (is_root) recv_.resize(all);
      break;
    case Operation::scatter:
      if (is_root) send_.resize(all);
      recv_.resize(block_);
      break;
    case Operation::reduce:
      send_.resize(block_);
      recv_.resize(block_);  // STAR-MPI's reduce writes to it on every process
      break;
    default:
      recv_.resize(block_);
      break;
  }
}

std::vector<unsigned char> Payload::tile(int rank) const {
  return data_.tile(0, rank, "sum");
}

void Payload::fill() {
  std::fill(recv_.begin(), recv_.end(), -1.0f);
  if (operation_ == Operation::scatter && rank_ == root) {
    for (int r = 0; r < ranks_; ++r)
      measure::fill(send_.data() + static_cast<std::size_t>(r) * block_, block_ * sizeof(float),
                    tile(r));
  } else if (!send_.empty()) {
    measure::fill(send_.data(), send_.size() * sizeof(float), tile(rank_));
  }
  if (operation_ == Operation::bcast && rank_ == root)
    measure::fill(recv_.data(), block_ * sizeof(float), tile(root));
}

detail::UserBuffers Payload::bind() {
  detail::UserBuffers buffers;
  if (operation_ == Operation::reduce) {
    buffers.op = op_;
    buffers.type = MPI_FLOAT;
    buffers.datatype = {sizeof(float), sizeof(float), true};
    buffers.send = detail::Area::elements(send_.data(), MPI_FLOAT, buffers.datatype);
    buffers.recv = detail::Area::elements(recv_.data(), MPI_FLOAT, buffers.datatype);
  } else {
    buffers.send = detail::Area::raw_bytes(send_.data());
    buffers.recv = detail::Area::raw_bytes(recv_.data());
  }
  return buffers;
}

void Payload::call_mpi(MPI_Comm comm) {
  const int count = static_cast<int>(block_);
  switch (operation_) {
    case Operation::gather:
      return detail::check(
          PMPI_Gather(send_.data(), count, MPI_FLOAT, recv_.data(), count, MPI_FLOAT, root, comm));
    case Operation::scatter:
      return detail::check(
          PMPI_Scatter(send_.data(), count, MPI_FLOAT, recv_.data(), count, MPI_FLOAT, root, comm));
    case Operation::reduce:
      return detail::check(
          PMPI_Reduce(send_.data(), recv_.data(), count, MPI_FLOAT, op_, root, comm));
    default:
      return detail::check(PMPI_Bcast(recv_.data(), count, MPI_FLOAT, root, comm));
  }
}

std::optional<std::string> Payload::check() const {
  const auto differs =
      [this](std::size_t block,
             const std::vector<unsigned char>& expected) -> std::optional<std::string> {
    const auto at =
        measure::first_difference(recv_.data() + block * block_, block_ * sizeof(float), expected);
    if (!at) return std::nullopt;
    return "Rank " + std::to_string(rank_) + " holds a wrong value in block " +
           std::to_string(block) + " at index " + std::to_string(*at / sizeof(float)) + ".";
  };
  if (rank_ != root && (operation_ == Operation::gather || operation_ == Operation::reduce))
    return std::nullopt;
  switch (operation_) {
    case Operation::gather:
      for (int r = 0; r < ranks_; ++r)
        if (const auto wrong = differs(static_cast<std::size_t>(r), tile(r))) return wrong;
      return std::nullopt;
    case Operation::scatter:
      return differs(0, tile(rank_));
    case Operation::reduce: {
      const measure::ReduceOp sum("sum", data_.type());
      return differs(0, data_.reduced_tile(0, ranks_, sum));
    }
    default:
      return differs(0, tile(root));
  }
}

Problem Payload::problem(Operation operation, std::size_t bytes, int ranks) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.root = root;
  problem.units = block_floats(operation, bytes, ranks);
  if (in_blocks(operation))
    problem.units *= sizeof(float);
  else
    problem.unit_bytes = sizeof(float);
  return problem;
}

}  // namespace pat::simulated
