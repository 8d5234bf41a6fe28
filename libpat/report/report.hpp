#pragma once

#include <mpi.h>

#include <string>

#include "core/config.hpp"
#include "core/journal.hpp"

namespace pat::detail {

class Locked;
class Session;

/// Throws Error(config) if the trace or the report could not be written where the settings say.
void check_outputs(const Config& config);

/// Where another session of this run has written to the files that the configuration names, or a
/// session that still runs is about to, this one has files of its own: run.session2.trace. Rank 0
/// says so. Collective over `comm`.
void keep_to_own_files(MPI_Comm comm, Config& config);

/// Collective over the session: rank 0 writes the arrival trace to PAT_TRACE and the report to
/// PAT_REPORT, where these are set. The report says what was called, which algorithm and why,
/// imbalance, prediction errors, time waited. The log of rank 0 says which mistakes other ranks
/// made.
void write_trace_and_report(Session& session);

/// The same from journals that were kept aside, in one process. Throws Error(io).
void write_trace_and_report(const Config& config, const JoinedJournals& joined);

/// How the process stands now: the last line of its journal. Calls no MPI.
std::string summary_line(Locked&, Session& session);

}  // namespace pat::detail
