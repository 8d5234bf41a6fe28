#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/tune/rules.hpp"

namespace pat::tune {

/// By what MPICH chooses, as text in its own form (JSON): a tree of conditions for each operation,
/// with what is to be done at its leaves. A file replaces a table that is built into the library as
/// a whole. There are two: by the first the device hands a call to the algorithms, whole or in
/// parts (nodes apart); by the second these are chosen.
struct MpichTables {
  std::string algorithms;
  std::string device;  ///< empty: the device hands all on as it is
};

/// What MPICH knows, beyond its tables.
struct MpichWords {
  /// As its control variable tells: "auto - Internal selection... nb - Force...", one entry a
  /// value. Words may be glued to the line before.
  std::string description;
  /// What may stand in a file: "algorithm=MPIR_Bcast_intra_binomial", "composition=MPIDI_...".
  std::vector<std::string> leaves;
};

/// Communicators for which rules hold.
struct MpichScope {
  int ranks = 0;
  bool has_nodes = true;  ///< some processes share a node
};

/// The texts among these that are tables; empty ones if there are none.
MpichTables mpich_tables(std::span<const std::string> texts);
/// The value of an enumeration that its description calls so; -1 if there is none.
int mpich_value(const std::string& description, const std::string& name);
/// The algorithms of the operation that can be chosen both by the value of its control variable and
/// in a file.
std::vector<Way> mpich_ways(const std::string& operation, const MpichWords& words);

/// The tables with the rules in them; all else is left as it stands. Throws Error(argument) for
/// tables of another form.
MpichTables mpich_rules(const MpichTables& tables, std::span<const OperationRules> rules,
                        const MpichScope& scope, std::span<const std::string> leaves);

}  // namespace pat::tune
