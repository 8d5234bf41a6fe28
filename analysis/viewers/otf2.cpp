// OTF2: the archive that Score-P writes, for Vampir, Scalasca and otf2-print. One location a rank;
// phases are regions of the program, calls are regions of MPI with their collective events. What
// waits and what moves data in a call these tools find themselves.
// Source: OTF2 3.0, OTF2_Archive.h and its example of a writer.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/viewers/formats.hpp"
#include "analysis/viewers/otf2_archive.hpp"
#include "analysis/viewers/timeline.hpp"
#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat::viewers {
namespace {

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp no_flush_event(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}
constexpr OTF2_FlushCallbacks flushing = {flush, no_flush_event};

OTF2_TimeStamp ticks(double value_s) {
  return static_cast<OTF2_TimeStamp>(std::llround(1e9 * value_s));
}

/// Texts by number, as OTF2 wants them.
class Strings {
 public:
  OTF2_StringRef operator()(std::string_view text) {
    return known_.try_emplace(std::string(text), static_cast<OTF2_StringRef>(known_.size()))
        .first->second;
  }
  const std::map<std::string, OTF2_StringRef>& all() const { return known_; }

 private:
  std::map<std::string, OTF2_StringRef> known_;
};

class Otf2Writer {
 public:
  Otf2Writer(const Trace& trace, const std::string& path)
      : trace_(trace), path_(path), place_(path), ranks_(static_cast<std::size_t>(trace.ranks)) {}

  void write(const ViewOptions& options) {
    archive_ = OTF2_Archive_Open(place_.folder().c_str(), place_.name().c_str(),
                                 OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MIN,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr)
      throw Error(ErrorKind::io,
                  "the OTF2 archive '" + path_ + "' cannot be written: " + errors_.what());
    try {
      fill(options);
    } catch (...) {
      OTF2_Archive_Close(archive_);
      throw;
    }
    check(OTF2_Archive_Close(archive_));
    if (!errors_.what().empty()) check(OTF2_ERROR_INVALID);  // events that found no room
    place_.commit();
  }

 private:
  void check(OTF2_ErrorCode code) const { errors_.check(code, path_); }

  void fill(const ViewOptions& options) {
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flushing, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "PAT"));
    write_events(options);
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (std::size_t r = 0; r < ranks_; ++r)
      check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, r)));
    check(OTF2_Archive_CloseDefFiles(archive_));
    write_definitions();
  }

  void write_events(const ViewOptions& options) {
    check(OTF2_Archive_OpenEvtFiles(archive_));
    std::vector<OTF2_EvtWriter*> writers;
    for (std::size_t r = 0; r < ranks_; ++r)
      writers.push_back(OTF2_Archive_GetEvtWriter(archive_, r));
    OTF2_AttributeList* attributes = OTF2_AttributeList_New();
    for (Timeline timeline(trace_); timeline.next(); options.progress(timeline.iteration() + 1))
      for (std::size_t r = 0; r < ranks_; ++r)
        write_step(writers[r], timeline, timeline.steps()[r], attributes);
    OTF2_AttributeList_Delete(attributes);
    for (std::size_t r = 0; r < ranks_; ++r) {
      std::uint64_t events = 0;
      check(OTF2_EvtWriter_GetNumberOfEvents(writers[r], &events));
      events_.push_back(events);
      check(OTF2_Archive_CloseEvtWriter(archive_, writers[r]));
    }
    check(OTF2_Archive_CloseEvtFiles(archive_));
  }

  void write_step(OTF2_EvtWriter* out, const Timeline& timeline, const Step& step,
                  OTF2_AttributeList* attributes) {
    if (step.arrival_s > step.computing_s) {
      check(OTF2_EvtWriter_Enter(out, nullptr, ticks(step.computing_s), computing));
      check(OTF2_EvtWriter_Leave(out, nullptr, ticks(step.arrival_s), computing));
    }
    end_s_ = std::max(end_s_, step.left_s);
    const auto call = parse_call_name(timeline.place());
    if (!call && step.left_s == step.arrival_s) return;  // a phase that no call followed
    const OTF2_RegionRef region = region_of(timeline.place());
    if (!timeline.algorithm().empty())
      check(OTF2_AttributeList_AddStringRef(attributes, algorithm, strings_(timeline.algorithm())));
    const OTF2_TimeStamp arrival = ticks(step.arrival_s), left = ticks(step.left_s);
    check(OTF2_EvtWriter_Enter(out, attributes, arrival, region));
    check(OTF2_AttributeList_RemoveAllAttributes(attributes));
    if (call) {
      const std::uint64_t bytes = call->block_bytes.value_or(0);
      const bool rooted = row(call->operation).rooted;
      check(OTF2_EvtWriter_MpiCollectiveBegin(out, nullptr, arrival));
      check(OTF2_EvtWriter_MpiCollectiveEnd(
          out, nullptr, left, otf2_operation(call->operation), world,
          rooted ? static_cast<std::uint32_t>(call->root) : OTF2_UNDEFINED_UINT32, bytes, bytes));
    }
    check(OTF2_EvtWriter_Leave(out, nullptr, left, region));
  }

  OTF2_RegionRef region_of(const std::string& place) {
    return regions_.try_emplace(place, static_cast<OTF2_RegionRef>(regions_.size() + 1))
        .first->second;
  }

  void write_definitions() {
    OTF2_GlobalDefWriter* out = OTF2_Archive_GetGlobalDefWriter(archive_);
    const OTF2_StringRef none = strings_(""), machine = strings_("machine"),
                         world_name = strings_("MPI_COMM_WORLD"),
                         computing_name = strings_(computing_region),
                         attribute_name = strings_(algorithm_attribute);
    std::vector<std::uint64_t> members(ranks_);
    for (std::size_t r = 0; r < ranks_; ++r) {
      members[r] = r;
      strings_("rank " + std::to_string(r));
    }
    for (const auto& [place, region] : regions_) strings_(place);
    check(OTF2_GlobalDefWriter_WriteClockProperties(out, 1'000'000'000, 0, ticks(end_s_) + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    for (const auto& [text, number] : strings_.all())
      check(OTF2_GlobalDefWriter_WriteString(out, number, text.c_str()));
    check(OTF2_GlobalDefWriter_WriteAttribute(out, algorithm, attribute_name, none,
                                              OTF2_TYPE_STRING));
    check(OTF2_GlobalDefWriter_WriteRegion(out, computing, computing_name, computing_name, none,
                                           OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
                                           OTF2_REGION_FLAG_NONE, none, 0, 0));
    std::map<OTF2_RegionRef, std::string> by_number;  // as readers want them
    for (const auto& [place, region] : regions_) by_number[region] = place;
    for (const auto& [region, place] : by_number)
      check(OTF2_GlobalDefWriter_WriteRegion(out, region, strings_(place), strings_(place), none,
                                             OTF2_REGION_ROLE_COLL_OTHER, OTF2_PARADIGM_MPI,
                                             OTF2_REGION_FLAG_NONE, none, 0, 0));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, machine, machine,
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::size_t r = 0; r < ranks_; ++r) {
      const OTF2_StringRef name = strings_("rank " + std::to_string(r));
      const auto group = static_cast<OTF2_LocationGroupRef>(r);
      check(OTF2_GlobalDefWriter_WriteLocationGroup(
          out, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
      check(OTF2_GlobalDefWriter_WriteLocation(out, r, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                                               events_[r], group));
    }
    for (const auto& [self, type] :
         {std::pair{0U, OTF2_GROUP_TYPE_COMM_LOCATIONS}, std::pair{1U, OTF2_GROUP_TYPE_COMM_GROUP}})
      check(OTF2_GlobalDefWriter_WriteGroup(
          out, self, world_name, static_cast<OTF2_GroupType>(type), OTF2_PARADIGM_MPI,
          OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(ranks_), members.data()));
    check(OTF2_GlobalDefWriter_WriteComm(out, world, world_name, 1, OTF2_UNDEFINED_COMM,
                                         OTF2_COMM_FLAG_NONE));
    check(OTF2_Archive_CloseGlobalDefWriter(archive_, out));
  }

  static constexpr OTF2_RegionRef computing = 0;
  static constexpr OTF2_AttributeRef algorithm = 0;
  static constexpr OTF2_CommRef world = 0;

  const Trace& trace_;
  const std::string& path_;
  Otf2Errors errors_;
  Otf2Place place_;
  const std::size_t ranks_;
  OTF2_Archive* archive_ = nullptr;
  Strings strings_;
  std::map<std::string, OTF2_RegionRef> regions_;
  std::vector<std::uint64_t> events_;
  double end_s_ = 0.0;
};

}  // namespace

void check_otf2(const std::string& path) {
  static_cast<void>(Otf2Place(path));
}

void write_otf2(const Trace& trace, const ViewOptions& options, const std::string& path) {
  Otf2Writer(trace, path).write(options);
}

}  // namespace pat::viewers
