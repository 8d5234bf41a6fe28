#pragma once

#include <mpi.h>

#include <string_view>

// PAT_MPI_ABI: built with the mpi.h of MPI's own ABI (MPI 5, Chapter 20) and not with that of one
// library, which may have the macro, too. Then one binary of PAT goes with every MPI library that
// has the ABI.
#if defined(MPI_ABI_VERSION) && !defined(OPEN_MPI) && !defined(MPICH_VERSION)
#define PAT_MPI_ABI MPI_ABI_VERSION
#endif

namespace pat::detail {

/// The interface that this PAT was built with: an MPI library by its name, as it begins what
/// MPI_Get_library_version says, or the ABI that many have.
#if defined(PAT_MPI_ABI)
inline constexpr std::string_view built_with = "MPI's ABI";
#elif defined(OPEN_MPI)
inline constexpr std::string_view built_with = "Open MPI";
#else
inline constexpr std::string_view built_with = "MPICH";
#endif

}  // namespace pat::detail
