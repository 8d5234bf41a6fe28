#include "bench/simgrid/experiment.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <simgrid/s4u.hpp>

#include "bench/simgrid/background.hpp"
#include "bench/simgrid/payload.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/cost/bound.hpp"
#include "collectives/cost/simulate.hpp"
#include "collectives/operation_row.hpp"
#include "core/config.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "libpat/execution/dynamic_run.hpp"
#include "libpat/mpi/check.hpp"
#include "measure/delays.hpp"

// Exported by libsimgrid, but in none of its headers: chooses one algorithm of an operation by
// name.
namespace simgrid::smpi::colls {
void set_bcast(const std::string& name);
void set_reduce(const std::string& name);
}  // namespace simgrid::smpi::colls

namespace pat::simulated {
namespace {

using namespace detail;

namespace sg4 = ::simgrid::s4u;

constexpr double start_s = 100.0;  // when all begin to compute; what comes before is not measured
constexpr double base_s = 10e-3;   // computing besides the pattern's delay

const std::vector<std::string> libraries = {"ompi", "mpich", "mvapich2"};

/// SimGrid's MPI has no neighbourhood collectives.
bool is_simulated(const OperationRow& operation) {
  return operation.has_bytes() && !operation.among_neighbours();
}

/// STAR-MPI's algorithms of an operation that follow arrivals, and how one of them is chosen.
struct StarMpi {
  Operation operation;
  std::vector<std::string> algorithms;
  void (*choose)(const std::string& name);
};

const std::vector<StarMpi> star_mpi = {
    {Operation::reduce, {"arrival_pattern_aware"}, ::simgrid::smpi::colls::set_reduce},
    {Operation::bcast,
     {"arrival_pattern_aware", "arrival_pattern_aware_wait", "arrival_scatter"},
     ::simgrid::smpi::colls::set_bcast}};

const StarMpi* find_star_mpi(Operation operation) {
  for (const StarMpi& one : star_mpi)
    if (one.operation == operation) return &one;
  return nullptr;
}

std::optional<std::string> selector_of(const std::string& algorithm) {
  if (!algorithm.starts_with("mpi:")) return std::nullopt;
  return algorithm.substr(4);
}

bool is_library(const std::string& selector) {
  return std::find(libraries.begin(), libraries.end(), selector) != libraries.end();
}

/// What all processes see: they are actors of one program.
struct World {
  const Experiment& experiment;
  std::vector<double> delay_s;
  Problem problem;
  // One of them, or neither: MPI's own collective.
  std::shared_ptr<const Schedule> schedule = nullptr;
  const Algorithm* dynamic = nullptr;
  std::vector<double> exit_s = {};
  std::optional<std::string> wrong = std::nullopt;
};

double arrival_s(const World& world, int rank) {
  return start_s + base_s + world.delay_s[static_cast<std::size_t>(rank)];
}

void note_exit(World& world, int rank) {
  world.exit_s[static_cast<std::size_t>(rank)] = sg4::Engine::get_clock();
}

/// A communicator of its own: on the world SMPI cannot receive from any source. It is made in time.
MPI_Comm make_communicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  check(PMPI_Comm_dup(MPI_COMM_WORLD, &comm));
  if (sg4::Engine::get_clock() >= start_s)
    throw Error(ErrorKind::internal, "The communicator took too long to make.");
  return comm;
}

void run_schedule(World& world, int rank, Payload& payload) {
  MPI_Comm comm = make_communicator();
  sg4::this_actor::sleep_until(start_s);
  const std::shared_ptr<const Program> program(
      world.schedule, &world.schedule->programs[static_cast<std::size_t>(rank)]);
  constexpr CallTags tags{.first = 0, .announcement = 1 << 24};
  ScheduleRun execution(program, comm, tags, Config{}.scratch_bytes);
  const auto background = make_background(world.experiment.background);
  compute_until(arrival_s(world, rank), *background, execution);
  execution.join(payload.bind());
  execution.finish();
  check(execution.error());
  note_exit(world, rank);
}

/// As libpat does: the protocol in the caller, once it has come. The mailbox ends after the call.
void run_dynamic(World& world, int rank, Payload& payload) {
  MPI_Comm comm = make_communicator();
  const Problem& problem = world.problem;
  constexpr int first_tag = 1, letters_tag = 0;
  Mailbox mailbox(comm, letters_tag);
  sg4::this_actor::sleep_until(arrival_s(world, rank));
  DynamicRun run(world.dynamic->protocol(problem, rank), problem, rank, mailbox, {}, comm,
                 first_tag);
  run.join(payload.bind());
  run.finish(nullptr);
  check(run.error());
  note_exit(world, rank);
}

/// Where MPI's own collective runs. STAR-MPI's algorithms probe, and SMPI cannot probe on the
/// world; they leave messages behind when they carry a few bytes, as they would for making a
/// communicator, so they are chosen after that. The rules of mpich and mvapich2 work on the world
/// alone.
MPI_Comm communicator_for(Operation operation, const std::string& selector) {
  if (is_library(selector)) return MPI_COMM_WORLD;
  MPI_Comm comm = MPI_COMM_NULL;
  check(PMPI_Comm_dup(MPI_COMM_WORLD, &comm));
  check(PMPI_Barrier(comm));
  find_star_mpi(operation)->choose(selector);
  return comm;
}

/// The first call is not measured: libraries set up their communicators in it.
void run_mpi(World& world, int rank, Payload& payload) {
  const Experiment& experiment = world.experiment;
  MPI_Comm comm = communicator_for(experiment.operation, *selector_of(experiment.algorithm));
  payload.call_mpi(comm);
  payload.fill();
  if (sg4::Engine::get_clock() >= start_s)
    throw Error(ErrorKind::internal, "The first call took too long to simulate another.");
  sg4::this_actor::sleep_until(arrival_s(world, rank));
  payload.call_mpi(comm);
  note_exit(world, rank);
}

void process(World& world) {
  check(PMPI_Init(nullptr, nullptr));
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  const Experiment& experiment = world.experiment;
  MPI_Op op = make_timed_sum(experiment.machine.cost().gamma_s_per_byte);
  {
    Payload payload(experiment.operation, experiment.bytes, rank, experiment.machine.ranks, op);
    payload.fill();
    if (world.schedule)
      run_schedule(world, rank, payload);
    else if (world.dynamic != nullptr)
      run_dynamic(world, rank, payload);
    else
      run_mpi(world, rank, payload);
    if (auto wrong = payload.check()) world.wrong = wrong;
  }
  check(PMPI_Op_free(&op));
  check(PMPI_Finalize());
}

/// Whether processes tell each other in short messages what they did not expect.
bool has_letters(const World& world) {
  if (!world.schedule) return world.dynamic != nullptr;
  const auto& programs = world.schedule->programs;
  return std::any_of(programs.begin(), programs.end(),
                     [](const Program& program) { return program.announces_to >= 0; });
}

/// `library`: whose rules MPI's own collectives follow; empty: SMPI's.
void play(World& world, const std::string& library) {
  std::vector<std::string> settings;
  // A letter travels when it is sent, not only when its receiver asks for it. Only where there are
  // any: SMPI then looks for every message in two places, and large reductions take thrice as
  // long.
  if (has_letters(world)) settings.push_back("smpi/async-small-thresh:64");
  settings.insert(settings.end(), world.experiment.config.begin(), world.experiment.config.end());
  if (!library.empty()) settings.push_back("smpi/coll-selector:" + library);
  run_on(world.experiment.machine, settings, [&world](int) { process(world); });
}

/// With the shortest path's latency for alpha.
double bound_s(const World& world) {
  const Experiment& experiment = world.experiment;
  if (row(experiment.operation).bound == nullptr) return -1.0;
  CostModel model = cost_model(world.problem.cost);
  model.alpha_s = experiment.machine.shortest_path_s();
  const Algorithm* algorithm = find_algorithm(experiment.operation, experiment.algorithm);
  const bool early =
      algorithm != nullptr && algorithm->background && experiment.background != "none";
  return lower_bound_s(world.problem, {world.delay_s, {}, 0}, model,
                       early ? Reach::any : Reach::foreground);
}

}  // namespace

std::string simulated_operations(std::string_view last, std::string_view separator) {
  return operation_names_where(is_simulated, last, separator);
}

void require_simulated(Operation operation) {
  if (!is_simulated(row(operation)))
    throw Error(ErrorKind::argument, "The operation '" + std::string(name(operation)) +
                                         "' is not simulated; " + simulated_operations(" and ") +
                                         " are.");
}

std::vector<std::string> selectors(Operation operation) {
  std::vector<std::string> names = libraries;
  if (const StarMpi* star = find_star_mpi(operation))
    names.insert(names.end(), star->algorithms.begin(), star->algorithms.end());
  return names;
}

void validate(const Experiment& experiment) {
  const Operation operation = experiment.operation;
  Payload::problem(operation, experiment.bytes, experiment.machine.ranks);
  make_background(experiment.background);
  validate(experiment.knowledge);
  measure::make_delays(experiment.pattern, {.ranks = experiment.machine.ranks});
  const auto selector = selector_of(experiment.algorithm);
  const auto known = selectors(operation);
  if (selector && std::find(known.begin(), known.end(), *selector) != known.end()) return;
  const Algorithm* algorithm = find_algorithm(operation, experiment.algorithm);
  if (algorithm != nullptr && algorithm->build != nullptr) return;
  std::vector<std::string> names;
  for (const Algorithm& one : algorithms())
    if (one.operation == operation && one.build != nullptr) names.push_back(one.name);
  for (const std::string& one : known) names.push_back("mpi:" + one);
  throw Error(ErrorKind::argument, "There is no algorithm '" + experiment.algorithm + "' for " +
                                       std::string(name(operation)) + "; there are " +
                                       join(names, ", ") + ".");
}

Times run(const Experiment& experiment) {
  validate(experiment);
  const Machine& machine = experiment.machine;
  const auto background = make_background(experiment.background);
  const auto delays = measure::make_delays(
      experiment.pattern, {.ranks = machine.ranks, .root = 0, .seed = experiment.seed});
  World world{.experiment = experiment,
              .delay_s = delays->at(experiment.iteration),
              .problem = Payload::problem(experiment.operation, experiment.bytes, machine.ranks)};
  world.exit_s.resize(static_cast<std::size_t>(machine.ranks));
  world.problem.cost = machine.cost();
  world.problem.window = experiment.window;
  world.problem.pause_s = background->pause_s();

  Times times;
  times.bound_s = bound_s(world);
  std::string library;
  if (const auto chosen = selector_of(experiment.algorithm)) {
    if (is_library(*chosen)) library = *chosen;
  } else {
    const ArrivalPattern arrivals{world.delay_s, {}, 0};
    const Algorithm& algorithm = get_algorithm(experiment.operation, experiment.algorithm);
    const bool dynamic = algorithm.protocol != nullptr;  // its schedule is what it does by itself
    const bool known = dynamic || background->knows_arrivals();
    world.schedule = std::make_shared<const Schedule>(build_schedule(
        algorithm, world.problem,
        known ? arrivals : told(experiment.knowledge, *delays, experiment.iteration, base_s)));
    if (experiment.simulate &&
        (dynamic || algorithm.background == (experiment.background != "none"))) {
      CostModel model = cost_model(world.problem.cost);
      model.overlap = true;
      times.hockney_run_s = simulate(*world.schedule, arrivals, model).run_time_s();
    }
    if (dynamic && !background->knows_arrivals() && machine.ranks > 1) {  // alone as libpat
      world.dynamic = &algorithm;
      world.schedule = nullptr;
    }
  }
  play(world, library);
  if (world.wrong) throw Error(ErrorKind::internal, *world.wrong);

  const double first_s = *std::min_element(world.delay_s.begin(), world.delay_s.end());
  const double last_exit_s = *std::max_element(world.exit_s.begin(), world.exit_s.end());
  times.run_s = last_exit_s - (start_s + base_s + first_s);
  for (int rank = 0; rank < machine.ranks; ++rank)
    times.mean_elapsed_s +=
        (world.exit_s[static_cast<std::size_t>(rank)] - arrival_s(world, rank)) / machine.ranks;
  return times;
}

}  // namespace pat::simulated
