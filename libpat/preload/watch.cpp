#include "libpat/preload/watch.hpp"

#include "core/errors.hpp"
#include "libpat/api/error_handler.hpp"
#include "libpat/execution/library_run.hpp"
#include "libpat/mpi/check.hpp"
#include "libpat/mpi/last_error.hpp"
#include "libpat/operations/checks.hpp"
#include "libpat/operations/collective.hpp"
#include "libpat/preload/inject.hpp"
#include "libpat/session/session.hpp"

namespace pat::detail {
namespace {

bool would_refuse(const Arguments& arguments) {
  try {
    check_arguments(arguments, caller_in(arguments));
    return false;
  } catch (const Error&) {
    return true;
  } catch (const MpiFailure&) {
    return true;
  }
}

int call_unsettled(const Arguments& arguments) {
  if (would_refuse(arguments)) return library_calls(arguments).call(arguments);
  return with_error_handler(arguments.comm, [&] { return call(arguments); });
}

int call_by_pat(const Arguments& arguments) {
  Settled* now = settled(arguments);
  return now != nullptr ? call_settled(arguments, *now) : call_unsettled(arguments);
}

}  // namespace

int call_of_program(const Arguments& arguments, const void* caller) {
  if (!is_watching() || Phases::mine().inside) return library_calls(arguments).call(arguments);
  Phases& phases = Phases::mine();
  Phases::Place& here = phases.place(arguments.function, arguments.comm, caller);
  if (here.is_the_librarys) return library_calls(arguments).call(arguments);
  const Injection injection(arguments);
  Arguments seen = arguments;
  seen.site = caller;
  seen.site_number = here.number;
  if (!finds_phases()) return call_by_pat(seen);
  phases.arrive(here, now_ns());
  const int code = call_by_pat(seen);
  if (is_watching()) phases.leave(here, now_ns());
  return code;
}

}  // namespace pat::detail
