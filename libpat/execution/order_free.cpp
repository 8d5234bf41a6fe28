#include "libpat/execution/order_free.hpp"

#include "collectives/operation_row.hpp"
#include "core/binned_sum.hpp"
#include "libpat/execution/memory.hpp"

namespace pat::detail {

std::unique_ptr<OrderFree> OrderFree::make(const Arguments& given, const Significant& here,
                                           bool contributes, int rank, int ranks) {
  if (!row(given.operation).combines || given.op != MPI_SUM ||
      ranks > BinnedSum<double>::most_summands)
    return nullptr;
  const WideSum* sum = wide_sum_of(given.recv.type);
  const int blocks = row(given.operation).in_blocks() ? ranks : 1;
  const auto summands = static_cast<std::size_t>(given.recv.count_before(blocks));
  if (sum == nullptr || summands == 0) return nullptr;
  std::unique_ptr<OrderFree> made(new OrderFree(given, *sum));
  made->count_ = static_cast<std::size_t>(given.recv.count_of(rank));
  made->summands_ = summands;
  Arguments& wide = made->wide_;
  wide.op = sum->op;
  wide.send.type = wide.recv.type = sum->type;
  if (contributes) {
    made->sends_ = raw_memory(summands * sum->wide_bytes);
    wide.send.address = made->sends_.get();
  }
  if (here.recv) {
    made->result_ = raw_memory(made->count_ * sum->wide_bytes);
    wide.recv.address = made->result_.get();
  }
  return made;
}

void OrderFree::deposit(std::size_t first, std::size_t last) {
  if (!sends_) return;
  const void* from = given_.send.in_place() ? given_.recv.address : given_.send.address;
  sum_.deposit(static_cast<const std::byte*>(from) + first * sum_.element_bytes,
               sends_.get() + first * sum_.wide_bytes, last - first);
}

void OrderFree::round() const {
  if (result_) sum_.round(result_.get(), const_cast<void*>(given_.recv.address), count_);
}

}  // namespace pat::detail
