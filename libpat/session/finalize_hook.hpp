#pragma once

namespace pat::detail {

/// Makes MPI_Finalize stop the daemon of a session that was never closed.
void hook_finalize();
/// The session is closed.
void unhook_finalize();

}  // namespace pat::detail
