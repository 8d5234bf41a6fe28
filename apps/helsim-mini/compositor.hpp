#pragma once

#include <mpi.h>

#include <vector>

#include "apps/helsim-mini/pixel.hpp"
#include "apps/helsim-mini/reduction_choice.hpp"

namespace helsim {

/// Makes one picture of the full-size pictures of all processes, by one reduction with an operation
/// on pixels: the depth test or over. The operation is made known to MPI as commutative or not, and
/// the choice of algorithm has the type that goes with it.
template <class Pixel>
class Compositor {
 public:
  /// Collective over `comm`, which must outlive the compositor.
  explicit Compositor(MPI_Comm comm);
  ~Compositor();
  Compositor(const Compositor&) = delete;
  Compositor& operator=(const Compositor&) = delete;

  /// Says which process's picture lies in front of which: all ranks of the communicator, front
  /// first. Nothing to do for the depth test. Collective; cheap while the order stays the same.
  void set_order(const std::vector<int>& front_to_back);

  /// Combines the pictures into `whole` on rank 0; `whole` is not touched elsewhere. PAT must be
  /// running. Collective; throws pat::Error(config) with PAT's sentence.
  void compose(const Image<Pixel>& own, Image<Pixel>& whole,
               const ReductionFor<Pixel>& reduction) const;

  MPI_Datatype pixel_type() const { return type_; }
  MPI_Op operation() const { return operation_; }

 private:
  MPI_Comm comm_;
  MPI_Comm ordered_ = MPI_COMM_NULL;  ///< the same processes, front to back, where that is
                                      ///< not the order of comm_
  int root_ = 0;                      ///< rank 0 of comm_ in the order
  std::vector<int> order_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

extern template class Compositor<DepthPixel>;
extern template class Compositor<OverPixel>;

}  // namespace helsim
