#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pat::measure {

/// An element type by its name on the command line.
struct DataType {
  std::string name;
  MPI_Datatype type;
  std::size_t bytes;
};
/// "byte", "int", "long", "float", "double". Throws Error(argument) that lists them.
DataType find_data_type(const std::string& name);

/// A reduction by its name: sum, prod, min, max, band, bor, bxor, and two user-defined ones on int:
/// user (addition modulo 8191, commutes) and user-ordered (composition of affine maps modulo 2^16,
/// does not). Frees what it made.
class ReduceOp {
 public:
  /// Throws Error(argument) if there is no such name or it does not go with the type.
  ReduceOp(const std::string& name, const DataType& type);
  ~ReduceOp();
  ReduceOp(const ReduceOp&) = delete;
  ReduceOp& operator=(const ReduceOp&) = delete;
  MPI_Op op() const { return op_; }
  const std::string& name() const { return name_; }
  bool commutes() const { return commutes_; }

 private:
  std::string name_;
  MPI_Op op_ = MPI_OP_NULL;
  bool owned_ = false;
  bool commutes_ = true;
};

/// Data that is fresh in each iteration, different in each part, and cheap to check: a tile of
/// `tile_elements` (a prime, so that a shifted block shows) repeated over the buffer. Elements are
/// small whole numbers, so reductions are exact in any order.
class TestData {
 public:
  static constexpr std::size_t tile_elements = 1021;

  TestData(DataType type, std::uint64_t seed) : type_(std::move(type)), seed_(seed) {}
  const DataType& type() const { return type_; }

  /// The tile of a part of the data in an iteration, as bytes. `op` limits the values of products
  /// to 1 and 2.
  std::vector<unsigned char> tile(std::uint64_t iteration, std::uint64_t part,
                                  const std::string& op) const;
  /// Combines two tiles in this order, into the second.
  void combine(const std::vector<unsigned char>& left, std::vector<unsigned char>& right,
               const ReduceOp& op) const;

 private:
  DataType type_;
  std::uint64_t seed_;
};

/// Repeats the tile over `bytes` bytes.
void fill(void* buffer, std::size_t bytes, const std::vector<unsigned char>& tile);
/// Index of the first byte that differs from the repeated tile; nothing if none does.
std::optional<std::size_t> first_difference(const void* buffer, std::size_t bytes,
                                            const std::vector<unsigned char>& tile);

}  // namespace pat::measure
