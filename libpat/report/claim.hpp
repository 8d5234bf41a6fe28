#pragma once

#include <string>

#include "core/config.hpp"

namespace pat::detail {

/// Where what processes record is kept aside: each in a file that begins so, beside PAT_TRACE or
/// PAT_REPORT. Empty: nowhere.
std::string journal_base(const Config& config);

/// Takes the files that begin so for this process's session, until release_claim() or the process's
/// end. False: a session that still runs, of this program or another one, has them. True also where
/// the file system cannot tell. By the session's rank 0; not thread-safe.
bool claim_journals(const std::string& base);
/// Whether the file was written since this process has begun, by the clock of the claimed files'
/// file system: by another session of the program, then.
bool is_of_this_run(const std::string& path);
/// Journals that an earlier run has left in the claimed place, which this one would write over, are
/// put aside; a sentence says where and how to join them. Empty: there are none, or they cannot be.
std::string put_older_journals_aside(const std::string& base);
/// Who has claimed the session's files: a process of this machine, or of another, of whose locks
/// nothing is known here.
void note_claimant(bool on_this_machine);
/// By another rank of the session: takes them over from a rank 0 that has died on this machine.
/// False: it lives, or has taken them away.
bool inherit_journals(const std::string& base);
/// Whether the file was written after what is claimed.
bool is_newer_than_claimed(const std::string& path);
void release_claim();
/// There will be no session: what was taken is as it was.
void give_up_claim();

}  // namespace pat::detail
