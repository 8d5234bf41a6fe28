#include "libpat/load_calibration.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/errors.hpp"
#include "libpat/broadcast_text.hpp"
#include "libpat/runtime.hpp"

namespace pat {
namespace {

std::string text_of_file(const std::string& path) {
  std::error_code ignored;
  std::string text;
  if (std::filesystem::is_regular_file(path, ignored)) {  // a device or a pipe may never end
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (text.empty())
    throw Error(ErrorKind::config, "PAT_CALIBRATION is '" + path +
                                       "', which cannot be read, make it with `pat calibrate -o`");
  return text;
}

}  // namespace

Calibration load_calibration(MPI_Comm comm, const Config& config) {
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

}  // namespace pat
