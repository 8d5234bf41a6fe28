#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pat::bench {

/// What the user asked for, as written on the command line.
struct Options {
  std::string operations = "gather";
  std::string algorithms = "mpi,auto";
  std::string sizes = "1MiB";
  bool per_rank = false;  ///< sizes are those of one rank's block
  std::string data_type = "float";
  std::string reduce_op = "sum";
  std::string root = "0";  ///< a rank, or "rotate"
  std::vector<std::string> patterns = {"none"};
  std::uint64_t seed = 1;
  std::string base = "100ms";     ///< of computing before and after the middle
  std::string compute = "sleep";  ///< or "busy"
  std::vector<double> edges = {0.5};
  std::string knowledge = "predicted";  ///< or "oracle", "wrong"
  std::string error = "0";              ///< the oracle is wrong by up to so much to either side
  std::string config;                   ///< for PAT_Init_comm
  std::string sync = "barrier";         ///< or "window"
  std::string window = "5ms";           ///< how far ahead a window opens
  bool learn_clock = false;
  bool plain = false;       ///< also measure mpi without telling PAT of its phases, as "plain"
  bool persistent = false;  ///< also measure the persistent form of PAT's algorithms
  int parts = 0;            ///< also measure it with data in so many parts; 0: do not
  std::string beside;       ///< sizes of calls that are made between those measured; empty: none
  int groups = 1;           ///< of the processes, each with a communicator, all at once
  int iterations = 20;
  int block = 1;  ///< iterations of an algorithm in a row before the next has its turn
  int warmup = 3;
  std::string lateness_limit = "5ms";
  bool absorption = false;
  std::string baseline = "mpi";
  double dilate = 1.0;

  std::string format;  ///< empty: by the ending of `output`
  std::string output;  ///< a file; empty: standard output
  std::string plot;    ///< a PNG file; empty: none
  bool diagnostics = false;
  bool samples = false;
  bool quiet = false;  ///< no progress bar
};

/// Runs the benchmark as one rank of an MPI job (or alone) from MPI_Init to MPI_Finalize; rank 0
/// writes the report. Returns the exit code: 0, 1 for a wrong result or a failure, 2 for a wrong
/// setting; the sentence has then been printed once.
int run_benchmark(const Options& options);

}  // namespace pat::bench
