#pragma once

namespace pat::detail {

class Session;

/// From here on what the process has recorded is kept aside in a file, which grows four times a
/// second, so that a run which is interrupted loses little: trace.txt.rank3 beside PAT_TRACE or
/// PAT_REPORT. On SIGINT, SIGTERM and SIGHUP, if the program leaves them alone, on exit() and
/// MPI_Finalize without PAT_Finalize, each process keeps aside all it has, and rank 0 makes trace
/// and report from what it finds. Nothing if the session records nothing.
void begin_spool(Session& session);

/// PAT_Finalize has written all: the file goes.
void end_spool();

/// The process ends while the session is still there. `others_too`: they all do, so that rank 0 may
/// wait for what they say.
void say_last_words(bool others_too);

}  // namespace pat::detail
