#include "libpat/session/call.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/session/twin.hpp"

namespace pat::detail {

MPI_Datatype KeptTypes::keep(MPI_Datatype type) {
  if (is_predefined(type)) return type;
  MPI_Datatype own = MPI_DATATYPE_NULL;  // not MPI_Type_dup, which runs the user's callbacks
  check(PMPI_Type_contiguous(1, type, &own));
  own_.push_back(own);
  check(PMPI_Type_commit(&own_.back()));
  return own;
}

const MPI_Datatype* KeptTypes::keep(std::vector<MPI_Datatype> types) {
  for (MPI_Datatype& type : types) type = keep(type);
  return arrays_.emplace_back(std::move(types)).data();
}

KeptTypes::~KeptTypes() {
  for (MPI_Datatype& type : own_) PMPI_Type_free(&type);
}

bool Call::any_part_ready() const {
  return std::find(part_ready.begin(), part_ready.end(), true) != part_ready.end();
}

bool Call::by_library() const {
  return stream == nullptr || is_library(decision->chosen());
}

bool Call::may_block() const {
  return signature.form == Form::plain && twin->may_block;
}

bool Call::keeps_operator() const {
  return signature.own_operator && signature.form != Form::plain;
}

CallPlace place_of(const Call& call) {
  if (call.twin == nullptr) return {};
  const bool counted = call.signature.form == Form::plain;
  return {counted ? &call.twin->entered : nullptr, call.twin->id(), &call.signature, std::nullopt};
}

}  // namespace pat::detail
