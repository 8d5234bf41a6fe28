#include "apps/helsim-mini/compositor.hpp"

#include <pat/pat.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "apps/helsim-mini/mpi_error.hpp"
#include "apps/helsim-mini/pat_error.hpp"

namespace helsim {
namespace {

extern "C" {

/// MPI's user operation: inout[i] = in[i] (op) inout[i], the lower ranks' operand on the left.
void helsim_depth_test(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const DepthPixel*>(in);
  auto* right = static_cast<DepthPixel*>(inout);
  for (int n = 0; n < *count; ++n) right[n] = nearer(left[n], right[n]);
}

void helsim_over(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* front = static_cast<const OverPixel*>(in);
  auto* back = static_cast<OverPixel*>(inout);
  for (int n = 0; n < *count; ++n) back[n] = over(front[n], back[n]);
}

}  // extern "C"

MPI_User_function* function_of(const DepthPixel*) {
  return &helsim_depth_test;
}
MPI_User_function* function_of(const OverPixel*) {
  return &helsim_over;
}

MPI_Datatype type_of(const DepthPixel*) {
  const int lengths[] = {4, 1, 1};
  const MPI_Aint places[] = {offsetof(DepthPixel, rgba), offsetof(DepthPixel, depth),
                             offsetof(DepthPixel, id)};
  const MPI_Datatype types[] = {MPI_UINT8_T, MPI_FLOAT, MPI_UINT64_T};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(3, lengths, places, types, &type), "MPI_Type_create_struct");
  return type;
}

MPI_Datatype type_of(const OverPixel*) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(4, MPI_FLOAT, &type), "MPI_Type_contiguous");
  return type;
}

}  // namespace

template <class Pixel>
Compositor<Pixel>::Compositor(MPI_Comm comm) : comm_(comm) {
  const Pixel* tag = nullptr;
  type_ = type_of(tag);
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Op_create(function_of(tag), Pixel::commutative ? 1 : 0, &operation_),
            "MPI_Op_create");
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  order_.resize(static_cast<std::size_t>(ranks));
  std::iota(order_.begin(), order_.end(), 0);
}

template <class Pixel>
Compositor<Pixel>::~Compositor() {
  if (ordered_ != MPI_COMM_NULL) MPI_Comm_free(&ordered_);
  MPI_Op_free(&operation_);
  MPI_Type_free(&type_);
}

template <class Pixel>
void Compositor<Pixel>::set_order(const std::vector<int>& front_to_back) {
  if (Pixel::commutative || front_to_back == order_) return;
  order_ = front_to_back;
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm_, &rank), "MPI_Comm_rank");
  const auto place_of = [&](int r) {
    return static_cast<int>(std::find(order_.begin(), order_.end(), r) - order_.begin());
  };
  if (ordered_ != MPI_COMM_NULL) MPI_Comm_free(&ordered_);
  check_mpi(MPI_Comm_split(comm_, 0, place_of(rank), &ordered_), "MPI_Comm_split");
  root_ = place_of(0);
}

template <class Pixel>
void Compositor<Pixel>::compose(const Image<Pixel>& own, Image<Pixel>& whole,
                                const ReductionFor<Pixel>& reduction) const {
  check_pat(PAT_UseAlgName("reduce", reduction.name().c_str()));
  check_pat(PAT_Reduce(own.pixels.data(), whole.pixels.data(), static_cast<int>(own.pixels.size()),
                       type_, operation_, root_, ordered_ == MPI_COMM_NULL ? comm_ : ordered_));
}

template class Compositor<DepthPixel>;
template class Compositor<OverPixel>;

}  // namespace helsim
