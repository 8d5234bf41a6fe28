#pragma once

#include <mpi.h>
#include <pat/pat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "collectives/operation_row.hpp"
#include "tools/bench/collective.hpp"

namespace pat::test {

/// How the data of a call lies in memory. An item is the least that is sent: one element, or a few
/// that together carry as much as one of another shape.
struct Shape {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int per_item = 1;
  std::size_t stride = 0;               ///< bytes from item to item
  std::vector<std::size_t> words = {};  ///< where its data lies, 4 bytes each; the rest is gaps
};

/// What is combined: an operator and the items that it takes. `write` makes one out of a number so
/// that results are exact in any order that the operator allows.
struct Reduction {
  std::string name;
  MPI_Op op = MPI_OP_NULL;
  Shape shape;
  void (*write)(std::byte* item, std::uint32_t number) = nullptr;
};

/// Types and operators, those of the program's own too. Freed with the object, on the main thread.
class Materials {
 public:
  Materials();
  ~Materials();
  Materials(const Materials&) = delete;
  Materials& operator=(const Materials&) = delete;

  /// An item of each has 8 bytes; those of the first `of_ints` are two ints, so that one side of a
  /// call may have one of these shapes and the other side another.
  const std::vector<Shape>& shapes() const { return shapes_; }
  static constexpr std::size_t of_ints = 3;
  const std::vector<Reduction>& reductions() const { return reductions_; }
  MPI_Op own_operator() const { return commuting_; }

 private:
  MPI_Datatype derived(MPI_Datatype made, std::size_t stride);

  std::vector<MPI_Datatype> types_;
  std::vector<Shape> shapes_;
  MPI_Op ordered_ = MPI_OP_NULL, commuting_ = MPI_OP_NULL;
  std::vector<Reduction> reductions_;
};

/// Everything that the processes of a call agree on; drawn once, used for many calls, so that PAT
/// gets to foretell them.
struct Kind {
  enum class Form { plain, nonblocking, persistent };

  Operation operation = no_operation;
  bench::Blocks blocks = bench::Blocks::alike;
  bool large = false, in_place = false;
  Form form = Form::plain;
  int items = 0;        ///< in a block, or in the vector; in a v-form the most
  unsigned root = 0;    ///< modulo the processes; among neighbours chooses the topology
  unsigned choice = 0;  ///< of shapes and reductions

  bool varying() const { return blocks != bench::Blocks::alike; }
  /// Any operation in any form that MPI has of it.
  static Kind draw(std::mt19937& random, Form form, Operation operation);
  std::string describe() const;
};

/// A communicator, and for calls among neighbours further ones of its processes: a grid and a
/// graph. All processes make and free it together, within a session. The further ones have had a
/// request that needs the program's threads, so that plain calls go on beside it (pat/request.h).
class Communicators {
 public:
  struct Topology {
    MPI_Comm comm = MPI_COMM_NULL;
    std::vector<Neighbours> neighbours = {};  ///< of all ranks
  };

  /// `comm` stays the caller's.
  Communicators(MPI_Comm comm, const Materials& materials);
  ~Communicators();
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  /// Where a call of this kind is made.
  const Topology& of(const Kind& kind) const;

 private:
  const Topology plain_;
  std::vector<Topology> among_neighbours_;
};

/// Lets plain calls on `comm` go on beside requests that need the program's threads.
void let_plain_calls_go_on(MPI_Comm comm, const Materials& materials);

/// One call on this process, with its buffers and the result that it must have. Checks every byte
/// of all buffers: gaps, and what is only sent, must be as they were.
class RandomCall {
 public:
  RandomCall(const Kind& kind, const Communicators& on, const Materials& materials);

  const Kind& kind() const { return kind_; }
  /// New contents; the receive buffer is poisoned. In a v-form that is not persistent new counts.
  void prepare(std::uint32_t salt);
  /// After prepare(): the data that this process gives.
  void fill();
  int plain() { return functions_->pat(arguments()); }
  int start(PAT_Request* request) { return functions_->start(arguments(), request); }
  int init(PAT_Request* request) { return functions_->init(arguments(), request); }
  /// Bytes that are not as they must be.
  std::size_t wrong_bytes() const;

 private:
  /// One side: blocks of items, each somewhere in memory.
  struct Buffer {
    Shape shape;
    std::vector<int> items, places;  ///< a block
    std::vector<int> counts, displacements;
    std::vector<MPI_Count> large_counts;
    std::vector<MPI_Aint> large_displacements;
    std::vector<MPI_Datatype> types;
    std::vector<std::byte> memory;
  };

  /// Items that rank `from` has for rank `to`; of other operations those of rank `to`.
  int items_between(int from, int to) const;
  /// Of one side: items in each of its blocks.
  std::vector<int> items_of(const Side& side, bool sends) const;
  void lay_out(Buffer& buffer, std::vector<int> items);
  void lay_out_both();
  bool in_place_here() const;
  bench::Call arguments();
  detail::BufferArgument argument(const Buffer& buffer, Holds holds, bool in_place) const;
  std::uint32_t number(int from, std::size_t block, int item) const;
  void write(std::byte* item, const Shape& shape, std::uint32_t number) const;
  void write_block(std::vector<std::byte>& memory, const Buffer& buffer, std::size_t block,
                   int from, std::size_t unit) const;
  void expect(std::vector<std::byte>& memory, std::size_t block) const;

  Kind kind_;
  const OperationRow& row_;
  MPI_Comm comm_;
  int rank_ = 0, root_ = 0;
  Problem problem_;        ///< its units are blocks
  Neighbours neighbours_;  ///< of this rank, in a call among neighbours
  const Reduction* reduction_ = nullptr;
  const bench::CollectiveFunctions* functions_;
  std::uint32_t salt_ = 0;
  Buffer send_, recv_;
};

}  // namespace pat::test
