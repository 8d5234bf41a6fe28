#include "tools/bench/collective.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/errors.hpp"

namespace pat::bench {

using namespace measure;

namespace {

int mpi_gather(const Call& c) {
  return MPI_Gather(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}
int mpi_scatter(const Call& c) {
  return MPI_Scatter(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}
int mpi_reduce(const Call& c) {
  return MPI_Reduce(c.send, c.recv, c.count, c.type, c.op, c.root, c.comm);
}
int mpi_bcast(const Call& c) {
  return MPI_Bcast(c.recv, c.count, c.type, c.root, c.comm);
}
int mpi_allreduce(const Call& c) {
  return MPI_Allreduce(c.send, c.recv, c.count, c.type, c.op, c.comm);
}
int mpi_barrier(const Call& c) {
  return MPI_Barrier(c.comm);
}

int pat_gather(const Call& c) {
  return PAT_Gather(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}
int pat_scatter(const Call& c) {
  return PAT_Scatter(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm);
}
int pat_reduce(const Call& c) {
  return PAT_Reduce(c.send, c.recv, c.count, c.type, c.op, c.root, c.comm);
}

int gather_init(const Call& c, PAT_Request* request) {
  return PAT_Gather_init(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm, request);
}
int scatter_init(const Call& c, PAT_Request* request) {
  return PAT_Scatter_init(c.send, c.count, c.type, c.recv, c.count, c.type, c.root, c.comm,
                          request);
}

const std::array<CollectiveFunctions, operation_count> collectives = {{
    {Operation::gather, mpi_gather, pat_gather, gather_init},
    {Operation::scatter, mpi_scatter, pat_scatter, scatter_init},
    {Operation::reduce, mpi_reduce, pat_reduce, nullptr},
    {Operation::bcast, mpi_bcast, nullptr, nullptr},
    {Operation::allreduce, mpi_allreduce, nullptr, nullptr},
    {Operation::barrier, mpi_barrier, nullptr, nullptr},
}};

}  // namespace

const CollectiveFunctions& find_collective(const std::string& operation) {
  if (const auto found = find_operation(operation))
    for (const CollectiveFunctions& functions : collectives)
      if (functions.operation == *found) return functions;
  throw Error(ErrorKind::argument,
              "There is no operation '" + operation + "'; there are " + operation_names() + ".");
}

Workload::Workload(Operation operation, std::size_t bytes, DataType type, const ReduceOp* op,
                   std::uint64_t seed, MPI_Comm comm)
    : operation_(operation), data_(std::move(type), seed), op_(op), comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  const bool blocks = operation == Operation::gather || operation == Operation::scatter;
  if (operation != Operation::barrier)
    block_elements_ = bytes / data_.type().bytes / (blocks ? static_cast<std::size_t>(ranks_) : 1);
  if (operation != Operation::barrier && block_elements_ == 0)
    throw Error(ErrorKind::argument, "A vector of " + std::to_string(bytes) +
                                         " bytes has less than one element a process.");
  if (block_elements_ > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(ErrorKind::argument, "A vector of " + std::to_string(bytes) +
                                         " bytes has more elements than an MPI count can hold.");
}

std::vector<unsigned char> Workload::tile_of(int rank) const {
  return data_.tile(iteration_, rank, op_ ? op_->name() : "");
}

std::size_t Workload::bytes() const {
  const bool blocks = operation_ == Operation::gather || operation_ == Operation::scatter;
  return block_elements_ * data_.type().bytes * (blocks ? static_cast<std::size_t>(ranks_) : 1);
}

/// Blocks in this rank's send or receive buffer.
std::size_t Workload::blocks_in(bool receiving) const {
  const bool is_root = rank_ == root_;
  const auto all = static_cast<std::size_t>(ranks_);
  switch (operation_) {
    case Operation::gather:
      return receiving ? (is_root ? all : 0) : 1;
    case Operation::scatter:
      return receiving ? 1 : (is_root ? all : 0);
    case Operation::reduce:
      return receiving ? (is_root ? 1 : 0) : 1;
    case Operation::bcast:
      return receiving ? 1 : 0;
    case Operation::allreduce:
      return 1;
    case Operation::barrier:
      return 0;
  }
  return 0;
}

void Workload::prepare(std::uint64_t iteration, int root) {
  iteration_ = iteration;
  root_ = root;
  const std::size_t block = block_elements_ * data_.type().bytes;
  send_.resize(block * blocks_in(false));
  recv_.resize(block * blocks_in(true));
  std::fill(recv_.begin(), recv_.end(), static_cast<unsigned char>(0xa5));
  if (operation_ == Operation::scatter && rank_ == root) {
    for (int r = 0; r < ranks_; ++r)
      fill(send_.data() + block * static_cast<std::size_t>(r), block, tile_of(r));
  } else if (operation_ == Operation::bcast) {
    if (rank_ == root) fill(recv_.data(), block, tile_of(root));
  } else if (!send_.empty()) {
    fill(send_.data(), block, tile_of(rank_));
  }
}

Call Workload::call() {
  return {send_.data(),
          recv_.data(),
          static_cast<int>(block_elements_),
          data_.type().type,
          op_ ? op_->op() : MPI_OP_NULL,
          root_,
          comm_};
}

std::optional<std::string> Workload::check_block(std::size_t block,
                                                 const std::vector<unsigned char>& expected) const {
  const std::size_t bytes = block_elements_ * data_.type().bytes;
  const auto at = first_difference(recv_.data() + bytes * block, bytes, expected);
  if (!at) return std::nullopt;
  return "rank " + std::to_string(rank_) + " has a wrong element at index " +
         std::to_string(block * block_elements_ + *at / data_.type().bytes) + ".";
}

std::optional<std::string> Workload::check() const {
  if (blocks_in(true) == 0) return std::nullopt;
  switch (operation_) {
    case Operation::gather:
      for (int r = 0; r < ranks_; ++r)
        if (auto wrong = check_block(static_cast<std::size_t>(r), tile_of(r))) return wrong;
      return std::nullopt;
    case Operation::scatter:
      return check_block(0, tile_of(rank_));
    case Operation::bcast:
      return check_block(0, tile_of(root_));
    case Operation::reduce:
    case Operation::allreduce:
      return check_block(0, data_.reduced_tile(iteration_, ranks_, *op_));
    case Operation::barrier:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace pat::bench
