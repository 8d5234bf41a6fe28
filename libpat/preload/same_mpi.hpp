#pragma once

namespace pat::detail {

/// Whether the program runs with an MPI library whose handles and constants are not those that this
/// library was compiled with. One process of the run says so then.
bool is_other_mpi();

}  // namespace pat::detail
