#pragma once

#include <string>

namespace pat::detail {

/// What a place that a program calls MPI from is called, the same on all processes: "gather at
/// solver.c:81" if that is wanted `for_people` and the program has debug information, else "gather
/// at solver+0x11a4", by file and offset.
std::string name_of_site(const char* function, const void* caller, bool for_people);

/// "solver.c:81 (main)", else "solver+0x11a4"; empty: not known.
std::string place_of_site(const void* caller);
/// Whether all of its function's code before it is of headers below /usr, such as a template of the
/// C++ library. False where that is not known. Thread-safe.
bool is_in_a_system_header(const void* caller);

}  // namespace pat::detail
