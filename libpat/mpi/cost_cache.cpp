// The cache of what was learnt: a calibration in the user's cache folder, one file for each set of
// machines and MPI library.

#include "libpat/mpi/cost_cache.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/environment.hpp"
#include "libpat/mpi/gather_texts.hpp"

namespace pat::detail {
namespace {

/// So much is kept; what was learnt longest ago goes first.
constexpr std::size_t most_kept = 4096;

/// "2 x node7, 2 x node8; Open MPI v4.1.4", at rank 0. Collective.
std::string circumstances(MPI_Comm comm) {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  check(PMPI_Get_processor_name(name, &length));
  std::map<std::string, int> machines;
  for (const std::string& one : gather_texts(comm, {name, static_cast<std::size_t>(length)}))
    ++machines[one];
  const std::string here = join(machines, ", ", [](const auto& one) {
    return std::to_string(one.second) + " x " + one.first;
  });
  return here + "; " + mpi_library();
}

/// Empty: the user has no place for it.
std::string cache_file(const std::string& circumstances) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr && cache[0] == '/')
    folder = cache;
  else if (home != nullptr && home[0] == '/')
    folder = std::filesystem::path(home) / ".cache";
  else
    return "";
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : circumstances) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (folder / "pat" / fmt::format("calibration-{:016x}.json", hash)).string();
}

/// One writer at a time; who does not get it within a second goes without.
class FileLock {
 public:
  explicit FileLock(const std::string& path)
      : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    for (int attempt = 0; file_ >= 0 && attempt < 100 && !held_; ++attempt) {
      held_ = flock(file_, LOCK_EX | LOCK_NB) == 0;
      if (!held_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~FileLock() {
    if (file_ >= 0) close(file_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

/// What is in the file, if it was made in these circumstances; empty if there is none or it is
/// broken.
Calibration read_cache(const std::string& path, const std::string& made_with) {
  const auto text = read_whole_file(path);
  if (!text) return {};
  try {
    Calibration kept = parse_calibration(*text);
    if (kept.made_with == made_with) return kept;
    spdlog::warn("the costs in '{}' are of other machines and are ignored, remove the file", path);
  } catch (const Error&) {
    spdlog::warn("the costs in '{}' cannot be read and are ignored, remove the file", path);
  }
  return {};
}

bool is_same_way(const Calibration::Learnt& a, const Calibration::Learnt& b) {
  return a.operation == b.operation && a.ranks == b.ranks && a.block_bytes == b.block_bytes &&
         a.algorithm == b.algorithm && a.window == b.window;
}

/// `kept` with what is newer; the newest last.
std::vector<Calibration::Learnt> merged(const std::vector<Calibration::Learnt>& kept,
                                        const std::vector<Calibration::Learnt>& newer) {
  std::vector<Calibration::Learnt> all;
  for (const Calibration::Learnt& one : kept)
    if (std::none_of(newer.begin(), newer.end(),
                     [&](const Calibration::Learnt& other) { return is_same_way(one, other); }))
      all.push_back(one);
  all.insert(all.end(), newer.begin(), newer.end());
  if (all.size() > most_kept)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most_kept));
  return all;
}

void write_cache(const std::string& path, Calibration costs) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  const FileLock lock(path + ".lock");
  if (!lock.held()) {
    spdlog::warn("the costs are not kept, as '{}.lock' cannot be locked", path);
    return;
  }
  costs.learnt = merged(read_cache(path, costs.made_with).learnt, costs.learnt);
  write_whole_file(path, to_json(costs));
}

}  // namespace

bool keeps_costs(const Config& config) {
  const Config none;
  return config.calibration == cache_setting && config.alpha_s == none.alpha_s &&
         config.beta_s_per_byte == none.beta_s_per_byte &&
         config.gamma_s_per_byte == none.gamma_s_per_byte;
}

Calibration load_cached_costs(MPI_Comm comm) {
  const std::string made_with = circumstances(comm);
  int rank = 0;
  check(PMPI_Comm_rank(comm, &rank));
  std::string text;
  if (rank == 0)
    if (const std::string path = cache_file(made_with); !path.empty())
      text = to_json(read_cache(path, made_with));
  broadcast_text(comm, text);
  return text.empty() ? Calibration{} : parse_calibration(text);
}

void keep_costs(MPI_Comm comm, const Calibration& calibration,
                std::vector<Calibration::Learnt> learnt) {
  Calibration mine;
  mine.learnt = std::move(learnt);
  const std::string made_with = circumstances(comm);
  const std::vector<std::string> texts = gather_texts(comm, to_json(mine));
  if (texts.empty()) return;
  Calibration costs;
  costs.messages = calibration.messages;
  costs.shared = calibration.shared;
  costs.made_with = made_with;
  for (const std::string& text : texts)
    costs.learnt = merged(costs.learnt, parse_calibration(text).learnt);
  const std::string path = cache_file(made_with);
  if (path.empty() || (costs.messages.empty() && costs.learnt.empty())) return;
  try {
    write_cache(path, std::move(costs));
  } catch (const std::exception& error) {
    spdlog::warn("the costs are not kept: {}", error.what());
  }
}

}  // namespace pat::detail
