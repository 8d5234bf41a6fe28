#pragma once

#include <memory>
#include <vector>

#include "libpat/execution/arguments.hpp"
#include "libpat/mpi/wide_sum.hpp"

namespace pat::detail {

/// One reduction whose summands travel as accumulators: a call of its own with arguments of its
/// own, between the program's buffers. Any algorithm may combine them in any order; the bits are
/// the same.
class OrderFree {
 public:
  /// Null where there is no such sum of these arguments (another operator or type, more processes
  /// than an accumulator holds summands), or it is empty. The same on all ranks. `ranks`: whose
  /// summands there are. The arguments must have been checked. Throws MpiFailure.
  static std::unique_ptr<OrderFree> make(const Arguments& given, const Significant& here,
                                         bool contributes, int rank, int ranks);

  /// The call to make in place of the program's.
  const Arguments& arguments() const { return wide_; }
  /// Takes what the program has handed over: all elements, or [first, last) of them. In place they
  /// lie in the receive buffer.
  void deposit() { deposit(0, summands_); }
  void deposit(std::size_t first, std::size_t last);
  /// Once the call is over: writes the program's receive buffer, if this process has one.
  void round() const;

 private:
  OrderFree(const Arguments& given, const WideSum& sum) : given_(given), wide_(given), sum_(sum) {}

  Arguments given_, wide_;
  const WideSum& sum_;
  std::size_t count_ = 0;  ///< elements of the result
  std::size_t summands_ =
      0;  ///< and those that this process adds: a block for each rank, or the same
  std::unique_ptr<std::byte[]> sends_, result_;  // accumulators
};

}  // namespace pat::detail
