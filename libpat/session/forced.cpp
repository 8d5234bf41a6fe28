#include "libpat/session/forced.hpp"

#include <set>
#include <sstream>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "libpat/agreement/choice.hpp"

namespace pat::detail {

Forced::Forced() {
  for (const Operation operation : all_operations())
    if (row(operation).library_unasked)
      algorithms_[static_cast<std::size_t>(operation)] = find_algorithm(operation, "mpi");
}

void Forced::parse(const std::string& text) {
  std::istringstream pairs(text);
  std::set<Operation> named;
  for (std::string pair; std::getline(pairs, pair, ',');) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      set_everywhere(pair);
      continue;
    }
    const auto operation = find_operation(pair.substr(0, equals));
    if (!operation)
      throw Error(ErrorKind::config, "there is no operation '" + pair.substr(0, equals) +
                                         "', name one of " + operation_names());
    if (!named.insert(*operation).second)
      throw Error(ErrorKind::config, "there are two algorithms of " + pair.substr(0, equals) +
                                         " in '" + text + "', give one");
    set(*operation, algorithm_or_auto(*operation, pair.substr(equals + 1)));
  }
}

/// "mpi": nothing but watch. A name that only some operations have would leave the others open.
void Forced::set_everywhere(const std::string& name) {
  for (const Operation operation : all_operations()) {
    if (name != "auto" && find_algorithm(operation, name) == nullptr)
      throw Error(ErrorKind::config,
                  "'" + name +
                      "' is no algorithm of every operation, as mpi and auto are; "
                      "write operation=name such as gather=bsls");
    set(operation, algorithm_or_auto(operation, name));
  }
}

bool Forced::set(Operation operation, const Algorithm* algorithm) {
  const auto i = static_cast<std::size_t>(operation);
  const bool first = !asked_[i].exchange(true);
  return algorithms_[i].exchange(algorithm) != algorithm || first;
}

const Algorithm* Forced::algorithm_for(const CallSignature& signature) const {
  const Algorithm* algorithm = algorithms_[static_cast<std::size_t>(signature.operation)];
  return algorithm != nullptr ? &fit_for(signature, *algorithm) : nullptr;
}

}  // namespace pat::detail
