#include "tools/bench/calibrate.hpp"

#include <mpi.h>
#include <pat/pat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <thread>
#include <vector>

#include "collectives/cost/calibration.hpp"
#include "collectives/cost/reduce_bounds.hpp"
#include "collectives/cost/select.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/progress_bar.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/crowding.hpp"
#include "libpat/session/measurement.hpp"
#include "measure/must.hpp"
#include "tools/bench/collective.hpp"
#include "tools/bench/group.hpp"
#include "tools/bench/link_costs.hpp"
#include "tools/bench/on_all_ranks.hpp"

namespace pat::bench {

using namespace measure;

namespace {

// ---- collectives ----

/// One collective call on buffers of its own.
class OwnCall {
 public:
  OwnCall(const Group& group, const Problem& problem)
      : functions_(find_collective(std::string(name(problem.operation)))),
        send_(send_units(problem, group.rank) * problem.unit_bytes),
        recv_(recv_units(problem, group.rank) * problem.unit_bytes) {
    const bool is_root = group.rank == problem.root;
    recv_.reserve(1);  // MPICH asks for an address also where nothing is received
    call_ = make_call(problem.operation, send_.data(),
                      receiving_argument(problem.operation, is_root, send_.data(), recv_.data()),
                      static_cast<int>(problem.units),
                      row(problem.operation).combines ? MPI_DOUBLE : MPI_CHAR, MPI_SUM,
                      problem.root, group.comm);
  }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;

  void run(const std::string& algorithm) {
    if (algorithm == "mpi") return must(functions_.mpi(call_), "the library's call");
    const std::string operation(name(functions_.operation));
    must(PAT_UseAlgName(operation.c_str(), algorithm.c_str()), "PAT_UseAlgName");
    must(functions_.pat(call_), "PAT's call");
  }

 private:
  const CollectiveFunctions& functions_;
  std::vector<char> send_, recv_;
  Call call_{};
};

Problem problem_of(Operation operation, int ranks, std::size_t whole_bytes) {
  Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  const OperationRow& kind = row(operation);
  if (!kind.has_bytes()) return problem;
  problem.unit_bytes = kind.combines ? sizeof(double) : 1;
  const std::size_t block =
      kind.in_blocks() ? whole_bytes / static_cast<std::size_t>(ranks) : whole_bytes;
  problem.units = std::max<std::size_t>(1, block / problem.unit_bytes);
  return problem;
}

/// `mpi`, and what `auto` compares it with.
std::vector<std::string> compared(const Problem& problem) {
  std::vector<std::string> names = {"mpi"};
  for (const Candidate& candidate : candidates_for(problem))
    if (names.back() != candidate.algorithm->name) names.push_back(candidate.algorithm->name);
  return names;
}

/// From the common start to the last rank's end, seconds.
double time_call_s(const Group& group, OwnCall& call, const std::string& algorithm) {
  MPI_Barrier(group.comm);
  const double start_s = MPI_Wtime();
  call.run(algorithm);
  double time_s = MPI_Wtime() - start_s;
  MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, group.comm);
  return time_s;
}

/// Returns how many of the algorithms had times that differ too much.
int measure_collective(const Group& group, const Problem& problem, int repetitions,
                       Calibration& calibration, const std::function<void()>& step) {
  const std::vector<std::string> algorithms = compared(problem);
  std::vector<std::vector<double>> times_s(algorithms.size());
  OwnCall call(group, problem);
  for (int i = -3; i < repetitions; ++i) {  // the first call of a stream is static
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      const double time_s = time_call_s(group, call, algorithms[a]);
      if (i >= 0) times_s[a].push_back(time_s);
    }
    step();
  }
  for (std::size_t a = 0; a < algorithms.size(); ++a)
    calibration.collectives.push_back({problem.operation, algorithms[a], problem.ranks,
                                       problem.units * problem.unit_bytes, median(times_s[a])});
  return static_cast<int>(std::count_if(times_s.begin(), times_s.end(), is_noisy));
}

// ---- rounds ----

/// PAT from here to the end of the scope, on all ranks. All arrive together here: what the gaps
/// between the calls suggest does not matter. Throws as must().
class OwnSession {
 public:
  OwnSession(const Group& group, const std::string& config) {
    // What the user has set for his program is not meant for these calls.
    const std::string own = "calibration=;reproducible=0;trace=;report=;" + config;
    must(PAT_Init_comm(group.comm, own.c_str()), "PAT_Init");
    detail::filter_forecasts([](const Forecast&) { return Forecast{}; });
  }
  ~OwnSession() { PAT_Finalize(); }
  OwnSession(const OwnSession&) = delete;
  OwnSession& operator=(const OwnSession&) = delete;
};

/// So many segments, of that size and below, measure a round: enough for what only the first rounds
/// have (buffers that are empty, links that have rested), and no more than 8 MiB in all.
struct Rounds {
  int segments;
  std::size_t above, most_bytes;
};
constexpr Rounds rounds_measured[] = {{128, 0, 64 << 10}, {32, 64 << 10, 256 << 10}};

/// Programs compute between two collectives. TCP forgets meanwhile how much a connection may send
/// at once (after 0.2 s on Linux), which costs large messages a second wait.
constexpr std::chrono::milliseconds computing(300);

bool is_measured(const Rounds& rounds, std::size_t bytes) {
  return bytes > rounds.above && bytes <= rounds.most_bytes && bytes >= sizeof(double);
}

long count_rounds(const std::vector<std::size_t>& bytes) {
  return std::count_if(bytes.begin(), bytes.end(), [](std::size_t size) {
    return std::any_of(std::begin(rounds_measured), std::end(rounds_measured),
                       [&](const Rounds& rounds) { return is_measured(rounds, size); });
  });
}

/// The time of a Clairvoyant reduction over its rounds, for segments of each of the sizes: with all
/// links busy in both directions messages take longer than between two processes, and longer still
/// when the library asks the receiver before it sends.
std::vector<RoundLength> measure_rounds(const Group& group, const std::vector<std::size_t>& bytes,
                                        int repetitions, int& noisy,
                                        const std::function<void()>& step) {
  std::vector<RoundLength> lengths;
  for (const Rounds& rounds : rounds_measured) {
    const OwnSession session(group, "segments=" + std::to_string(rounds.segments));
    for (const std::size_t size : bytes) {
      if (!is_measured(rounds, size)) continue;
      const Problem problem = problem_of(Operation::reduce, group.ranks,
                                         size * static_cast<std::size_t>(rounds.segments));
      OwnCall call(group, problem);
      std::vector<double> times_s;
      for (int i = -3; i < (repetitions + 1) / 2; ++i) {
        std::this_thread::sleep_for(computing);
        const double time_s = time_call_s(group, call, "clairvoyant");
        if (i >= 0) times_s.push_back(time_s);
      }
      const std::vector<double> flat(static_cast<std::size_t>(group.ranks), 0.0);
      const auto count = check::reduce_round_bound(flat, rounds.segments, 1.0);
      noisy += is_noisy(times_s);
      lengths.push_back({size, median(times_s) / static_cast<double>(count)});
      step();
    }
  }
  return lengths;
}

// ---- the command ----

/// Whether `auto` has something to take in place of the library's own.
bool has_candidate(Operation operation) {
  return std::any_of(algorithms().begin(), algorithms().end(), [&](const Algorithm& one) {
    return one.operation == operation && !is_library(one) && !one.on_demand;
  });
}

std::vector<Operation> operations_of(const std::string& text) {
  std::vector<Operation> operations;
  for (const std::string& word : split(text, ',')) {
    const auto operation = find_operation(word);
    if (!operation || !has_candidate(*operation))
      throw Error(ErrorKind::argument, "'" + word + "' cannot be calibrated, choose from " +
                                           calibrated_operations(", ") + ".");
    operations.push_back(*operation);
  }
  return operations;
}

struct Wanted {
  std::vector<std::size_t> messages, sizes;
  std::vector<Operation> operations;

  bool combines() const {
    return std::any_of(operations.begin(), operations.end(),
                       [](Operation one) { return row(one).combines; });
  }
  bool many_to_one() const {
    return std::any_of(operations.begin(), operations.end(),
                       [](Operation one) { return row(one).many_to_one(); });
  }
  /// Each operation with each size; once what moves no data.
  std::vector<Problem> collectives(int ranks) const {
    std::vector<Problem> problems;
    for (const Operation operation : operations)
      for (const std::size_t size : sizes) {
        problems.push_back(problem_of(operation, ranks, size));
        if (!row(operation).has_bytes()) break;
      }
    return problems;
  }
};

Wanted check_options(const CalibrateOptions& options, const Group& group) {
  if (group.ranks < 2)
    throw Error(ErrorKind::argument,
                "a message needs two processes, start it with mpirun -n P, P at least 2.");
  if (group.rank == 0) whole_file_place(options.output);
  Wanted wanted{parse_sizes(options.messages), parse_sizes(options.sizes),
                operations_of(options.operations)};
  std::sort(wanted.messages.begin(), wanted.messages.end());
  wanted.messages.erase(std::unique(wanted.messages.begin(), wanted.messages.end()),
                        wanted.messages.end());
  const std::size_t largest =
      std::max(wanted.messages.back(), *std::max_element(wanted.sizes.begin(), wanted.sizes.end()));
  if (largest > (std::size_t{1} << 30))
    throw Error(ErrorKind::argument, "the largest size is more than 1 GiB, give smaller sizes.");
  return wanted;
}

void print(const Calibration& calibration, std::ostream& out) {
  out << std::setw(12) << "bytes" << std::setw(12) << "alpha us" << std::setw(14) << "beta ns/byte"
      << std::setw(16) << "gamma ns/byte" << (calibration.rounds.empty() ? "" : "    round us")
      << "\n";
  out << std::fixed << std::setprecision(3);
  for (const Calibration::Message& one : calibration.messages) {
    out << std::setw(12) << one.bytes << std::setw(12) << 1e6 * one.cost.alpha_s << std::setw(14)
        << 1e9 * one.cost.beta_s_per_byte << std::setw(16) << 1e9 * one.cost.gamma_s_per_byte;
    if (!calibration.rounds.empty())
      out << std::setw(12) << 1e6 * length_of_round_s(calibration.rounds, one.bytes);
    out << "\n";
  }
  out << "a message of n bytes takes alpha + n beta, combining them with others n gamma"
      << (calibration.rounds.empty() ? "" : "; round: of Clairvoyant, with\nsegments of this size")
      << "\n";
  if (calibration.eager_bytes > 0)
    out << "messages of up to " << calibration.eager_bytes
        << " bytes leave before their receiver has come\n";
  if (calibration.shared.any())
    out << "of the cores that the processes share a message takes "
        << 1e6 * calibration.shared.message_s << " us and a byte "
        << 1e9 * calibration.shared.s_per_byte << " ns\n";
  if (!calibration.incast.empty())
    out << "\n"
        << std::setw(12) << "block bytes" << std::setw(18) << "incast stall us"
        << "   (a block takes that much longer when others wait for the same port)\n";
  for (const Calibration::Incast& one : calibration.incast)
    out << std::setw(12) << one.bytes << std::setw(18) << 1e6 * one.stall_s << "\n";
  out << "\n"
      << std::setw(operation_width() + 1) << "operation" << std::setw(14) << "block bytes"
      << std::setw(20) << "algorithm" << std::setw(14) << "run time ms"
      << "\n";
  for (const Calibration::Collective& one : calibration.collectives)
    out << std::setw(operation_width() + 1) << name(one.operation) << std::setw(14)
        << one.block_bytes << std::setw(20) << one.algorithm << std::setw(14) << 1e3 * one.flat_s
        << "\n";
  out << "run time: all start together, until the last has ended\n";
}

/// Before the long work. Collective.
void warn_of_crowd(const Group& group) {
  const double crowd = detail::processes_per_core(group.comm);
  if (group.rank != 0 || crowd <= 1.0) return;
  std::cerr << "pat calibrate: " << group.ranks << " processes take turns on the cores ("
            << std::setprecision(2) << crowd
            << " a core), which is most of what is measured and takes many times as long; start no "
               "more of them than there are cores\n";
}

void calibrate(const CalibrateOptions& options, const Wanted& wanted, const Group& group) {
  warn_of_crowd(group);
  const long per_collective = options.repetitions + 3;
  const std::vector<Problem> problems = wanted.collectives(group.ranks);
  const long steps = static_cast<long>(wanted.messages.size()) +
                     (wanted.combines() ? count_rounds(wanted.messages) : 0) +
                     per_collective * static_cast<long>(problems.size());
  Calibration calibration;
  int noisy = 0;
  {
    ProgressBar bar("pat calibrate", steps, progress_style(group.rank == 0 && !options.quiet));
    long done = 0;
    const auto step = [&] { bar.update(++done); };
    calibration.messages =
        measure_messages(group, wanted.messages, options.repetitions, noisy, step);
    calibration.eager_bytes = measure_eager_bytes(group, calibration);
    calibration.shared = measure_shared(group, calibration);
    if (wanted.many_to_one())
      calibration.incast = measure_incasts(group, wanted.sizes, options.repetitions);
    if (wanted.combines())
      calibration.rounds = measure_rounds(group, wanted.messages, options.repetitions, noisy, step);
    const OwnSession session(group, "segments=0");
    detail::use_costs(calibration);
    for (const Problem& problem : problems)
      noisy += measure_collective(group, problem, options.repetitions, calibration, step);
  }
  if (group.rank != 0) return;
  write_whole_file(options.output, to_json(calibration));
  print(calibration, std::cout);
  const std::size_t all =
      calibration.messages.size() + calibration.rounds.size() + calibration.collectives.size();
  if (noisy > 0)
    std::cout << "\n"
              << noisy << " of " << all
              << " messages, rounds and collectives took times that differ by more than half among "
                 "the\nmiddle half of the measurements: the machine was not quiet, measure again, "
                 "with a larger -n or, where there are more processes than cores, fewer\n";
  std::cout << "\nwritten to " << options.output
            << "; use it with PAT_CALIBRATION=" << options.output << std::endl;
}

}  // namespace

std::string calibrated_operations(std::string_view separator) {
  return operation_names_where([](const OperationRow& one) { return has_candidate(one.operation); },
                               separator, separator);
}

int run_calibration(const CalibrateOptions& options) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  Group group;
  MPI_Comm_rank(group.comm, &group.rank);
  MPI_Comm_size(group.comm, &group.ranks);
  Wanted wanted;
  int code =
      on_all_ranks(group.comm, "pat calibrate", [&] { wanted = check_options(options, group); });
  // Bad settings of the environment are refused on all ranks alike.
  if (code == 0)
    code = on_all_ranks(group.comm, "pat calibrate",
                        [&] { const OwnSession session(group, "segments=0"); });
  if (code == 0)
    code = on_all_ranks(group.comm, "pat calibrate", [&] { calibrate(options, wanted, group); });
  MPI_Finalize();
  return code;
}

}  // namespace pat::bench
