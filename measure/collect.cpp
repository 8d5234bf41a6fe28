#include "measure/collect.hpp"

#include <climits>
#include <cstdio>

#include "measure/stop.hpp"

namespace pat::measure {

Hooks::Collected collect(const RankTimes& times, const std::optional<std::string>& wrong,
                         MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  constexpr int numbers = sizeof(RankTimes) / sizeof(double);
  Hooks::Collected collected;
  if (rank == 0) collected.ranks.resize(static_cast<std::size_t>(ranks));
  MPI_Gather(&times, numbers, MPI_DOUBLE, collected.ranks.data(), numbers, MPI_DOUBLE, 0, comm);
  int flags[2] = {wrong ? rank : INT_MAX, StopSignals::asked() ? 0 : 1};
  MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MIN, comm);
  collected.stop = flags[1] == 0;
  if (flags[0] != INT_MAX) {
    char sentence[256] = {};
    if (wrong) std::snprintf(sentence, sizeof sentence, "%s", wrong->c_str());
    MPI_Bcast(sentence, sizeof sentence, MPI_CHAR, flags[0], comm);
    collected.wrong = sentence;
  }
  return collected;
}

}  // namespace pat::measure
