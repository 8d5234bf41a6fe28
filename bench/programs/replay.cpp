// Plays a recorded program: each process sleeps as long as it computed, then all make the
// collective that the trace names. Plain MPI: what stands before it (nothing, or `pat run --`) is
// what is compared.
//
//   mpirun -n 8 pat-replay bench/traces/hpcg.trace
//
// Operation, root and bytes are those of the trace's place or region ("bcast, root 0, 8 bytes"), or
// of its hints: `factors` is 1 at the root of a broadcast, `bytes` its size. Links of an emulated
// cluster that are slower by PAT_CLUSTER_DILATE have their computing stretched as well; times are
// divided again.

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/programs/monotonic.hpp"
#include "bench/programs/shared_memory_bus.hpp"
#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "measure/command_line.hpp"
#include "measure/dilation.hpp"
#include "measure/help.hpp"
#include "measure/run_program.hpp"

namespace {

using pat::bench::monotonic_s;
using pat::bench::sleep_until;

struct Options {
  std::string trace;
  std::string call;    ///< in place of those that the trace names
  int first = 0;       ///< iterations that are played; 0: all
  int repeat = 1;      ///< how often the whole trace is played
  double scale = 1.0;  ///< of computing times
  int slow_rank = -1;  ///< computes `slow` times longer; -1: the last one
  double slow = 1.0;
  std::size_t bytes = 0;   ///< in place of those of the trace; 0: as recorded
  double bus_share = 0.0;  ///< by which computing is slower for each other that computes
  std::string bus;         ///< the file in which these are counted
};

/// One iteration of the trace.
struct Step {
  std::string operation;
  int root = 0;
  std::size_t bytes = 0;  ///< of a block
  double computing_s = 0.0;
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw pat::Error(pat::ErrorKind::argument, sentence);
}

const pat::Trace::Hint* find_hint(const pat::Trace& trace, const std::string& name) {
  for (const pat::Trace::Hint& hint : trace.hints)
    if (hint.name == name) return &hint;
  return nullptr;
}

/// The call of a trace whose hints say who has what to tell.
Step hinted_call(const pat::Trace& trace, int iteration) {
  const pat::Trace::Hint &factors = *find_hint(trace, "factors"),
                         &bytes = *find_hint(trace, "bytes");
  const std::size_t first =
      static_cast<std::size_t>(iteration) * static_cast<std::size_t>(trace.ranks);
  Step step{"bcast", 0, static_cast<std::size_t>(bytes.value[first]), 0.0};
  for (int rank = 0; rank < trace.ranks; ++rank)
    if (factors.value[first + static_cast<std::size_t>(rank)] == 1.0) step.root = rank;
  return step;
}

const std::string& name_of_call(const pat::Trace& trace, int iteration) {
  if (trace.places.empty()) return trace.region;
  const int place = trace.place.at(static_cast<std::size_t>(iteration));
  return trace.places.at(static_cast<std::size_t>(place));
}

Step named_call(const std::string& text) {
  const auto call = pat::parse_call_name(text);
  if (!call)
    refuse("'" + text +
           "' is no call, give a trace whose places are such as 'allreduce, 8 bytes'," +
           " or --call");
  return {std::string(pat::name(call->operation)), call->root, call->block_bytes.value_or(0), 0.0};
}

/// What rank `rank` does, iteration by iteration.
std::vector<Step> steps_of(const pat::Trace& trace, const Options& options, int rank) {
  const bool hinted = options.call.empty() && find_hint(trace, "factors") != nullptr &&
                      find_hint(trace, "bytes") != nullptr;
  const int slow_rank = options.slow_rank < 0 ? trace.ranks - 1 : options.slow_rank;
  const double factor = options.scale * (rank == slow_rank ? options.slow : 1.0);
  std::vector<Step> steps;
  const int last =
      options.first > 0 ? std::min(options.first, trace.iterations()) : trace.iterations();
  for (int i = 0; i < last; ++i) {
    const std::string& named = options.call.empty() ? name_of_call(trace, i) : options.call;
    Step step = hinted ? hinted_call(trace, i) : named_call(named);
    if (options.bytes > 0 && step.bytes > 0) step.bytes = options.bytes;
    step.computing_s = factor * trace.computing(i, rank);
    steps.push_back(step);
  }
  return steps;
}

/// Memory for the largest call; blocks of all processes.
struct Buffers {
  std::vector<char> from, to;

  Buffers(const std::vector<Step>& steps, int ranks) {
    std::size_t most = sizeof(double);
    for (const Step& step : steps) most = std::max(most, step.bytes);
    from.assign(most * static_cast<std::size_t>(ranks), 1);
    to.assign(most * static_cast<std::size_t>(ranks), 0);
  }
};

/// What a call is made of.
struct Given {
  void *from, *to;
  int bytes, doubles, root;
};

/// How each is called, by plain MPI. Sums are of doubles, all else is bytes.
const std::map<std::string, void (*)(const Given&)>& calls() {
  static const std::map<std::string, void (*)(const Given&)> table = {
      {"bcast", [](const Given& g) { MPI_Bcast(g.to, g.bytes, MPI_BYTE, g.root, MPI_COMM_WORLD); }},
      {"reduce",
       [](const Given& g) {
         MPI_Reduce(g.from, g.to, g.doubles, MPI_DOUBLE, MPI_SUM, g.root, MPI_COMM_WORLD);
       }},
      {"allreduce",
       [](const Given& g) {
         MPI_Allreduce(g.from, g.to, g.doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
       }},
      {"alltoall",
       [](const Given& g) {
         MPI_Alltoall(g.from, g.bytes, MPI_BYTE, g.to, g.bytes, MPI_BYTE, MPI_COMM_WORLD);
       }},
      {"allgather",
       [](const Given& g) {
         MPI_Allgather(g.from, g.bytes, MPI_BYTE, g.to, g.bytes, MPI_BYTE, MPI_COMM_WORLD);
       }},
      {"gather",
       [](const Given& g) {
         MPI_Gather(g.from, g.bytes, MPI_BYTE, g.to, g.bytes, MPI_BYTE, g.root, MPI_COMM_WORLD);
       }},
      {"scatter",
       [](const Given& g) {
         MPI_Scatter(g.from, g.bytes, MPI_BYTE, g.to, g.bytes, MPI_BYTE, g.root, MPI_COMM_WORLD);
       }},
      {"barrier", [](const Given&) { MPI_Barrier(MPI_COMM_WORLD); }}};
  return table;
}

void make_call(const Step& step, Buffers& b) {
  const int bytes = static_cast<int>(step.bytes);
  calls().at(step.operation)({b.from.data(), b.to.data(), bytes, (bytes + 7) / 8, step.root});
}

void refuse_unknown_calls(const std::vector<Step>& steps) {
  for (const Step& step : steps)
    if (!calls().contains(step.operation))
      refuse("the trace has calls of " + step.operation + ", which are not played");
}

constexpr double tick_s = 1e-3;  // memory-bound: how often a process looks who else computes

struct Times {
  std::vector<double> step_s;  ///< from the end of the call before to the end of this one
  double in_calls_s = 0.0;
};

Times play(const std::vector<Step>& steps, int repeat, Buffers& buffers,
           pat::bench::SharedMemoryBus* bus) {
  const double dilate = pat::measure::cluster_dilation();
  Times times;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin_s = monotonic_s();
  for (int round = 0; round < repeat; ++round) {
    for (const Step& step : steps) {
      const double computing_s = dilate * step.computing_s;
      if (bus != nullptr)
        bus->compute(begin_s, computing_s, dilate * tick_s);
      else
        sleep_until(begin_s + computing_s);
      const double called_s = monotonic_s();
      make_call(step, buffers);
      const double end_s = monotonic_s();
      times.in_calls_s += (end_s - called_s) / dilate;
      times.step_s.push_back((end_s - begin_s) / dilate);
      begin_s = end_s;
    }
  }
  return times;
}

double sum(const std::vector<double>& values, std::size_t first) {
  double total = 0.0;
  for (std::size_t i = first; i < values.size(); ++i) total += values[i];
  return total;
}

/// The slowest process's time, of all steps and of the second half, when PAT has learnt.
void print(const Options& options, const std::vector<Step>& steps, const Times& times, int rank,
           int ranks) {
  double mine[3] = {sum(times.step_s, 0), sum(times.step_s, times.step_s.size() / 2),
                    times.in_calls_s};
  double all[3] = {};
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine + 2, all + 2, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  std::size_t largest = 0;
  for (const Step& step : steps) largest = std::max(largest, step.bytes);
  if (rank == 0)
    std::printf(
        "{\"trace\": \"%s\", \"processes\": %d, \"steps\": %zu, \"largest_bytes\": %zu, \"slow\": "
        "%g, "
        "\"total_s\": %.6f, \"second_half_s\": %.6f, \"in_calls_share\": %.4f}\n",
        options.trace.c_str(), ranks, times.step_s.size(), largest, options.slow, all[0], all[1],
        all[2] / (all[0] * ranks));
}

void run(const Options& options) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const pat::Trace trace = pat::read_trace(options.trace);
  if (trace.ranks != ranks)
    refuse("the trace is of " + std::to_string(trace.ranks) + " processes and there are " +
           std::to_string(ranks) + ", start as many");
  if (trace.iterations() == 0) refuse("the trace has no iterations, give one that has");
  if (options.slow_rank >= ranks)
    refuse("--slow-rank is no process, give one below " + std::to_string(ranks));
  const std::vector<Step> steps = steps_of(trace, options, rank);
  refuse_unknown_calls(steps);
  Buffers buffers(steps, ranks);
  std::optional<pat::bench::SharedMemoryBus> bus;
  if (options.bus_share > 0.0) bus.emplace(options.bus, options.bus_share, MPI_COMM_WORLD);
  print(options, steps, play(steps, options.repeat, buffers, bus ? &*bus : nullptr), rank, ranks);
}

/// What is wrong all processes find, and the first one says.
int run_on_all(const Options& options) {
  try {
    run(options);
    return 0;
  } catch (const pat::Error& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "pat-replay: %s\n", error.what());
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Plays a recorded program: sleeps as long as each process computed, and makes its "
      "collectives",
      "pat-replay");
  pat::measure::HelpFormatter::use(app);
  app.add_option("trace", options.trace, "A trace whose places or region name calls")->required();
  app.add_option("--call", options.call,
                 "A call in place of those of the trace, such as 'gather, root 0, 65536 bytes'");
  app.add_option("--first", options.first, "Play so many iterations of the trace alone")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--repeat", options.repeat, "How often the trace is played")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--scale", options.scale, "Computing takes so many times as long")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--slow", options.slow, "One process computes so many times longer")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--slow-rank", options.slow_rank, "Which one (the last)")
      ->check(CLI::Range(0, 1000000));
  pat::measure::takes_bytes(
      app.add_option("--bytes", options.bytes, "Size of blocks in place of the recorded one"));
  auto* bus = app.add_option("--bus", options.bus,
                             "A file in which processes count who computes (with --memory-bound)");
  app.add_option("--memory-bound", options.bus_share,
                 "Computing takes so much of its time longer for each other process that computes "
                 "meanwhile")
      ->check(CLI::Range(0.0, 100.0))
      ->needs(bus);
  return pat::measure::run_program(app, argc, argv, [&] {
    MPI_Init(&argc, &argv);
    const int code = run_on_all(options);
    MPI_Finalize();
    return code;
  });
}
