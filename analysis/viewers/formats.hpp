#pragma once

#include <ostream>
#include <string>

#include "analysis/viewers/view.hpp"

/// What write_view() chooses from. docs/viewers.md tells what is in each file.
namespace pat::viewers {

/// Perfetto's protobuf, TrackEvents: https://perfetto.dev/docs/reference/trace-packet-proto
void write_perfetto(const Trace& trace, const ViewOptions& options, std::ostream& out);
/// One line a rank and iteration.
void write_csv(const Trace& trace, const ViewOptions& options, std::ostream& out);
/// The JSON of DLB's TALP 3.5.
void write_talp(const Trace& trace, const ViewOptions& options, std::ostream& out);
/// An OTF2 archive: `path`, and beside it a file and a folder of the same name.
void write_otf2(const Trace& trace, const ViewOptions& options, const std::string& path);
/// Throws Error(config) where PAT was built without OTF2, Error(io) where it cannot be put.
void check_otf2(const std::string& path);

}  // namespace pat::viewers
