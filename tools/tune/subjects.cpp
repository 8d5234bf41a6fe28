#include "tools/tune/subjects.hpp"

#include <algorithm>
#include <utility>

#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"
#include "tools/tune/rules.hpp"

namespace pat::tune {

using namespace measure;

namespace {

constexpr const char* usual_pattern = "uniform:5ms";

std::size_t blocks_of(Operation operation, int ranks) {
  return row(operation).in_blocks() ? static_cast<std::size_t>(ranks) : 1;
}

/// The whole vector; a float in each block is the least.
std::size_t whole_bytes(Operation operation, std::size_t bytes, int ranks) {
  return std::max(bytes, sizeof(float) * blocks_of(operation, ranks));
}

std::vector<Arrivals> arrivals_by_pattern(const Options& options, int ranks) {
  std::vector<std::string> patterns = options.patterns;
  if (!options.trace.empty()) patterns = {"trace:" + options.trace};
  if (patterns.empty()) patterns = {usual_pattern};
  std::vector<Arrivals> all;
  for (const std::string& pattern : patterns)
    all.push_back({make_delays(pattern, {ranks, 0, options.seed})});
  return all;
}

/// Each operation with each size; once what moves no data.
std::vector<Subject> subjects_by_options(const Options& options, int ranks) {
  std::vector<Subject> all;
  for (const std::string& operation : split(options.operations, ',')) {
    const auto known = find_operation(ruled(operation).operation);
    for (const std::size_t bytes : parse_sizes(options.sizes)) {
      all.push_back(
          {operation, whole_bytes(*known, bytes, ranks), arrivals_by_pattern(options, ranks)});
      if (!row(*known).has_bytes()) break;
    }
  }
  return all;
}

/// The subject of these calls, made if there is none yet.
Subject& subject_for(std::vector<Subject>& all, const std::string& operation, std::size_t bytes) {
  for (Subject& one : all)
    if (one.operation == operation && one.bytes == bytes) return one;
  return all.emplace_back(Subject{operation, bytes, {}});
}

/// The calls that the places of the trace name; none if one of them names no call.
std::vector<Subject> subjects_of_places(const Trace& trace, int ranks) {
  std::vector<Subject> all;
  for (Trace& place : by_place(trace)) {
    const auto call = parse_call_name(place.region);
    if (!call || call->root >= ranks) return {};
    const std::string operation = ruled(std::string(name(call->operation))).operation;
    const std::size_t bytes = call->block_bytes.value_or(0) * blocks_of(call->operation, ranks);
    Subject& subject = subject_for(all, operation, whole_bytes(call->operation, bytes, ranks));
    subject.arrivals.push_back({trace_delays(std::move(place), ranks), call->root});
  }
  return all;
}

}  // namespace

std::vector<Subject> subjects_of(const Options& options, int ranks) {
  if (ranks < 2)
    throw Error(ErrorKind::argument,
                "a collective needs two processes, start it with mpirun -n P, P at least 2");
  if (!options.trace.empty())
    if (auto named = subjects_of_places(read_trace(options.trace), ranks); !named.empty())
      return named;
  return subjects_by_options(options, ranks);
}

}  // namespace pat::tune
