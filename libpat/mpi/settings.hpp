#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace pat::detail {

/// Runs `check_settings` and throws Error(config) on every process of `comm` if it threw on any:
/// the sentence of the lowest such rank, the same everywhere, so that a program need not print it
/// on every process. Collective.
void agree_on_settings(MPI_Comm comm, const std::function<void()>& check_settings);

/// Runs `use`; what it throws of a setting's value comes again as Error(config), with the setting's
/// name before it.
void use_setting(const std::string& name, const std::string& value,
                 const std::function<void()>& use);

/// Whether `mine` holds on any process, and whether it does on all. Collective over `comm`.
bool on_any(MPI_Comm comm, bool mine);
bool on_all(MPI_Comm comm, bool mine);

}  // namespace pat::detail
