#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pat::tune {

/// What the user asked for, as written on the command line.
struct Options {
  std::string operations = "bcast,reduce,allreduce,allgather,gather,scatter";
  std::string sizes = "4k,32k,256k,2M";
  std::vector<std::string> patterns;  ///< empty: uniform:5ms, or those of the trace
  std::string trace;         ///< in place of patterns and, if its places name calls, of these
  std::string base = "5ms";  ///< of computing before each call, besides the delay
  std::string lateness_limit = "5ms";
  std::string output;  ///< empty: the MPI library's usual_file()
  std::uint64_t seed = 1;
  int iterations = 20;
  double most = 0.97;           ///< a rule is written at this ratio or below
  bool commutative = false;     ///< the program's operators all commute
  bool same_arguments = false;  ///< all processes give gathers and scatters the same arguments
  double dilate = 1.0;
  bool quiet = false;
};

/// Measures as one rank of an MPI job from MPI_Init to MPI_Finalize; rank 0 writes the rules.
/// Returns the exit code: 0, 1 for a failure, 2 for a wrong setting; the sentence has then been
/// printed once.
int run_tune(const Options& options);

}  // namespace pat::tune
