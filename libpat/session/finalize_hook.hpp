#pragma once

namespace pat::detail {

/// Makes exit() stop the daemon of a session that was never closed, in the process that has it and
/// not in its children. Before the session begins.
void stop_at_exit();
/// Makes MPI_Finalize stop the daemon of a session that was never closed, after `on_forgotten`.
void hook_finalize(void (*on_forgotten)());
/// The session is closed.
void unhook_finalize();

}  // namespace pat::detail
