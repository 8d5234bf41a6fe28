// Source: src/mpi/coll/src/csel.c and csel_container.c of MPICH 4.0 (how its files are read and
// followed), src/mpi/coll/coll_algorithms.txt (what its algorithms cannot do).

#include "tools/tune/mpich_rules.hpp"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/errors.hpp"

namespace pat::tune {
namespace {

/// Keys keep their order: MPICH takes the first that holds.
using Tree = nlohmann::ordered_json;

/// MPICH ends a file of whole pages behind its last byte, where nothing need be.
constexpr std::size_t least_page = 4096;

/// The first of two equal conditions is the one that MPICH takes.
void put(Tree& tree, const std::string& condition, Tree below) {
  if (!tree.contains(condition)) tree[condition] = std::move(below);
}

/// "Reduce_scatter_block".
std::string mpich_name(const std::string& operation) {
  std::string name = ruled(operation).mpi_name;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

/// On what of a call it depends whether an algorithm can do it.
enum class Needs { nothing, own_operator, commuting_operator, other_buffer };

struct MpichOperation {
  const char* operation;
  const char* size;   ///< what MPICH calls the size of a whole vector
  const char* whole;  ///< the composition by which the device hands it on as a whole, if it has one
  Needs needs;
};

constexpr MpichOperation mpich_operations[] = {
    {"allgather", "total_msg_size", "beta", Needs::nothing},
    {"allreduce", "avg_msg_size", "beta", Needs::own_operator},
    {"alltoall", "total_msg_size", "beta", Needs::other_buffer},
    {"barrier", "total_msg_size", "beta", Needs::nothing},
    {"bcast", "avg_msg_size", "gamma", Needs::nothing},
    {"gather", "total_msg_size", "", Needs::nothing},
    {"reduce", "avg_msg_size", "gamma", Needs::own_operator},
    {"reduce-scatter", "total_msg_size", "", Needs::commuting_operator},
    {"scatter", "total_msg_size", "", Needs::nothing},
};

const MpichOperation& mpich_operation(const std::string& operation) {
  return *std::find_if(std::begin(mpich_operations), std::end(mpich_operations) - 1,
                       [&](const MpichOperation& one) { return operation == one.operation; });
}

/// The words before each " - " of a description: one for each value, in their order.
std::vector<std::string> words_of(const std::string& description) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::vector<std::string> words;
  for (auto dash = description.find(" - "); dash != std::string::npos;
       dash = description.find(" - ", dash + 1)) {
    std::size_t end = dash;
    while (end > 0 && description[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(description[begin - 1])) --begin;
    words.push_back(description.substr(begin, end - begin));
  }
  return words;
}

/// Whether this is the name, or the name behind the last word of the line before.
bool ends_in(const std::string& word, const std::string& name) {
  return word.ends_with(name) &&
         (word.size() == name.size() || word[word.size() - name.size() - 1] != '_');
}

/// What a file calls an algorithm; nothing if it has no word for it.
std::optional<std::string> leaf_for(const std::string& operation, const std::string& algorithm,
                                    std::span<const std::string> leaves) {
  for (const char* kind : {"_intra_", "_allcomm_"}) {
    std::string leaf = "algorithm=MPIR_" + mpich_name(operation) + kind + algorithm;
    if (std::find(leaves.begin(), leaves.end(), leaf) != leaves.end()) return leaf;
  }
  return std::nullopt;
}

/// By what the device hands an operation on as a whole; nothing if it always does, or cannot.
std::optional<std::string> whole_leaf(const std::string& operation,
                                      std::span<const std::string> leaves) {
  std::string leaf = "composition=MPIDI_" + mpich_name(operation) + "_intra_composition_" +
                     mpich_operation(operation).whole;
  if (std::find(leaves.begin(), leaves.end(), leaf) == leaves.end()) return std::nullopt;
  return leaf;
}

/// Whether a condition on the size of the communicator holds; nothing for other conditions.
std::optional<bool> holds_for(const std::string& condition, int ranks) {
  const auto number_behind = [&](const std::string& beginning) -> std::optional<int> {
    if (!condition.starts_with(beginning)) return std::nullopt;
    return std::atoi(condition.c_str() + beginning.size());
  };
  if (condition == "comm_size=any") return true;
  if (condition == "comm_size=pow2") return (ranks & (ranks - 1)) == 0;
  if (const auto most = number_behind("comm_size<=")) return ranks <= *most;
  if (const auto end = number_behind("comm_size<")) return ranks < *end;
  return std::nullopt;
}

/// Whether MPICH asks this already when a communicator is made.
bool is_about_the_communicator(const std::string& condition) {
  return condition.starts_with("comm_") || condition.starts_with("is_node_consecutive=");
}

/// What is left of the tree for communicators of so many processes. MPICH does this itself as far
/// as conditions on the communicator come first, and looks at those below others in another way
/// (in 4.0 `comm_size<8` holds for 8 there): so those that come first must be gone where rules put
/// conditions on the call above them, and the others must stay.
Tree for_ranks(const Tree& tree, int ranks) {
  Tree left = Tree::object();
  bool comes_first = true;
  for (const auto& [condition, below] : tree.items()) {
    comes_first = comes_first && is_about_the_communicator(condition);
    const auto holds = comes_first ? holds_for(condition, ranks) : std::nullopt;
    if (holds == false) continue;
    if (holds == true) {
      if (left.empty()) return for_ranks(below, ranks);
      put(left, "comm_size=any", for_ranks(below, ranks));
      break;
    }
    put(left, condition, comes_first ? for_ranks(below, ranks) : below);
  }
  return left;
}

/// What a rule does where its algorithm can be used, and what stands there elsewhere.
Tree where_usable(Needs needs, const Tree& rule, const Tree& other) {
  switch (needs) {
    case Needs::own_operator:
      return {{"is_op_built_in=yes", {{"count<pow2", other}, {"count=any", rule}}},
              {"is_op_built_in=no", other}};
    case Needs::commuting_operator:
      return {{"is_commutative=yes", rule}, {"is_commutative=no", other}};
    case Needs::other_buffer:
      return {{"is_sendbuf_inplace=no", rule}, {"is_sendbuf_inplace=yes", other}};
    case Needs::nothing:
      break;
  }
  return rule;
}

/// The steps as conditions on the size of the message; `other` stands where nothing is decided.
template <typename LeafOf>
Tree by_size(const OperationRules& rules, const Tree& other, const LeafOf& leaf_of) {
  const MpichOperation& operation = mpich_operation(rules.operation);
  const std::string size = operation.size;
  const auto tree_of = [&](const Way& way) {
    if (way.is_default()) return other;
    return where_usable(operation.needs, Tree{{leaf_of(way), Tree::object()}}, other);
  };
  if (rules.steps.size() == 1) return tree_of(rules.steps.front().way);
  Tree tree = Tree::object();
  for (std::size_t i = 0; i < rules.steps.size(); ++i) {
    const bool last = i + 1 == rules.steps.size();
    const std::size_t most =
        last ? INT_MAX : std::min<std::size_t>(rules.steps[i + 1].from_bytes - 1, INT_MAX);
    if (rules.steps[i].from_bytes > INT_MAX && !last) continue;  // MPICH compares with an int
    put(tree, last ? size + "=any" : size + "<=" + std::to_string(most),
        tree_of(rules.steps[i].way));
  }
  return tree;
}

template <typename LeafOf>
void add_rules(Tree& table, const OperationRules& rules, const MpichScope& scope,
               const LeafOf& leaf_of) {
  const std::string operation = std::string("collective=") + ruled(rules.operation).mpi_name;
  if (!table.contains(operation) || !table[operation].contains("comm_type=intra"))
    throw Error(ErrorKind::argument, "MPICH's own table has no '" + operation +
                                         "' of the usual form, leave this operation out of --op");
  Tree& intra = table[operation]["comm_type=intra"];
  const Tree before = intra, other = for_ranks(before, scope.ranks);
  const std::string kind = scope.has_nodes ? "comm_hierarchy=parent" : "comm_hierarchy=flat";
  const std::string ranks = std::to_string(scope.ranks), fewer = std::to_string(scope.ranks - 1);
  intra = {{"comm_size<=" + fewer, before},
           {"comm_size<=" + ranks,
            {{kind, by_size(rules, other, leaf_of)}, {"comm_hierarchy=any", other}}},
           {"comm_size=any", before}};
}

std::string file_text(const Tree& table) {
  std::string text = table.dump(1) + "\n";
  if (text.size() % least_page == 0) text += "\n";
  return text;
}

}  // namespace

MpichTables mpich_tables(std::span<const std::string> texts) {
  MpichTables tables;
  for (const std::string& text : texts) {
    if (!Tree::accept(text)) continue;
    if (text.find("\"algorithm=MPIR_Bcast") != std::string::npos) tables.algorithms = text;
    if (text.find("\"composition=MPIDI_Bcast") != std::string::npos) tables.device = text;
  }
  return tables;
}

int mpich_value(const std::string& description, const std::string& name) {
  const auto words = words_of(description);
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const std::string& word) { return ends_in(word, name); });
  return found == words.end() ? -1 : static_cast<int>(found - words.begin());
}

std::vector<Way> mpich_ways(const std::string& operation, const MpichWords& words) {
  const std::string beginning = "algorithm=MPIR_" + mpich_name(operation) + "_";
  std::vector<Way> ways;
  int value = 0;
  for (const std::string& word : words_of(words.description)) {
    std::string name;  // the longest that fits
    for (const std::string& leaf : words.leaves) {
      if (!leaf.starts_with(beginning)) continue;
      const std::string known = leaf.substr(leaf.find('_', beginning.size()) + 1);
      if (ends_in(word, known) && known.size() > name.size() &&
          leaf_for(operation, known, words.leaves))
        name = known;
    }
    if (!name.empty()) ways.push_back({.algorithm = value, .name = name});
    ++value;
  }
  return ways;
}

MpichTables mpich_rules(const MpichTables& tables, std::span<const OperationRules> rules,
                        const MpichScope& scope, std::span<const std::string> leaves) {
  Tree algorithms = Tree::parse(tables.algorithms);
  Tree device = tables.device.empty() ? Tree::object() : Tree::parse(tables.device);
  for (const OperationRules& one : rules) {
    if (one.leaves_all()) continue;
    add_rules(algorithms, one, scope, [&](const Way& way) {
      const auto leaf = leaf_for(one.operation, way.name, leaves);
      if (!leaf) throw Error(ErrorKind::internal, "MPICH has no algorithm " + way.name);
      return *leaf;
    });
    if (const auto whole = whole_leaf(one.operation, leaves); whole && !tables.device.empty())
      add_rules(device, one, scope, [&](const Way&) { return *whole; });
  }
  return {file_text(algorithms), tables.device.empty() ? "" : file_text(device)};
}

}  // namespace pat::tune
