#pragma once

#include <string>
#include <string_view>

namespace pat::bench {

/// "gather,scatter,reduce" with `separator` = ",": the operations that have anything to compare the
/// library's own with.
std::string calibrated_operations(std::string_view separator);

/// The command line of `pat calibrate`, as typed.
struct CalibrateOptions {
  std::string messages = "64:4M";        ///< sizes of messages, a range doubles
  std::string sizes = "64k,256k,1M,4M";  ///< whole vectors of the collectives
  std::string operations = calibrated_operations(",");
  std::string output = "pat-calibration.json";
  int repetitions = 15;
  bool quiet = false;
};

/// `pat calibrate` from MPI_Init to MPI_Finalize: measures messages between rank 0 and another one,
/// the combining of data, and every algorithm that follows arrivals beside the library's own with
/// equal arrivals; writes a Calibration. Returns the exit code of the process.
int run_calibration(const CalibrateOptions& options);

}  // namespace pat::bench
