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
#include "core/whole_file.hpp"
#include "libpat/session/runtime.hpp"
#include "tools/bench/collective.hpp"
#include "tools/bench/on_all_ranks.hpp"
#include "tools/bench/phase.hpp"
#include "tools/bench/units.hpp"

namespace pat::bench {
namespace {

constexpr int tag = 1;

struct Group {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0, ranks = 1;
};

/// Largest ratio of the 75 % to the 25 % quantile that a quiet machine has.
constexpr double quiet = 1.5;

bool is_noisy(const std::vector<double>& times_s) {
  return quantile(times_s, 0.75) > quiet * quantile(times_s, 0.25);
}

// ---- messages ----

/// One-way times in seconds between rank 0 and the last rank; none on the others.
std::vector<double> one_way_times_s(const Group& group, std::size_t bytes, int repetitions) {
  const int last = group.ranks - 1;
  std::vector<double> times_s;
  if (group.rank != 0 && group.rank != last) return times_s;
  std::vector<char> data(bytes);
  const int count = static_cast<int>(bytes), peer = group.rank == 0 ? last : 0;
  for (int i = -2; i < repetitions; ++i) {  // two to warm up
    const double start_s = MPI_Wtime();
    if (group.rank == 0) {
      MPI_Send(data.data(), count, MPI_CHAR, peer, tag, group.comm);
      MPI_Recv(data.data(), count, MPI_CHAR, peer, tag, group.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(data.data(), count, MPI_CHAR, peer, tag, group.comm, MPI_STATUS_IGNORE);
      MPI_Send(data.data(), count, MPI_CHAR, peer, tag, group.comm);
    }
    if (i >= 0) times_s.push_back((MPI_Wtime() - start_s) / 2);
  }
  return times_s;
}

/// Median seconds a byte that this process needs to add doubles.
double combining_s_per_byte(std::size_t bytes, int repetitions) {
  const int count = static_cast<int>(std::max<std::size_t>(1, bytes / sizeof(double)));
  std::vector<double> in(static_cast<std::size_t>(count), 1.0), inout(in);
  std::vector<double> times_s;
  const int inner = std::max(1, 65536 / count);
  for (int i = -1; i < repetitions; ++i) {
    const double start_s = MPI_Wtime();
    for (int k = 0; k < inner; ++k)
      MPI_Reduce_local(in.data(), inout.data(), count, MPI_DOUBLE, MPI_SUM);
    if (i >= 0) times_s.push_back((MPI_Wtime() - start_s) / inner);
  }
  return median(times_s) / (static_cast<double>(count) * sizeof(double));
}

/// Alpha and beta near size i: beta is the slope between the neighbours, alpha what is left.
LinkCost local_cost(const std::vector<std::size_t>& bytes, const std::vector<double>& time_s,
                    std::size_t i) {
  const std::size_t below = i == 0 ? 0 : i - 1, above = std::min(i + 1, bytes.size() - 1);
  LinkCost cost{time_s[i], 0.0, 0.0};
  if (above == below) return cost;
  const auto size = [&](std::size_t k) { return static_cast<double>(bytes[k]); };
  cost.beta_s_per_byte =
      std::max(0.0, (time_s[above] - time_s[below]) / (size(above) - size(below)));
  // A slope that noise made too steep.
  const double least_s = std::min(0.5 * time_s.front(), time_s[i]);
  cost.alpha_s = time_s[i] - size(i) * cost.beta_s_per_byte;
  if (cost.alpha_s < least_s) {
    cost.alpha_s = least_s;
    cost.beta_s_per_byte = (time_s[i] - least_s) / size(i);
  }
  return cost;
}

std::vector<Calibration::Message> measure_messages(const Group& group,
                                                   const std::vector<std::size_t>& bytes,
                                                   int repetitions, int& noisy,
                                                   const std::function<void()>& step) {
  std::vector<double> time_s;
  for (const std::size_t size : bytes) {
    const std::vector<double> times_s = one_way_times_s(group, size, repetitions);
    if (group.rank == 0) {
      time_s.push_back(median(times_s));
      noisy += is_noisy(times_s);
    }
    step();
  }
  MPI_Barrier(group.comm);
  std::vector<Calibration::Message> messages;
  if (group.rank != 0) return messages;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    LinkCost cost = local_cost(bytes, time_s, i);
    cost.gamma_s_per_byte = combining_s_per_byte(bytes[i], repetitions);
    messages.push_back({bytes[i], cost});
  }
  return messages;
}

// ---- eager messages ----

/// Whether a message of that size leaves its sender although nobody has asked for it yet; known at
/// rank 0, which sends it to a process that sleeps first.
bool leaves_unasked(const Group& group, std::size_t bytes) {
  constexpr std::chrono::milliseconds sleep(10);
  constexpr int trials = 3;
  std::vector<char> data(bytes);
  int at_once = 0;
  for (int i = 0; i < trials; ++i) {
    MPI_Barrier(group.comm);
    if (group.rank == group.ranks - 1) {
      std::this_thread::sleep_for(sleep);
      MPI_Recv(data.data(), static_cast<int>(bytes), MPI_CHAR, 0, tag, group.comm,
               MPI_STATUS_IGNORE);
    } else if (group.rank == 0) {
      const double start_s = MPI_Wtime();
      MPI_Send(data.data(), static_cast<int>(bytes), MPI_CHAR, group.ranks - 1, tag, group.comm);
      at_once += MPI_Wtime() - start_s < 0.5 * std::chrono::duration<double>(sleep).count();
    }
  }
  int eager = 2 * at_once > trials;
  MPI_Bcast(&eager, 1, MPI_INT, 0, group.comm);
  return eager != 0;
}

/// The largest message that does, to a sixteenth; 0 if none does.
std::size_t measure_eager_bytes(const Group& group) {
  constexpr std::size_t least = 64, most = std::size_t{1} << 22;
  if (group.ranks < 2 || !leaves_unasked(group, least)) return 0;
  std::size_t eager = least, not_eager = 2 * least;
  while (not_eager <= most && leaves_unasked(group, not_eager)) {
    eager = not_eager;
    not_eager *= 2;
  }
  while (not_eager <= most && not_eager - eager > eager / 16) {
    const std::size_t middle = (eager + not_eager) / 2;
    (leaves_unasked(group, middle) ? eager : not_eager) = middle;
  }
  return eager;
}

// ---- incast ----

/// One block of `data` goes from each process to rank 0: at once, or one after the other, each when
/// rank 0 says so. Seconds at rank 0.
double many_to_one_s(const Group& group, std::vector<char>& data, bool paced) {
  const int count = static_cast<int>(data.size()) / std::max(1, group.ranks - 1);
  std::vector<MPI_Request> requests;
  MPI_Barrier(group.comm);
  const double start_s = MPI_Wtime();
  if (group.rank != 0) {
    if (paced) MPI_Recv(nullptr, 0, MPI_CHAR, 0, tag, group.comm, MPI_STATUS_IGNORE);
    MPI_Send(data.data(), count, MPI_CHAR, 0, tag, group.comm);
    return 0.0;
  }
  for (int r = 1; r < group.ranks; ++r) {
    requests.emplace_back();
    MPI_Irecv(data.data() + static_cast<std::ptrdiff_t>(r - 1) * count, count, MPI_CHAR, r, tag,
              group.comm, &requests.back());
    if (!paced) continue;
    MPI_Send(nullptr, 0, MPI_CHAR, r, tag, group.comm);
    MPI_Wait(&requests.back(), MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return MPI_Wtime() - start_s;
}

/// All but the last of the transfers have another one that waits for the port. What they take
/// longer than one after the other, the go-aheads aside, is the stall.
Calibration::Incast measure_incast(const Group& group, std::size_t block, int repetitions) {
  const auto others = static_cast<std::size_t>(group.ranks - 1);
  std::vector<char> data(block * others);
  std::vector<double> longer_s;
  for (int i = -2; i < repetitions; ++i) {
    const double paced_s = many_to_one_s(group, data, true);
    const double at_once_s = many_to_one_s(group, data, false);
    if (i >= 0) longer_s.push_back(at_once_s - paced_s);
  }
  const std::vector<double> empty_s = one_way_times_s(group, 0, repetitions);
  const double go_ahead_s = empty_s.empty() ? 0.0 : 2.0 * median(empty_s);
  MPI_Barrier(group.comm);
  const double excess_s = median(longer_s) + static_cast<double>(others) * go_ahead_s;
  return {block, std::max(0.0, excess_s / static_cast<double>(others - 1))};
}

/// Nothing waits for a port with fewer than two senders.
std::vector<Calibration::Incast> measure_incasts(const Group& group,
                                                 const std::vector<std::size_t>& sizes,
                                                 int repetitions) {
  std::vector<Calibration::Incast> incast;
  if (group.ranks > 2)
    for (const std::size_t size : sizes)
      incast.push_back(measure_incast(
          group, std::max<std::size_t>(1, size / static_cast<std::size_t>(group.ranks)),
          repetitions));
  return incast;
}

// ---- collectives ----

/// One collective call on buffers of its own.
class OwnCall {
 public:
  OwnCall(const Group& group, const Problem& problem)
      : functions_(find_collective(std::string(name(problem.operation)))),
        send_(send_units(problem, group.rank) * problem.unit_bytes),
        recv_(recv_units(problem, group.rank) * problem.unit_bytes) {
    const bool is_root = group.rank == problem.root;
    call_ = {.send = send_.data(),
             .recv = receiving_argument(problem.operation, is_root, send_.data(), recv_.data()),
             .count = static_cast<int>(problem.units),
             .type = row(problem.operation).combines ? MPI_DOUBLE : MPI_CHAR,
             .op = MPI_SUM,
             .root = problem.root,
             .comm = group.comm};
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
    const std::lock_guard lock(Runtime::instance()->mutex);
    Runtime::instance()->forecast_filter = [](const Forecast&) { return Forecast{}; };
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

std::vector<Operation> operations_of(const std::string& text) {
  std::vector<Operation> operations;
  for (const std::string& word : split(text, ',')) {
    const auto operation = find_operation(word);
    if (!operation || !has_schedule(*operation))
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
        << " bytes leave before they are asked for\n";
  if (!calibration.incast.empty())
    out << "\n"
        << std::setw(12) << "block bytes" << std::setw(18) << "incast stall us"
        << "   (a block takes that much longer when others wait for the same port)\n";
  for (const Calibration::Incast& one : calibration.incast)
    out << std::setw(12) << one.bytes << std::setw(18) << 1e6 * one.stall_s << "\n";
  out << "\n"
      << std::setw(10) << "operation" << std::setw(14) << "block bytes" << std::setw(16)
      << "algorithm" << std::setw(14) << "run time ms"
      << "\n";
  for (const Calibration::Collective& one : calibration.collectives)
    out << std::setw(10) << name(one.operation) << std::setw(14) << one.block_bytes << std::setw(16)
        << one.algorithm << std::setw(14) << 1e3 * one.flat_s << "\n";
  out << "run time: all start together, until the last has ended\n";
}

/// From here on calls are planned with what has been measured, as those of programs will be.
void use(const Calibration& calibration) {
  const std::lock_guard lock(Runtime::instance()->mutex);
  Runtime::instance()->calibration = calibration;
}

void calibrate(const CalibrateOptions& options, const Wanted& wanted, const Group& group) {
  const long per_collective = options.repetitions + 3;
  const long steps =
      static_cast<long>(wanted.messages.size()) +
      (wanted.combines() ? count_rounds(wanted.messages) : 0) +
      per_collective * static_cast<long>(wanted.sizes.size() * wanted.operations.size());
  Calibration calibration;
  int noisy = 0;
  {
    ProgressBar bar("pat calibrate", steps, progress_style(group.rank == 0 && !options.quiet));
    long done = 0;
    const auto step = [&] { bar.update(++done); };
    calibration.messages =
        measure_messages(group, wanted.messages, options.repetitions, noisy, step);
    calibration.eager_bytes = measure_eager_bytes(group);
    if (wanted.many_to_one())
      calibration.incast = measure_incasts(group, wanted.sizes, options.repetitions);
    if (wanted.combines())
      calibration.rounds = measure_rounds(group, wanted.messages, options.repetitions, noisy, step);
    const OwnSession session(group, "segments=0");
    use(calibration);
    for (const Operation operation : wanted.operations)
      for (const std::size_t size : wanted.sizes)
        noisy += measure_collective(group, problem_of(operation, group.ranks, size),
                                    options.repetitions, calibration, step);
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
  return operation_names_where([](const OperationRow& one) { return has_schedule(one.operation); },
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
