#pragma once

#include <mpi.h>

#include <string>

#include "apps/fft/results.hpp"

namespace pat::fft {

/// PAT's own report of the session: asked for when PAT starts, read after PAT_Finalize. Where the
/// user has asked for one through PAT_REPORT, that one is read and left; else a temporary file is.
class PatReport {
 public:
  /// Collective.
  explicit PatReport(MPI_Comm comm);
  /// Removes the temporary file.
  ~PatReport();
  PatReport(const PatReport&) = delete;
  PatReport& operator=(const PatReport&) = delete;

  /// What PAT_Init_comm must be told, the same on every process.
  const std::string& config() const { return config_; }
  /// Fills what PAT knows of the session. At the master.
  void read(Results& results) const;

 private:
  std::string path_;  // empty: the user's goes to standard error
  std::string config_;
  bool temporary_ = false;
};

}  // namespace pat::fft
