#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/top/job.hpp"

namespace pat {

/// Which rank comes first.
enum class TopOrder { late, waits, rank };
inline constexpr const char* top_orders[] = {"late", "waits", "rank"};

/// The order in which the ranks of a job are shown.
void sort_ranks(JobView& view, TopOrder order);

/// A table, a line each, none longer than `width`: 80 columns suffice.
std::vector<std::string> lines_of(const JobView& view, std::size_t width);

/// The same as data: times in seconds, null where something is not known.
nlohmann::ordered_json json_of(const JobView& view);

/// What the columns say and which keys there are, a line each of at most 80 columns.
extern const std::vector<std::string> top_help;

}  // namespace pat
