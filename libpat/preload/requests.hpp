#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "libpat/execution/arguments.hpp"

namespace pat::detail {

// Requests that the program holds of calls that PAT does. What the program gets is a real request
// of MPI: a receive of no bytes from this process itself, which PAT sends when its call has ended
// here. So it may stand in one array with requests of any kind, be converted for Fortran, and be
// waited for by whatever knows MPI. A generalized request would do for non-blocking calls, but none
// can be started again.
//
// PAT does such calls only where a background thread runs in every process: MPI promises that a
// call goes on while the program waits for anything else, a message for example, and without the
// thread PAT goes on in PAT's calls alone. It leaves to MPI, on all processes alike: calls on
// communicators that no plain collective has used yet, since a twin is made by all processes
// together and these calls may not wait; the program's own operators, which run in its threads; and
// what needs no decision, such as small calls.

/// Whether PAT does non-blocking calls with these arguments, which are right. All processes of the
/// communicator come to the same.
bool takes_request(const Arguments& arguments);
/// The same of persistent calls. Counts those of a communicator: MPI lets each process free a
/// request when it likes, and PAT's are freed by all together, so they are kept until the session
/// ends, and only the first ones are PAT's.
bool takes_persistent(const Arguments& arguments);

/// Begins the call; the request is over when the call is. Returns MPI's code.
int begin_request(const Arguments& arguments, MPI_Request* request);
/// Makes a request that can be started again and again. Collective.
int make_persistent(const Arguments& arguments, MPI_Request* request);

/// How many of them the program holds that may be under way.
inline std::atomic<int> requests_of_pat{0};

enum class Until : bool { now, over };
/// Ends those of PAT's among the requests whose calls are over; or waits until all are. Then MPI's
/// own function finds them complete. Returns the first error of a call.
int end_requests(int count, const MPI_Request requests[], Until until);
/// A thread waits for any of these from then on, in calls until the first of them ends: `since_ns`;
/// 0: no longer. (Who waits until all are over needs not say so.)
void note_wait(int count, const MPI_Request requests[], std::int64_t since_ns);
/// The persistent ones of PAT's among the requests are about to be started by MPI. Returns MPI's
/// code.
int start_requests(int count, const MPI_Request requests[]);
/// Whether the request is one of PAT's that has not ended.
bool is_under_way(MPI_Request request);
/// The program frees the request.
void free_request(MPI_Request request);

}  // namespace pat::detail
