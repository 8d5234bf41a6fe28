#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "core/trace.hpp"
#include "tests/mpi/session.hpp"

namespace pat::test {

/// What a session in which `program` runs leaves in the file that `setting` names, at rank 0.
/// Collective.
inline std::stringstream written_to(const std::string& setting,
                                    const std::function<void()>& program) {
  std::string path = testing::TempDir() + "pat-session-" + std::to_string(getpid()) + ".json";
  int length = static_cast<int>(path.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  path.resize(static_cast<std::size_t>(length));
  MPI_Bcast(path.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(PAT_Init_comm(MPI_COMM_WORLD, ("min_bytes=0;" + setting + "=" + path).c_str()),
            MPI_SUCCESS)
      << PAT_Error_string();
  program();
  EXPECT_EQ(PAT_Finalize(), MPI_SUCCESS) << PAT_Error_string();
  std::stringstream text;
  if (rank() != 0) return text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text;
}

/// A session whose trace rank 0 reads: `program` runs in it. Collective.
inline Trace trace_of(const std::function<void()>& program) {
  std::stringstream text = written_to("trace", program);
  return rank() == 0 ? parse_trace(text, "the session's trace") : Trace();
}

}  // namespace pat::test
