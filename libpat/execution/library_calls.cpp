// The MPI library's own collectives by PAT's arguments, from the table of calls.

#include <array>

#include "libpat/execution/given.hpp"
#include "libpat/execution/library_run.hpp"

namespace pat::detail {
namespace {

#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from)      \
  int PAT_FORM(call_##name)([[maybe_unused]] const Arguments& a) {               \
    return PAT_FORM(PMPI_##Name)(PAT_THEN from a.comm);                          \
  }                                                                              \
  int PAT_FORM(start_##name)([[maybe_unused]] const Arguments& a, MPI_Comm comm, \
                             MPI_Request* request) {                             \
    return PAT_FORM(PMPI_I##name)(PAT_THEN from comm, request);                  \
  }

#include "libpat/execution/both_sizes.def"
#undef PAT_COLLECTIVE

struct Entry {
  Operation operation;
  Blocks blocks;
  bool large;
  LibraryCalls calls;
};

constexpr Entry entries[] = {
#define PAT_COLLECTIVE_WITHOUT_COUNTS(Name, name, operation, blocks, parameters, to, from) \
  {Operation::operation, Blocks::blocks, false, {call_##name, start_##name}},
#if MPI_VERSION >= 4
#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from)   \
  {Operation::operation, Blocks::blocks, false, {call_##name, start_##name}}, \
      {Operation::operation, Blocks::blocks, true, {call_##name##_c, start_##name##_c}},
#else
#define PAT_COLLECTIVE PAT_COLLECTIVE_WITHOUT_COUNTS
#endif
#include "libpat/execution/calls.def"
#undef PAT_COLLECTIVE
#undef PAT_COLLECTIVE_WITHOUT_COUNTS
};

}  // namespace

const LibraryCalls& library_calls(const Arguments& a) {
  static constexpr auto table = [] {
    std::array<std::array<std::array<LibraryCalls, 2>, 3>, operation_count> made{};
    for (const Entry& entry : entries)
      made[static_cast<std::size_t>(entry.operation)][static_cast<std::size_t>(entry.blocks)]
          [entry.large] = entry.calls;
    return made;
  }();
  return table[static_cast<std::size_t>(a.operation)][static_cast<std::size_t>(a.blocks)][a.large];
}

}  // namespace pat::detail
