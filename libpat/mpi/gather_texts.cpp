#include "libpat/mpi/gather_texts.hpp"

#include <algorithm>
#include <cstdint>

#include "libpat/mpi/check.hpp"

namespace pat::detail {
namespace {

/// What one gather brings to rank 0 at most: MPI counts in int.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

/// Appends the next piece of each process's text.
void gather_pieces(MPI_Comm comm, std::size_t ranks, const std::string& mine, std::size_t done,
                   std::vector<std::string>& texts) {
  const std::size_t left = mine.size() - std::min(done, mine.size());
  const auto bytes = static_cast<int>(std::min(left, most_at_once / ranks));
  std::vector<int> lengths(ranks), offsets(ranks);
  check(PMPI_Gather(&bytes, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
  for (std::size_t r = 1; r < ranks; ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check(PMPI_Gatherv(mine.data() + mine.size() - left, bytes, MPI_CHAR, all.data(), lengths.data(),
                     offsets.data(), MPI_CHAR, 0, comm));
  for (std::size_t r = 0; r < texts.size(); ++r)
    texts[r].append(all, static_cast<std::size_t>(offsets[r]),
                    static_cast<std::size_t>(lengths[r]));
}

}  // namespace

std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& mine) {
  int rank = 0, size = 0;
  check(PMPI_Comm_rank(comm, &rank));
  check(PMPI_Comm_size(comm, &size));
  const auto ranks = static_cast<std::size_t>(size);
  std::uint64_t longest = mine.size();
  check(PMPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_UINT64_T, MPI_MAX, comm));
  std::vector<std::string> texts(rank == 0 ? ranks : 0);
  for (std::size_t done = 0; done < longest; done += most_at_once / ranks)
    gather_pieces(comm, ranks, mine, done, texts);
  return texts;
}

}  // namespace pat::detail
