#include "libpat/mpi/load_calibration.hpp"

#include <spdlog/spdlog.h>

#include <set>
#include <string>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/whole_file.hpp"
#include "libpat/mpi/broadcast_text.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/cost_cache.hpp"
#include "libpat/mpi/settings.hpp"

namespace pat::detail {
namespace {

std::string text_of_file(const std::string& path) {
  std::string text = read_whole_file(path).value_or("");
  if (text.empty())
    throw Error(ErrorKind::config, "PAT_CALIBRATION is '" + path +
                                       "', which cannot be read, make it with `pat calibrate -o`");
  return text;
}

}  // namespace

Calibration load_calibration(MPI_Comm comm, const Config& config) {
  if (config.calibration == cache_setting)
    return keeps_costs(config) ? load_cached_costs(comm) : Calibration{};
  int rank = 0;
  std::string text;
  check(PMPI_Comm_rank(comm, &rank));
  agree_on_settings(comm, [&] {
    if (rank == 0 && !config.calibration.empty()) text = text_of_file(config.calibration);
  });
  broadcast_text(comm, text);
  Calibration calibration;
  if (!text.empty())  // all have the same text: all go on, or none
    use_setting("PAT_CALIBRATION", config.calibration,
                [&] { calibration = parse_calibration(text); });
  return calibration;
}

void warn_of_other_ranks(const Calibration& calibration, const std::string& path, int ranks) {
  std::set<int> measured;
  for (const Calibration::Collective& one : calibration.collectives) measured.insert(one.ranks);
  if (ranks < 2 || measured.empty() || measured.count(ranks) > 0) return;
  spdlog::warn(
      "PAT_CALIBRATION is '{0}', made with {1} processes, and here are {2}: auto goes by its "
      "messages "
      "alone, `mpirun -n {2} pat calibrate -o FILE` measures the collectives as well",
      path, join(measured, ", ", [](int number) { return std::to_string(number); }), ranks);
}

}  // namespace pat::detail
