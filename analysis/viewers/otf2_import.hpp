#pragma once

#include <functional>
#include <string>

#include "core/journal.hpp"

namespace pat {

/// The collective calls of an OTF2 archive, of PAT's or another tracer's (Score-P, Extrae's
/// converter), one trace a group of processes, as journals come to. A process arrives when its call
/// begins; before that it computes, in files of PAT's what these say, in others since it left its
/// last collective. `progress` is told of events read, and of all. Throws Error(io) for what is no
/// archive or has no collective call, Error(config) where PAT was built without OTF2.
JoinedJournals import_otf2(const std::string& path,
                           const std::function<void(long, long)>& progress);

}  // namespace pat
