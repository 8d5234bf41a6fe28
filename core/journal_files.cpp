#include "core/journal_files.hpp"

#include <system_error>

namespace pat {
namespace {

bool is_journal(const std::string& file, const std::string& prefix) {
  return file.size() > prefix.size() && file.starts_with(prefix) &&
         file.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

}  // namespace

std::string journal_path(const std::string& base, int rank) {
  return base + ".rank" + std::to_string(rank);
}

std::vector<std::filesystem::path> journals_beside(const std::filesystem::path& base) {
  const std::filesystem::path folder = base.has_parent_path() ? base.parent_path() : ".";
  const std::string prefix = base.filename().string() + ".rank";
  std::vector<std::filesystem::path> found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (is_journal(entry.path().filename().string(), prefix)) found.push_back(entry.path());
  return found;
}

}  // namespace pat
