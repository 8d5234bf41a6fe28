#include "tools/bench/collective.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat::bench {

using namespace measure;

namespace {

// MPI's and PAT's functions, from the table of calls.
#define PAT_THEN(...) __VA_ARGS__ __VA_OPT__(, )
#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from)                    \
  {Operation::operation,                                                                       \
   Blocks::blocks,                                                                             \
   PAT_LARGE,                                                                                  \
   {Operation::operation,                                                                      \
    []([[maybe_unused]] const Call& a) { return PAT_FORM(MPI_##Name)(PAT_THEN from a.comm); }, \
    []([[maybe_unused]] const Call& a) { return PAT_FORM(PAT_##Name)(PAT_THEN from a.comm); }, \
    []([[maybe_unused]] const Call& a, PAT_Request* request) {                                 \
      return PAT_FORM(PAT_I##name)(PAT_THEN from a.comm, request);                             \
    },                                                                                         \
    []([[maybe_unused]] const Call& a, PAT_Request* request) {                                 \
      return PAT_FORM(PAT_##Name##_init)(PAT_THEN from a.comm, request);                       \
    }}},
const struct {
  Operation operation;
  Blocks blocks;
  bool large;
  CollectiveFunctions functions;
} collectives[] = {
#include "libpat/execution/both_sizes.def"
};
#undef PAT_COLLECTIVE

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

}  // namespace

const CollectiveFunctions& find_collective(const std::string& operation) {
  if (const auto found = find_operation(operation))
    return *find_collective(*found, Blocks::alike, false);
  throw Error(ErrorKind::argument,
              "There is no operation '" + operation + "'; there are " + operation_names() + ".");
}

const CollectiveFunctions* find_collective(Operation operation, Blocks blocks, bool large) {
  for (const auto& one : collectives)
    if (one.operation == operation && one.blocks == blocks && one.large == large)
      return &one.functions;
  return nullptr;
}

Call make_call(Operation operation, const void* send, void* recv, int count, MPI_Datatype type,
               MPI_Op op, int root, MPI_Comm comm) {
  return {.operation = operation,
          .send = {.address = send, .count = count, .type = type},
          .recv = {.address = recv, .count = count, .type = type},
          .root = root,
          .op = op,
          .comm = comm};
}

namespace {

/// The processes of `comm` as the ring that a problem without neighbours has, freed with the last
/// pointer; null where the operation needs no topology. Collective.
std::shared_ptr<const MPI_Comm> ring_for(Operation operation, MPI_Comm comm) {
  if (!row(operation).among_neighbours()) return nullptr;
  const int ranks = size_of(comm), periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, &ranks, &periodic, 0, &ring);
  return {new MPI_Comm(ring), [](MPI_Comm* made) {
            MPI_Comm_free(made);
            delete made;
          }};
}

}  // namespace

void* receiving_argument(Operation operation, bool is_root, void* send, void* recv) {
  return is_root && row(operation).recv->at == At::others ? send : recv;
}

Workload::Workload(Operation operation, std::size_t bytes, DataType type, const ReduceOp* op,
                   std::uint64_t seed, MPI_Comm comm)
    : operation_(operation),
      op_(op),
      ring_(ring_for(operation, comm)),
      comm_(ring_ ? *ring_ : comm),
      rank_(rank_in(comm)),
      ranks_(size_of(comm)),
      contents_(operation, ranks_, std::move(type), seed, op) {
  if (!row(operation).has_bytes()) return;
  block_elements_ = bytes / contents_.type().bytes / pieces();
  if (block_elements_ == 0)
    throw Error(ErrorKind::argument, "A vector of " + std::to_string(bytes) +
                                         " bytes has less than one element a process.");
  if (block_elements_ > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw Error(ErrorKind::argument, "A vector of " + std::to_string(bytes) +
                                         " bytes has more elements than an MPI count can hold.");
}

/// Blocks that the vector is cut into.
std::size_t Workload::pieces() const {
  return row(operation_).in_blocks() ? static_cast<std::size_t>(ranks_) : 1;
}

std::size_t Workload::block_bytes() const {
  return block_elements_ * contents_.type().bytes;
}

std::size_t Workload::bytes() const {
  return block_bytes() * pieces();
}

void Workload::prepare(std::uint64_t iteration, int root) {
  iteration_ = iteration;
  root_ = root;
  const std::size_t block = block_bytes();
  send_.resize(block * contents_.sent_blocks(rank_, root));
  recv_.reserve(1);  // MPICH asks for an address also where nothing is received
  recv_.resize(block * contents_.received_blocks(rank_, root));
  std::fill(recv_.begin(), recv_.end(), static_cast<unsigned char>(0xa5));
  for (std::size_t b = 0; b < contents_.sent_blocks(rank_, root); ++b)
    fill(send_.data() + block * b, block, contents_.sent(iteration, rank_, b));
}

Call Workload::call() {
  return make_call(operation_, send_.data(),
                   receiving_argument(operation_, rank_ == root_, send_.data(), recv_.data()),
                   static_cast<int>(block_elements_), contents_.type().type,
                   op_ ? op_->op() : MPI_OP_NULL, root_, comm_);
}

std::optional<std::string> Workload::check_block(const std::vector<unsigned char>& buffer,
                                                 std::size_t block,
                                                 const std::vector<unsigned char>& expected) const {
  const std::size_t bytes = block_bytes();
  const auto at = first_difference(buffer.data() + bytes * block, bytes, expected);
  if (!at) return std::nullopt;
  return "rank " + std::to_string(rank_) + " has a wrong element at index " +
         std::to_string(block * block_elements_ + *at / contents_.type().bytes) + ".";
}

/// Where sender and receivers share an argument, the sender's must be as it was.
std::optional<std::string> Workload::check() const {
  for (std::size_t b = 0; b < contents_.received_blocks(rank_, root_); ++b)
    if (auto wrong = check_block(recv_, b, contents_.promised(iteration_, rank_, root_, b)))
      return wrong;
  if (row(operation_).recv->at != At::others) return std::nullopt;
  for (std::size_t b = 0; b < contents_.sent_blocks(rank_, root_); ++b)
    if (auto wrong = check_block(send_, b, contents_.sent(iteration_, rank_, b))) return wrong;
  return std::nullopt;
}

}  // namespace pat::bench
