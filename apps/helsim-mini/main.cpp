// helsim-mini: a particle-in-cell simulation whose pictures are composited by a reduction.

#include <mpi.h>
#include <pat/pat.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <sstream>
#include <thread>
#include <utility>

#include "apps/helsim-mini/options.hpp"
#include "apps/helsim-mini/run.hpp"
#include "apps/helsim-mini/spawn.hpp"
#include "apps/helsim-mini/threads.hpp"
#include "core/errors.hpp"

namespace {

int exit_code(const pat::Error& error) {
  return error.kind() == pat::ErrorKind::io || error.kind() == pat::ErrorKind::internal ? 1 : 2;
}

void complain(const std::string& sentence) {
  std::cerr << "helsim-mini: " << sentence << "\n";
}

/// Ends all processes for an error that the others may not know of. Rank 0 speaks first, for an
/// error that all share.
int abandon(int rank, const std::string& sentence, int code) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) {
    complain(sentence);
    PAT_Finalize();
    MPI_Finalize();
    return code;
  }
  if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  complain(sentence);
  MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}

void start_pat(const helsim::Options& options) {
  const std::string config = options.predictor.empty() ? "" : "predictor=" + options.predictor;
  if (PAT_Init_comm(MPI_COMM_WORLD, config.c_str()) != MPI_SUCCESS)
    throw pat::Error(pat::ErrorKind::config, PAT_Error_string());
}

/// What needs other programs, after MPI: some networks do not survive a fork.
int finish(const helsim::Afterwards& afterwards) {
  int failures = 0;
  const std::string& directory = afterwards.directory;
  for (const std::string& script : afterwards.plots)
    if (helsim::run_program({"gnuplot", "-e", "cd '" + directory + "'", script}) != 0) {
      complain("gnuplot did not make a picture of " + directory + "/" + script);
      ++failures;
    }
  if (afterwards.film &&
      helsim::run_program({"ffmpeg", "-y", "-loglevel", "error", "-framerate", "10",
                           "-pattern_type", "glob", "-i", directory + "/frame-*.png", "-vf",
                           "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
                           directory + "/film.mp4"}) != 0) {
    complain("there is no film: is ffmpeg installed? The pictures are in " + directory);
    ++failures;
  }
  return failures;
}

/// What all processes find wrong together: rank 0 says so and all end in order.
int refuse(int rank, const pat::Error& error) {
  if (rank == 0) complain(error.what());
  MPI_Finalize();
  return exit_code(error);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

  helsim::Options options;
  std::ostringstream out, errors;
  const auto parsed = helsim::parse_options(argc, argv, options, out, errors);
  if (rank == 0) std::cout << out.str() << std::flush, std::cerr << errors.str() << std::flush;
  if (parsed != helsim::Parsed::run) {
    MPI_Finalize();
    return parsed == helsim::Parsed::done ? 0 : 2;
  }

  helsim::Prepared prepared;
  try {
    helsim::share_cores(MPI_COMM_WORLD);
    prepared = helsim::prepare(MPI_COMM_WORLD, options);
    start_pat(options);
  } catch (const pat::Error& error) {
    return refuse(rank, error);
  }

  helsim::Afterwards afterwards;
  try {
    afterwards = helsim::run(MPI_COMM_WORLD, options, std::move(prepared));
  } catch (const pat::Error& error) {
    return abandon(rank, error.what(), exit_code(error));
  } catch (const std::exception& error) {
    return abandon(rank, error.what(), 1);
  }
  PAT_Finalize();
  MPI_Finalize();
  return rank == 0 && finish(afterwards) > 0 ? 1 : 0;
}
