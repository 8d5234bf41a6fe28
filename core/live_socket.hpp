#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pat {

/// A socket on which a process of a running job (PAT_LIVE=1) says how it stands: in a folder that
/// its user alone can enter, named <job>.<rank>.<pid>.sock; or on which rank 0 says how processes
/// stand whose sockets are elsewhere, named <job>.others.<pid>.sock.
struct LiveSocket {
  static constexpr int others = -1;  ///< in place of a rank
  std::string path;
  std::string job;  ///< letters, digits, - and _
  int rank = 0;
  std::int64_t pid = 0;
};

/// Where processes that start now put theirs: pat/ in $XDG_RUNTIME_DIR, where that is a folder of
/// this user's, else /tmp/pat-<user id>.
std::string live_folder();

/// Makes the folder if there is none. Throws Error(io) if it is no folder, another user's, or open
/// to others: somebody may have put it there first.
void open_live_folder(const std::string& folder);

std::string live_socket_name(const std::string& job, int rank, std::int64_t pid);
/// Nothing for what is not named so.
std::optional<LiveSocket> parse_live_socket(const std::string& folder, const std::string& name);

/// The sockets of all jobs of this user on this machine, sorted by job and rank. Looks in both
/// places: a launcher's environment may differ from a login's. Throws as open_live_folder.
std::vector<LiveSocket> live_sockets();

/// What was answered on each of these sockets, all asked at once; empty: nothing within
/// `patience`, as of a process that is stopped. Nothing in place of a text: the process is gone,
/// and what it left is removed.
std::vector<std::optional<std::string>> ask_live(const std::vector<LiveSocket>& sockets,
                                                 std::chrono::milliseconds patience);

}  // namespace pat
