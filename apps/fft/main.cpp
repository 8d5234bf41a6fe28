// pat-fft: the example of seed 001 Section 6, an FFT over MPI and OpenMP whose results are gathered
// in the order of the predicted arrivals.

#include <mpi.h>
#include <omp.h>
#include <pat/pat.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "apps/fft/agreement.hpp"
#include "apps/fft/blocks.hpp"
#include "apps/fft/comparison.hpp"
#include "apps/fft/options.hpp"
#include "apps/fft/pat_report.hpp"
#include "apps/fft/recording.hpp"
#include "apps/fft/reference.hpp"
#include "apps/fft/results.hpp"
#include "apps/fft/spectrogram.hpp"
#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/whole_file.hpp"

namespace pat::fft {
namespace {

constexpr int failure = 1;
constexpr int usage_error = 2;
constexpr double check_tolerance = 1e-5;
constexpr std::size_t default_iterations = 1000;
const std::vector<std::string> models = {"last", "sma:5", "edge"};

// What the master alone has: the data, and what is made of the spectra.
struct Master {
  std::unique_ptr<Blocks> source;
  std::size_t blocks = 0;
  std::optional<Spectrogram> spectrogram;
  std::unique_ptr<Reference> reference;
  double worst_error = 0.0;
};

std::size_t choose_blocks(const Options& options, std::size_t samples) {
  const std::size_t there = blocks_within(samples, options.size, options.hop());
  if (there == 0)
    throw Error(ErrorKind::argument, "the recording has " + std::to_string(samples) +
                                         " samples, fewer than a block of " +
                                         std::to_string(options.size) + ", give a smaller --size");
  const std::size_t wanted = options.iterations.value_or(there);
  if (wanted > there)
    throw Error(ErrorKind::argument, "--iterations is " + std::to_string(wanted) +
                                         ", but the recording has only " + std::to_string(there) +
                                         " blocks, raise --overlap or lower --iterations");
  return wanted;
}

void prepare_recording(Master& master, const Options& options) {
  Recording recording = read_recordings(options.inputs);
  master.blocks = choose_blocks(options, recording.samples.size());
  if (!options.spectrogram.empty()) {
    whole_file_place(options.spectrogram);  // one that cannot be written is refused before the work
    master.spectrogram.emplace(options.size, options.hop(), recording.rate_hz);
  }
  master.source = recorded_blocks(std::move(recording), options.size, options.hop());
}

void prepare(Master& master, const Options& options) {
  if (options.inputs.empty()) {
    master.blocks = options.iterations.value_or(default_iterations);
    master.source = random_blocks(options.seed);
  } else {
    prepare_recording(master, options);
  }
  if (options.check) master.reference = std::make_unique<Reference>(options.size);
}

int processes_on_node(MPI_Comm comm) {
  MPI_Comm node;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 1;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  return here;
}

// A process that is bound to some of the cores has these for itself; others share all of them.
int choose_threads(const Options& options, int sharing) {
  if (options.threads > 0) return options.threads;
  const int mine = omp_get_num_procs();
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  return mine < all ? mine : std::max(1, mine / sharing);
}

// The picture, the tables, and whether the spectra were right.
void deliver(const Options& options, Master& master, Results& results,
             const std::vector<Call>& calls) {
  results.blocks = master.blocks;
  results.gathered_bytes =
      Partition(options.size / 2, results.processes).gathered_points() * sizeof(Complex);
  results.rows = summarise(calls, options.algorithms);
  results.scores = score_models(calls, models);
  if (master.reference) results.worst_error = master.worst_error;
  if (master.spectrogram) master.spectrogram->write(options.spectrogram);
  if (options.json)
    print_json(std::cout, options, results);
  else
    print_tables(std::cout, options, results);
  std::cout << std::flush;
  if (!(master.worst_error <= check_tolerance))
    throw Error(ErrorKind::internal, "a spectrum is " + std::to_string(master.worst_error) +
                                         " from FFTW's, which is more than 1e-5");
}

ProgressStyle style_of(const Options& options) {
  if (!options.progress) return progress_style();
  return *options.progress ? ProgressStyle::bar : ProgressStyle::none;
}

std::vector<Call> work(MPI_Comm comm, const Options& options, int threads, std::size_t blocks,
                       Master& master, bool is_master) {
  ProgressBar bar("pat-fft", static_cast<long>(blocks),
                  is_master ? style_of(options) : ProgressStyle::none);
  std::size_t transforms = 0;
  const auto on_spectrum = [&](std::size_t index, std::span<const float> block,
                               std::span<const Complex> spectrum) {
    if (master.reference)
      master.worst_error =
          std::max(master.worst_error, master.reference->relative_error(block, spectrum));
    const bool last_of_block = ++transforms % options.algorithms.size() == 0;
    if (!last_of_block) return;
    if (master.spectrogram) master.spectrogram->add(spectrum);
    bar.update(static_cast<long>(index) + 1);
  };
  return compare_algorithms(comm, options, threads, blocks, master.source.get(), on_spectrum);
}

int run(MPI_Comm comm, int argc, char** argv) {
  Results results;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &results.processes);
  const bool is_master = rank == 0;

  Options options;
  if (!all_well(comm, sentence_of([&] { options = parse_options(argc, argv, results.processes); })))
    return usage_error;
  Master master;
  if (!all_well(comm, is_master ? sentence_of([&] { prepare(master, options); }) : ""))
    return usage_error;
  std::size_t blocks = master.blocks;
  MPI_Bcast(&blocks, sizeof blocks, MPI_BYTE, 0, comm);

  PatReport report(comm);
  const int started = PAT_Init_comm(comm, report.config().c_str());
  if (!all_well(comm, started == MPI_SUCCESS ? "" : PAT_Error_string())) return usage_error;
  results.processes_on_node = processes_on_node(comm);
  results.cores = static_cast<int>(std::thread::hardware_concurrency());
  results.threads = choose_threads(options, results.processes_on_node);
  if (is_master && !options.json && style_of(options) != ProgressStyle::bar)
    std::cerr << "pat-fft: " << blocks << " blocks of " << options.size << " points with "
              << options.algorithms.size() << " algorithms each, the table follows\n";
  const std::vector<Call> calls = work(comm, options, results.threads, blocks, master, is_master);
  if (PAT_Finalize() != MPI_SUCCESS) throw Error(ErrorKind::internal, PAT_Error_string());
  const auto at_the_end = [&] {
    report.read(results);
    deliver(options, master, results, calls);
  };
  return all_well(comm, is_master ? sentence_of(at_the_end) : "") ? 0 : failure;
}

}  // namespace
}  // namespace pat::fft

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int status = pat::fft::failure;
  try {
    const std::string complaint =
        pat::fft::sentence_of([&] { status = pat::fft::run(MPI_COMM_WORLD, argc, argv); });
    if (!complaint.empty()) {
      // The other processes may be waiting for this one, so all must end here.
      std::cerr << "pat-fft: " + complaint + "\n" << std::flush;
      MPI_Abort(MPI_COMM_WORLD, status);
    }
  } catch (const pat::fft::Information& information) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::cout << information.text << std::flush;
    status = 0;
  }
  MPI_Finalize();
  return status;
}
