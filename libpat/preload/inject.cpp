#include "libpat/preload/inject.hpp"

#include <spdlog/fmt/fmt.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "core/units.hpp"
#include "libpat/preload/lifetime.hpp"
#include "libpat/preload/phases.hpp"
#include "libpat/preload/say.hpp"
#include "libpat/session/session.hpp"
#include "measure/delays.hpp"

namespace pat::detail {
namespace {

/// From the agreement on a time to the first arrival: all must have heard of it.
constexpr std::int64_t margin_ns = 500'000;
/// A sleep seldom ends later than this: the timer's slack of 50 us and a processor that wakes up.
constexpr std::int64_t spin_ns = 300'000;

/// One call in one process, as it travels to rank 0.
struct Note {
  std::uint32_t communicator = 0;
  std::uint32_t number = 0;  ///< of the injected calls on it
  std::int64_t bytes = 0;
  std::int64_t asked_ns = 0, came_ns = 0;  ///< after the time that was agreed
  std::int64_t inside_ns = 0;
  char function[32] = {};
};

struct OnCommunicator {
  std::unique_ptr<measure::Delays> delays;  ///< null: the pattern does not fit it
  std::uint64_t calls = 0;
  std::uint32_t injected = 0;
};

struct Injector {
  std::string pattern, function;
  std::uint64_t seed = 1, every = 1;
  std::optional<std::int64_t> least, most;  ///< bytes
  std::mutex mutex;
  std::map<std::uint32_t, OnCommunicator> communicators;  ///< by twin
  std::vector<Note> notes;
  bool told = false;
};
Injector* injector = nullptr;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Throws Error(config) if the variable is set to something else than a number of `least` or more.
std::optional<std::int64_t> number(const char* name, std::int64_t least) {
  const std::string value = variable(name);
  if (value.empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < least)
    throw Error(ErrorKind::config, fmt::format("{} is '{}', set it to a whole number of {} or more",
                                               name, value, least));
  return number;
}

/// Throws Error(config) if the variable is set to something else than a size.
std::optional<std::int64_t> size(const char* name) {
  const std::string value = variable(name);
  if (value.empty()) return std::nullopt;
  const std::optional<std::size_t> bytes = parse_bytes(value);
  if (!bytes)
    throw Error(ErrorKind::config,
                fmt::format("{} is '{}', set it to bytes or such as 64k", name, value));
  return static_cast<std::int64_t>(*bytes);
}

/// Null: nothing is to be injected.
std::unique_ptr<Injector> read_settings() {
  auto read = std::make_unique<Injector>();
  read->pattern = variable("PAT_INJECT");
  if (read->pattern.empty()) return nullptr;
  read->function = variable("PAT_INJECT_FUNCTION");
  read->seed = static_cast<std::uint64_t>(number("PAT_INJECT_SEED", 0).value_or(1));
  read->every = static_cast<std::uint64_t>(number("PAT_INJECT_EVERY", 1).value_or(1));
  read->least = size("PAT_INJECT_LEAST");
  read->most = size("PAT_INJECT_MOST");
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  measure::make_delays(read->pattern,
                       {.ranks = ranks, .seed = read->seed});  // throws if it is none
  return read;
}

/// The lowest rank for which it is so; the number of processes if there is none. Collective.
int first_rank(bool so) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int first = so ? rank : ranks;
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return first;
}

/// Of a block, the same on all processes; -1: it need not be.
std::int64_t bytes_of(const Arguments& a) {
  if (a.varying()) return -1;
  int rank = 0;
  PMPI_Comm_rank(a.comm, &rank);
  const OperationRow& about = row(a.operation);
  if (!about.has_bytes()) return 0;
  const Significant here = significant(a, rank, false);
  const BufferArgument& buffer = about.combines || !here.send ? a.recv : a.send;
  int size = 0;
  if (PMPI_Type_size(buffer.type, &size) != MPI_SUCCESS) return -1;
  return static_cast<std::int64_t>(buffer.count) * size;
}

bool is_wanted(const char* function, std::int64_t bytes) {
  if (!injector->function.empty() && injector->function != function) return false;
  if (!injector->least && !injector->most) return true;
  return bytes >= 0 && bytes >= injector->least.value_or(0) &&
         bytes <= injector->most.value_or(bytes);
}

OnCommunicator& on(const Twin& twin) {
  const auto [place, fresh] = injector->communicators.try_emplace(twin.id());
  if (fresh) try {
      place->second.delays = measure::make_delays(
          injector->pattern, {.ranks = twin.size(),
                              .seed = injector->seed,
                              .operation = operation_of_function(injector->function)});
    } catch (const Error& error) {
      if (twin.rank() == 0 && !std::exchange(injector->told, true))
        say(fmt::format("a communicator of {} processes is left as it is: {}", twin.size(),
                        error.what()));
    }
  return place->second;
}

void pass_until(std::int64_t until_ns, const Regions& clock) {
  const std::int64_t left_ns = until_ns - clock.synchronised_now() - spin_ns;
  if (left_ns > 0) {
    const timespec nap{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    nanosleep(&nap, nullptr);
  }
  while (clock.synchronised_now() < until_ns) {
  }
}

// ---------------------------------------------------------------- what came of it

/// All that rank 0 gets.
std::vector<Note> gather_notes() {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = static_cast<int>(injector->notes.size() * sizeof(Note));
  std::vector<int> counts(static_cast<std::size_t>(ranks)), places(counts.size());
  PMPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::size_t total = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    places[r] = static_cast<int>(total);
    total += static_cast<std::size_t>(counts[r]);
  }
  std::vector<Note> all(rank == 0 ? total / sizeof(Note) : 0);
  PMPI_Gatherv(injector->notes.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(),
               MPI_BYTE, 0, MPI_COMM_WORLD);
  return all;
}

struct Row {
  std::vector<double> imbalance_us, off_us, inside_us;
};

void print(const std::vector<Note>& notes) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Note*>> calls;
  for (const Note& note : notes) calls[{note.communicator, note.number}].push_back(&note);
  std::map<std::tuple<std::string, std::size_t, std::int64_t>, Row> rows;
  for (const auto& [key, call] : calls) {
    Row& row = rows[{call.front()->function, call.size(), call.front()->bytes}];
    std::int64_t first = call.front()->came_ns, last = first, inside = 0;
    for (const Note* note : call) {
      first = std::min(first, note->came_ns);
      last = std::max(last, note->came_ns);
      inside += note->inside_ns;
      row.off_us.push_back(1e-3 * static_cast<double>(std::abs(note->came_ns - note->asked_ns)));
    }
    row.imbalance_us.push_back(1e-3 * static_cast<double>(last - first));
    row.inside_us.push_back(1e-3 * static_cast<double>(inside) / static_cast<double>(call.size()));
  }
  std::string before;
  fmt::print("\n# PAT inject, {}, seed {}\n", injector->pattern, injector->seed);
  for (const auto& [key, row] : rows) {
    const auto& [function, ranks, bytes] = key;
    const std::string head = fmt::format("# {} on {} processes", function, ranks);
    if (head != before)
      fmt::print("\n{}\n# {:<10}{:>19}{:>19}{:>19}{:>12}{:>13}{:>12}{:>18}{:>12}\n", head, "Size",
                 "Avg Imbalance(us)", "Min Imbalance(us)", "Max Imbalance(us)", "Off(us)",
                 "99% Off(us)", "Max Off(us)", "Avg Latency(us)", "Iterations");
    before = head;
    fmt::print("{:<12}{:>19.2f}{:>19.2f}{:>19.2f}{:>12.2f}{:>13.2f}{:>12.2f}{:>18.2f}{:>12}\n",
               bytes < 0 ? "-" : std::to_string(bytes), mean(row.imbalance_us),
               *std::min_element(row.imbalance_us.begin(), row.imbalance_us.end()),
               *std::max_element(row.imbalance_us.begin(), row.imbalance_us.end()),
               median(row.off_us), quantile(row.off_us, 0.99),
               *std::max_element(row.off_us.begin(), row.off_us.end()), mean(row.inside_us),
               row.imbalance_us.size());
  }
  std::fflush(stdout);
}

}  // namespace

void begin_injecting() {
  if (injector != nullptr) return;
  std::unique_ptr<Injector> wanted;
  std::string wrong;
  try {
    wanted = read_settings();
  } catch (const Error& error) {
    wrong = error.what();
  }
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == first_rank(!wrong.empty())) say(fmt::format("nothing is delayed: {}", wrong));
  if (first_rank(wanted == nullptr) == ranks) injector = wanted.release();
}

void end_injecting() {
  if (injector == nullptr) return;
  const std::vector<Note> all = gather_notes();
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && all.empty())
    say("nothing was delayed: no collective is as --function, --least, --most and --every say");
  if (rank == 0 && !all.empty()) print(all);
}

Injection::Injection(const Arguments& arguments) {
  if (injector != nullptr) come_late(arguments.function, arguments.comm, bytes_of(arguments));
}

void Injection::come_late(const char* function, MPI_Comm comm, std::int64_t bytes) {
  if (!is_watching() || comm == MPI_COMM_NULL || !is_wanted(function, bytes)) return;
  Session& session = *Session::instance();
  const Twin* twin = nullptr;
  try {
    twin = session.twin(comm, function);
  } catch (...) {  // the call itself will say so
  }
  if (twin == nullptr) return;
  Note note{.communicator = twin->id(), .bytes = bytes};
  {
    const std::lock_guard lock(injector->mutex);
    OnCommunicator& here = on(*twin);
    if (here.delays == nullptr || here.calls++ % injector->every != 0) return;
    note.number = here.injected++;
    note.asked_ns = static_cast<std::int64_t>(
        1e9 * here.delays->at(note.number)[static_cast<std::size_t>(twin->rank())]);
  }
  std::snprintf(note.function, sizeof note.function, "%s", function);
  std::int64_t agreed_ns = session.regions.synchronised_now();
  PMPI_Allreduce(MPI_IN_PLACE, &agreed_ns, 1, MPI_INT64_T, MPI_MAX, comm);
  agreed_ns += margin_ns;
  pass_until(agreed_ns + note.asked_ns, session.regions);
  arrived_ns_ = session.regions.synchronised_now();
  note.came_ns = arrived_ns_ - agreed_ns;
  const std::lock_guard lock(injector->mutex);
  place_ = injector->notes.size();
  injector->notes.push_back(note);
  injected_ = true;
}

Injection::~Injection() {
  if (!injected_ || Session::instance() == nullptr) return;
  const std::int64_t left_ns = Session::instance()->regions.synchronised_now();
  const std::lock_guard lock(injector->mutex);
  injector->notes[place_].inside_ns = left_ns - arrived_ns_;
}

}  // namespace pat::detail
