#include "collectives/nonclairvoyant/method.hpp"

#include <string_view>

#include "collectives/nonclairvoyant/neighbours.hpp"
#include "collectives/nonclairvoyant/static_tree.hpp"
#include "collectives/nonclairvoyant/tree_dyn.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"

namespace pat::nonclairvoyant {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = {
      {"binomial-stat", "a binomial tree, known beforehand", "seed 002, Section 3.2", true, true,
       make_binomial_stat},
      {"fibonacci-stat", "a Fibonacci tree, which sends while the receiver computes",
       "seed 002, Section 3.2", true, true, make_fibonacci_stat},
      {"tree-dyn", "whoever is free sends to whoever became free before", "seed 002, Section 3.2",
       false, true, make_tree_dyn},
      {"non-commut-tree-dyn",
       "whoever is free sends to an idle processor with a neighbouring value",
       "seed 002, Section 3.2", true, true, make_non_commut_tree_dyn},
      {"non-commut-patient",
       "the same, but it waits a while for the neighbour of the binomial tree", "this project",
       true, false, make_non_commut_patient},
      {"non-commut-overlap", "non-commut-tree-dyn, but a value may go to a neighbour that computes",
       "this project", true, false, make_non_commut_overlap},
      {"non-commut-tree-dyn+", "overlap, and patience while costs are alike", "this project", true,
       false, make_non_commut_tree_dyn_plus},
  };
  return all;
}

const MethodInfo& get_method(const std::string& name) {
  std::vector<std::string_view> names;
  for (const MethodInfo& info : methods()) {
    if (name == info.name) return info;
    names.emplace_back(info.name);
  }
  throw Error(ErrorKind::argument,
              "there is no method '" + name + "', give " + listed(names, " or "));
}

}  // namespace pat::nonclairvoyant
