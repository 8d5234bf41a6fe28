#include "apps/fft/pat_report.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/config.hpp"

namespace pat::fft {
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Made by rank 0, known to all.
std::string temporary_path(MPI_Comm comm) {
  std::array<char, 4096> path{};
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(ignored);
  const std::string mine = folder / ("pat-fft-" + std::to_string(getpid()) + ".json");
  mine.copy(path.data(), path.size() - 1);
  MPI_Bcast(path.data(), path.size(), MPI_CHAR, 0, comm);
  return path.data();
}

std::optional<DaemonUse> daemon_use(const nlohmann::json& report) {
  double wall_s = 0.0, all_s = 0.0, moving_s = 0.0;
  for (const auto& process : report.at("process")) {
    if (!process.at("daemon").get<bool>()) continue;
    wall_s += process.at("wall_s").get<double>();
    all_s += process.at("daemon_cpu_s").get<double>();
    moving_s += process.at("daemon_moving_cpu_s").get<double>();
  }
  if (!(wall_s > 0.0)) return std::nullopt;
  return DaemonUse{(all_s - moving_s) / wall_s, moving_s / wall_s};
}

}  // namespace

PatReport::PatReport(MPI_Comm comm) {
  const std::string asked = from_environment("PAT_REPORT");
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (asked.empty()) {
    path_ = temporary_path(comm);
    config_ = "report=" + path_;
    temporary_ = rank == 0;
  } else if (asked.ends_with(".json")) {
    path_ = asked;
  }
}

PatReport::~PatReport() {
  if (temporary_) unlink(path_.c_str());
}

void PatReport::read(Results& results) const {
  results.trace = from_environment("PAT_TRACE");
  if (path_.empty()) return;
  std::ifstream file(path_);
  const nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  if (report.is_object()) results.daemon = daemon_use(report);
}

}  // namespace pat::fft
