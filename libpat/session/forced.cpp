#include "libpat/session/forced.hpp"

#include <sstream>

#include "core/errors.hpp"
#include "libpat/agreement/choice.hpp"

namespace pat::detail {

const Algorithm* forced_algorithm(Operation operation, const std::string& name) {
  if (name == "auto") return nullptr;
  if (const Algorithm* algorithm = find_algorithm(operation, name)) return algorithm;
  throw Error(ErrorKind::argument, "there is no " + std::string(pat::name(operation)) +
                                       " algorithm named '" + name + "', choose one of auto, " +
                                       algorithm_names(operation));
}

void Forced::parse(const std::string& text) {
  std::istringstream pairs(text);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    const std::size_t equals = pair.find('=');
    const auto operation = find_operation(pair.substr(0, equals));
    if (equals == std::string::npos || !operation)
      throw Error(ErrorKind::config,
                  "'" + pair + "' is no pair operation=name such as gather=bsls, write these");
    set(*operation, forced_algorithm(*operation, pair.substr(equals + 1)));
  }
}

bool Forced::set(Operation operation, const Algorithm* algorithm) {
  return algorithms_[static_cast<std::size_t>(operation)].exchange(algorithm) != algorithm;
}

const Algorithm* Forced::algorithm_for(const CallSignature& signature, bool reproducible) const {
  const Algorithm* algorithm = algorithms_[static_cast<std::size_t>(signature.operation)];
  return algorithm != nullptr ? &fit_for(signature, *algorithm, reproducible) : nullptr;
}

}  // namespace pat::detail
