#include "libpat/report/gather.hpp"

#include "libpat/mpi/check.hpp"

namespace pat::detail {

std::vector<std::string> gather_texts(const Snapshot& now, const std::string& mine) {
  const MPI_Comm comm = now.comm;
  const auto ranks = static_cast<std::size_t>(now.size);
  int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks), offsets(ranks);
  check(PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm));
  for (std::size_t r = 1; r < ranks; ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check(PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(),
                     MPI_CHAR, 0, comm));
  std::vector<std::string> texts;
  if (now.rank == 0)
    for (std::size_t r = 0; r < ranks; ++r)
      texts.push_back(
          all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  return texts;
}

std::vector<double> gather_rows(const Snapshot& now, const std::vector<double>& mine) {
  const auto ranks = static_cast<std::size_t>(now.size), rows = mine.size();
  std::vector<double> all(now.rank == 0 ? rows * ranks : 0), by_row;
  const int count = static_cast<int>(rows);
  check(PMPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, now.comm));
  for (std::size_t i = 0; i < rows && !all.empty(); ++i)
    for (std::size_t r = 0; r < ranks; ++r) by_row.push_back(all[r * rows + i]);
  return by_row;
}

}  // namespace pat::detail
