#pragma once

#include <mpi.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "libpat/session/snapshot.hpp"

namespace pat::detail {

/// The mistakes of one process, for its part of the report.
nlohmann::ordered_json describe(const std::vector<Mistake>& mistakes);

/// Mistakes of one kind in regions of one name, on all processes.
struct CommonMistake {
  std::string kind, region;
  std::string first;  ///< the sentence of the lowest of the ranks
  std::uint64_t times = 0;
  std::vector<int> ranks{};
};

/// From a list of processes, each with its rank and what describe() says of it.
std::vector<CommonMistake> common_mistakes(const nlohmann::ordered_json& processes);

/// Collective over `comm`: rank 0 warns of what others did wrong and it did not, which its own log
/// has not said. Throws MpiFailure.
void warn_of_mistakes(MPI_Comm comm, int rank, const std::vector<Mistake>& mistakes);

}  // namespace pat::detail
