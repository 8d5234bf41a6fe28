#include "apps/helsim-mini/reduction_choice.hpp"

#include <algorithm>

#include "collectives/algorithm.hpp"
#include "core/errors.hpp"

namespace helsim {
namespace {

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void require_known(const std::string& name) {
  const auto names = reduction_names(false);
  if (!contains(names, name))
    throw pat::Error(pat::ErrorKind::argument,
                     "there is no reduction '" + name + "', choose one of: " + list(names));
}

}  // namespace

std::vector<std::string> reduction_names(bool ordered) {
  // MPI's own keeps rank order for operations made as not commutative (MPI 3.1, 5.9.1), and auto
  // chooses among what the operation allows.
  std::vector<std::string> names = {"auto", "mpi"};
  for (const pat::Algorithm& algorithm : pat::algorithms()) {
    if (algorithm.operation != pat::Operation::reduce || contains(names, algorithm.name)) continue;
    if (!ordered || !algorithm.needs_commutative) names.push_back(algorithm.name);
  }
  return names;
}

AnyReduction::AnyReduction(const std::string& name) : name_(name) {
  require_known(name);
}

OrderedReduction::OrderedReduction(const std::string& name) : name_(name) {
  require_known(name);
  const auto names = reduction_names(true);
  if (!contains(names, name))
    throw pat::Error(pat::ErrorKind::operation,
                     "the reduction '" + name +
                         "' reorders what it combines, and laying pictures over each other does "
                         "not commute: choose one of: " +
                         list(names) + ", or --picture depth");
}

}  // namespace helsim
