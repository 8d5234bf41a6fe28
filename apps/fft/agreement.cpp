#include "apps/fft/agreement.hpp"

#include <exception>
#include <iostream>

namespace pat::fft {

std::string sentence_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    return "there is not enough memory, use a smaller --size";
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool all_well(MPI_Comm comm, const std::string& complaint) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = complaint.empty() ? size : rank;
  int speaker = size;
  MPI_Allreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, comm);
  if (speaker == rank) std::cerr << "pat-fft: " + complaint + "\n" << std::flush;
  return speaker == size;
}

}  // namespace pat::fft
