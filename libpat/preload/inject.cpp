#include "libpat/preload/inject.hpp"

#include <spdlog/fmt/fmt.h>
#include <time.h>

#include <algorithm>
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
#include <utility>
#include <vector>

#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/statistics.hpp"
#include "libpat/preload/inject_settings.hpp"
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
  InjectSettings settings;
  std::mutex mutex;
  std::map<std::uint32_t, OnCommunicator> communicators;  ///< by twin
  std::vector<Note> notes;
  bool told = false;
};
Injector* injector = nullptr;

/// Null: nothing is to be injected.
std::unique_ptr<Injector> read_settings() {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
  std::optional<InjectSettings> settings = read_inject_settings(variable, ranks);
  if (!settings) return nullptr;
  auto made = std::make_unique<Injector>();
  made->settings = std::move(*settings);
  return made;
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

OnCommunicator& on(const Twin& twin) {
  const auto [place, fresh] = injector->communicators.try_emplace(twin.id());
  if (fresh) try {
      place->second.delays = injector->settings.delays(twin.size());
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
  fmt::print("\n# PAT inject, {}, seed {}\n", injector->settings.pattern, injector->settings.seed);
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
  if (!is_watching() || comm == MPI_COMM_NULL || !injector->settings.want(function, bytes)) return;
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
    if (here.delays == nullptr || here.calls++ % injector->settings.every != 0) return;
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
