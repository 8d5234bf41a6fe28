#include "apps/helsim-mini/reduction_choice.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace helsim {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void require_known(const std::string& name) {
  const auto names = reduction_names(false);
  if (!contains(names, name))
    throw pat::Error(pat::ErrorKind::argument, "there is no reduction '" + name +
                                                   "', choose one of: " + pat::join(names, ", "));
}

/// Whether there is an algorithm of that name, and it reorders.
bool reorders(const std::string& name) {
  const pat::Algorithm* algorithm = pat::find_algorithm(pat::Operation::reduce, name);
  return algorithm && algorithm->needs_commutative;
}

}  // namespace

std::vector<std::string> reduction_names(bool ordered) {
  // MPI's own keeps rank order for operations made as not commutative (MPI 3.1, 5.9.1), and auto
  // chooses among what the operation allows.
  std::vector<std::string> names = {"auto", "mpi"};
  for (const pat::Algorithm& algorithm : pat::algorithms())
    if (algorithm.operation == pat::Operation::reduce && !contains(names, algorithm.name))
      names.push_back(algorithm.name);
  if (ordered) names.erase(std::remove_if(names.begin(), names.end(), reorders), names.end());
  return names;
}

AnyReduction::AnyReduction(const std::string& name) : name_(name) {
  require_known(name);
}

OrderedReduction::OrderedReduction(const std::string& name) : name_(name) {
  if (reorders(name))
    throw pat::Error(pat::ErrorKind::operation,
                     "the reduction '" + name +
                         "' reorders what it combines, and laying pictures over each other does "
                         "not commute: choose one of: " +
                         pat::join(reduction_names(true), ", ") + ", or --picture depth");
  require_known(name);
}

}  // namespace helsim
