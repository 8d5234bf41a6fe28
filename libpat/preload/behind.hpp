#pragma once

namespace pat::detail {

/// Whether the caller of a function is this library itself: what PAT sends is no call of the
/// program's.
bool is_own(const void* caller);
/// Whether it is the MPI library, such as its file functions, which call collectives.
bool is_the_librarys(const void* caller);
/// The next function of that name behind this library; null: there is none.
void* next_function(const char* name);
/// Another tool's function of that name that stands between this library and MPI; null: none does.
void* tool_function(const char* mpi_name, const char* pmpi_name);

/// Where the calls of one MPI function go from here. MPI_X goes to the next tool if there is one,
/// which calls PMPI_X, and that comes here again: so PAT sees a program's call behind all tools,
/// and every tool sees every call, in whatever order they were loaded.
template <class Function>
struct Behind {
  Behind(const char* mpi_name, const char* pmpi_name)
      : tool(reinterpret_cast<Function>(tool_function(mpi_name, pmpi_name))),
        library(reinterpret_cast<Function>(next_function(pmpi_name))) {}

  const Function tool, library;
  Function first() const { return tool != nullptr ? tool : library; }
};

}  // namespace pat::detail
