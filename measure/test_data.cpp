#include "measure/test_data.hpp"

#include <algorithm>
#include <cstring>

#include "core/errors.hpp"

namespace pat::measure {
namespace {

struct NamedOp {
  const char* name;
  MPI_Op op;
  bool on_integers_only;
};
const std::vector<NamedOp>& built_in_ops() {
  static const std::vector<NamedOp> ops = {{"sum", MPI_SUM, false},  {"prod", MPI_PROD, false},
                                           {"min", MPI_MIN, false},  {"max", MPI_MAX, false},
                                           {"band", MPI_BAND, true}, {"bor", MPI_BOR, true},
                                           {"bxor", MPI_BXOR, true}};
  return ops;
}

void add_modulo(void* in, void* inout, int* count, MPI_Datatype*) {
  const int* a = static_cast<const int*>(in);
  int* b = static_cast<int*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = (a[i] + b[i]) % 8191;
}

/// An int holds the map x -> factor x + summand (modulo 2^16) in its two halves; the result is the
/// left map applied after the right one.
void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i) {
    const std::uint32_t factor = (a[i] >> 16) * (b[i] >> 16);
    const std::uint32_t summand = (a[i] >> 16) * (b[i] & 0xffff) + (a[i] & 0xffff);
    b[i] = factor << 16 | (summand & 0xffff);
  }
}

std::uint64_t mixed(std::uint64_t x) {  // SplitMix64, Steele, Lea and Flood 2014
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <typename T>
void put(std::vector<unsigned char>& bytes, std::size_t index, std::uint64_t value) {
  const T element = static_cast<T>(value);
  std::memcpy(bytes.data() + index * sizeof(T), &element, sizeof(T));
}

}  // namespace

DataType find_data_type(const std::string& name) {
  const std::vector<DataType> types = {{"byte", MPI_BYTE, 1},
                                       {"int", MPI_INT, sizeof(int)},
                                       {"long", MPI_LONG, sizeof(long)},
                                       {"float", MPI_FLOAT, sizeof(float)},
                                       {"double", MPI_DOUBLE, sizeof(double)}};
  for (const DataType& type : types)
    if (type.name == name) return type;
  throw Error(ErrorKind::argument,
              "There is no data type '" + name + "'; there are byte, int, long, float and double.");
}

ReduceOp::ReduceOp(const std::string& name, const DataType& type) : name_(name) {
  const bool integer = type.name == "int" || type.name == "long";
  for (const NamedOp& known : built_in_ops()) {
    if (known.name != name) continue;
    if (type.name == "byte" || (known.on_integers_only && !integer))
      if (!(type.name == "byte" && known.on_integers_only))
        throw Error(ErrorKind::argument,
                    "Operation '" + name + "' does not go with '" + type.name + "'.");
    op_ = known.op;
    return;
  }
  if (name != "user" && name != "user-ordered")
    throw Error(ErrorKind::argument,
                "There is no reduction '" + name +
                    "'; there are sum, prod, min, max, band, bor, bxor, user and user-ordered.");
  if (type.name != "int")
    throw Error(ErrorKind::argument, "Operation '" + name + "' works on int only.");
  commutes_ = name == "user";
  owned_ = true;
  MPI_Op_create(commutes_ ? add_modulo : compose, commutes_ ? 1 : 0, &op_);
}

ReduceOp::~ReduceOp() {
  if (owned_) MPI_Op_free(&op_);
}

std::vector<unsigned char> TestData::tile(std::uint64_t iteration, std::uint64_t part,
                                          const std::string& op) const {
  std::vector<unsigned char> bytes(tile_elements * type_.bytes);
  const std::uint64_t key = mixed(mixed(seed_ ^ mixed(iteration)) + part);
  for (std::size_t i = 0; i < tile_elements; ++i) {
    std::uint64_t value = mixed(key + i);
    if (op == "prod")
      value = 1 + value % 16 / 15;  // a power of two that every type can hold
    else if (op == "user-ordered")
      value = (value & 0xffff0000u) | 0x10000u | (value >> 48);
    else
      value %= 32;
    if (type_.name == "byte") put<unsigned char>(bytes, i, value);
    if (type_.name == "int") put<int>(bytes, i, value);
    if (type_.name == "long") put<long>(bytes, i, value);
    if (type_.name == "float") put<float>(bytes, i, value);
    if (type_.name == "double") put<double>(bytes, i, value);
  }
  return bytes;
}

void TestData::combine(const std::vector<unsigned char>& left, std::vector<unsigned char>& right,
                       const ReduceOp& op) const {
  MPI_Reduce_local(left.data(), right.data(), static_cast<int>(tile_elements), type_.type, op.op());
}

void fill(void* buffer, std::size_t bytes, const std::vector<unsigned char>& tile) {
  auto* to = static_cast<unsigned char*>(buffer);
  for (std::size_t at = 0; at < bytes; at += tile.size())
    std::memcpy(to + at, tile.data(), std::min(tile.size(), bytes - at));
}

std::optional<std::size_t> first_difference(const void* buffer, std::size_t bytes,
                                            const std::vector<unsigned char>& tile) {
  const auto* from = static_cast<const unsigned char*>(buffer);
  for (std::size_t at = 0; at < bytes; at += tile.size()) {
    const std::size_t length = std::min(tile.size(), bytes - at);
    if (std::memcmp(from + at, tile.data(), length) == 0) continue;
    const auto* end = from + at + length;
    return static_cast<std::size_t>(std::mismatch(from + at, end, tile.begin()).first - from);
  }
  return std::nullopt;
}

}  // namespace pat::measure
