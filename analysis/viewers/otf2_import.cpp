// The reader of OTF2 archives: events become journals, one a rank, and these are joined.

#include "analysis/viewers/otf2_import.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/viewers/otf2_archive.hpp"
#include "collectives/call_name.hpp"
#include "collectives/operation_row.hpp"
#include "core/errors.hpp"

namespace pat {
namespace {

using viewers::Otf2Errors;

/// What an archive defines, as far as calls need it.
struct Definitions {
  struct Group {
    OTF2_GroupType type;
    std::vector<std::uint64_t> members;
  };
  std::map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_RegionRef, OTF2_StringRef> regions;
  std::map<OTF2_AttributeRef, OTF2_StringRef> attributes;
  std::map<OTF2_GroupRef, Group> groups;
  std::map<OTF2_CommRef, OTF2_GroupRef> comms;
  std::vector<OTF2_LocationRef> locations;
  std::uint64_t resolution = 1'000'000'000, offset = 0, events = 0;

  const std::string& string(OTF2_StringRef ref) const {
    static const std::string none;
    const auto found = strings.find(ref);
    return found == strings.end() ? none : found->second;
  }
  const std::string& region(OTF2_RegionRef ref) const {
    const auto found = regions.find(ref);
    return string(found == regions.end() ? OTF2_UNDEFINED_STRING : found->second);
  }
  /// As in PAT's own files: who computes is in such a region.
  bool says_who_computes() const {
    return std::ranges::any_of(
        regions, [&](const auto& one) { return string(one.second) == viewers::computing_region; });
  }
  /// The locations that MPI's ranks are, in order.
  std::vector<std::uint64_t> world() const {
    for (const auto& [ref, group] : groups)
      if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS) return group.members;
    return {};
  }
  /// The ranks of a communicator; nothing for those of one process and unknown ones.
  const std::vector<std::uint64_t>* members(OTF2_CommRef comm) const {
    const auto known = comms.find(comm);
    if (known == comms.end()) return nullptr;
    const auto group = groups.find(known->second);
    const bool of_several = group != groups.end() &&
                            group->second.type == OTF2_GROUP_TYPE_COMM_GROUP &&
                            group->second.members.size() > 1;
    return of_several ? &group->second.members : nullptr;
  }
};

/// One rank on its way through its events.
struct Location {
  std::unique_ptr<Journal> journal;
  std::map<OTF2_CommRef, std::uint32_t> lines;
  std::vector<OTF2_RegionRef> inside;
  std::optional<std::int64_t> phase_ns;  ///< the program said when it began to compute
  std::int64_t computing_ns = 0, entered_ns = 0, left_ns = 0, arrival_ns = 0;
  bool began = false, in_call = false;
  std::string algorithm;
};

class Import {
 public:
  explicit Import(const std::string& path) : path_(path) {}
  ~Import() {
    if (reader_ != nullptr) OTF2_Reader_Close(reader_);
  }
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  JoinedJournals run(const std::function<void(long, long)>& progress) {
    reader_ = OTF2_Reader_Open(path_.c_str());
    if (reader_ == nullptr)
      throw Error(ErrorKind::io, "'" + path_ + "' is no OTF2 archive: " + errors_.what());
    check(OTF2_Reader_SetSerialCollectiveCallbacks(reader_));
    read_definitions();
    computing_is_said_ = known_.says_who_computes();
    begin_journals();
    read_events(progress);
    JournalJoin join(path_);
    for (auto& [ref, location] : locations_) {
      location.journal->write_down([](const auto& take) {
        take();
        return true;
      });
      join.add(location.journal->text() + journal_summary("{}"));
      location.journal.reset();
    }
    JoinedJournals joined = join.result();
    if (joined.traces.empty())
      throw Error(ErrorKind::io, "'" + path_ +
                                     "' has no blocking collective call of MPI that all processes "
                                     "of a communicator made");
    for (Trace& trace : joined.traces) trace.origin = "pat trace import " + path_;
    return joined;
  }

 private:
  void check(OTF2_ErrorCode code) const { errors_.check(code, path_); }
  static Import& self(void* data) { return *static_cast<Import*>(data); }

  // ---- definitions

  static OTF2_CallbackCode on_string(void* data, OTF2_StringRef ref, const char* text) {
    self(data).known_.strings[ref] = text;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_clock(void* data, std::uint64_t resolution, std::uint64_t offset,
                                    std::uint64_t, std::uint64_t) {
    if (resolution > 0) self(data).known_.resolution = resolution;
    self(data).known_.offset = offset;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_attribute(void* data, OTF2_AttributeRef ref, OTF2_StringRef name,
                                        OTF2_StringRef, OTF2_Type type) {
    if (type == OTF2_TYPE_STRING) self(data).known_.attributes[ref] = name;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_region(void* data, OTF2_RegionRef ref, OTF2_StringRef name,
                                     OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm,
                                     OTF2_RegionFlag, OTF2_StringRef, std::uint32_t,
                                     std::uint32_t) {
    self(data).known_.regions[ref] = name;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_location(void* data, OTF2_LocationRef ref, OTF2_StringRef,
                                       OTF2_LocationType, std::uint64_t events,
                                       OTF2_LocationGroupRef) {
    self(data).known_.locations.push_back(ref);
    self(data).known_.events += events;
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_group(void* data, OTF2_GroupRef ref, OTF2_StringRef,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag,
                                    std::uint32_t count, const std::uint64_t* members) {
    if (paradigm == OTF2_PARADIGM_MPI)
      self(data).known_.groups[ref] = {type, {members, members + count}};
    return OTF2_CALLBACK_SUCCESS;
  }
  static OTF2_CallbackCode on_comm(void* data, OTF2_CommRef ref, OTF2_StringRef,
                                   OTF2_GroupRef group, OTF2_CommRef, OTF2_CommFlag) {
    self(data).known_.comms[ref] = group;
    return OTF2_CALLBACK_SUCCESS;
  }

  void read_definitions() {
    OTF2_GlobalDefReader* reader = OTF2_Reader_GetGlobalDefReader(reader_);
    OTF2_GlobalDefReaderCallbacks* calls = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, on_string);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(calls, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, on_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, on_comm);
    const OTF2_ErrorCode registered =
        OTF2_Reader_RegisterGlobalDefCallbacks(reader_, reader, calls, this);
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    check(registered);
    std::uint64_t read = 0;
    check(OTF2_Reader_ReadAllGlobalDefinitions(reader_, reader, &read));
  }

  // ---- events

  void begin_journals() {
    const std::vector<std::uint64_t> world = known_.world();
    if (world.empty()) throw Error(ErrorKind::io, "'" + path_ + "' names no processes of MPI");
    const auto ranks = static_cast<int>(world.size());
    for (int rank = 0; rank < ranks; ++rank)
      locations_[world[static_cast<std::size_t>(rank)]].journal =
          std::make_unique<Journal>(Journal::Process{1, rank, ranks}, "that of the OTF2 archive");
  }

  void read_events(const std::function<void(long, long)>& progress) {
    for (const OTF2_LocationRef ref : known_.locations)
      check(OTF2_Reader_SelectLocation(reader_, ref));
    check(OTF2_Reader_OpenEvtFiles(reader_));
    // Mapping tables and clock offsets of each location; an archive may do without these files.
    const bool definitions = OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    for (const OTF2_LocationRef ref : known_.locations) {
      OTF2_DefReader* local = definitions ? OTF2_Reader_GetDefReader(reader_, ref) : nullptr;
      if (local != nullptr) {
        std::uint64_t read = 0;
        check(OTF2_Reader_ReadAllLocalDefinitions(reader_, local, &read));
        check(OTF2_Reader_CloseDefReader(reader_, local));
      }
      OTF2_Reader_GetEvtReader(reader_, ref);
    }
    if (definitions) check(OTF2_Reader_CloseDefFiles(reader_));
    OTF2_GlobalEvtReader* reader = OTF2_Reader_GetGlobalEvtReader(reader_);
    if (reader == nullptr)
      throw Error(ErrorKind::io, "the OTF2 archive '" + path_ + "': " + errors_.what());
    OTF2_GlobalEvtReaderCallbacks* calls = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(calls, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(calls, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(calls, on_begin);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(calls, on_end);
    const OTF2_ErrorCode registered =
        OTF2_Reader_RegisterGlobalEvtCallbacks(reader_, reader, calls, this);
    OTF2_GlobalEvtReaderCallbacks_Delete(calls);
    check(registered);
    constexpr std::uint64_t at_once = 100'000;
    for (std::uint64_t sum = 0, read = at_once; read == at_once;) {
      check(OTF2_Reader_ReadGlobalEvents(reader_, reader, at_once, &read));
      progress(static_cast<long>(sum += read), static_cast<long>(known_.events));
    }
    check(OTF2_Reader_CloseGlobalEvtReader(reader_, reader));
    if (beyond_)
      throw Error(ErrorKind::io, "'" + path_ +
                                     "' has times of more than 100 days from its beginning, its "
                                     "clock's properties are wrong");
  }

  /// After the beginning; 0 for what cannot be, which read_events() refuses.
  std::int64_t ns(OTF2_TimeStamp time) {
    constexpr long double longest_ns = 1e16L;
    const long double value =
        (static_cast<long double>(time) - static_cast<long double>(known_.offset)) * 1e9L /
        static_cast<long double>(known_.resolution);
    if (std::abs(value) <= longest_ns) return static_cast<std::int64_t>(value);
    beyond_ = true;
    return 0;
  }

  /// Null for threads and other locations that are no process's own.
  Location* at(OTF2_LocationRef ref, std::int64_t time_ns) {
    const auto found = locations_.find(ref);
    if (found == locations_.end()) return nullptr;
    Location& here = found->second;
    if (!std::exchange(here.began, true)) here.left_ns = time_ns;
    return &here;
  }

  static OTF2_CallbackCode on_enter(OTF2_LocationRef ref, OTF2_TimeStamp time, void* data,
                                    OTF2_AttributeList* attributes, OTF2_RegionRef region) {
    Import& all = self(data);
    Location* here = all.at(ref, all.ns(time));
    if (here == nullptr) return OTF2_CALLBACK_SUCCESS;
    here->inside.push_back(region);
    if (all.known_.region(region) == viewers::computing_region) {
      here->entered_ns = all.ns(time);
      if (!here->phase_ns) here->phase_ns = here->entered_ns;
    }
    for (const auto& [attribute, name] : all.known_.attributes) {
      OTF2_StringRef value = OTF2_UNDEFINED_STRING;
      if (all.known_.string(name) == viewers::algorithm_attribute &&
          OTF2_AttributeList_TestAttributeByID(attributes, attribute) &&
          OTF2_AttributeList_GetStringRef(attributes, attribute, &value) == OTF2_SUCCESS)
        here->algorithm = all.known_.string(value);
    }
    return OTF2_CALLBACK_SUCCESS;
  }

  static OTF2_CallbackCode on_leave(OTF2_LocationRef ref, OTF2_TimeStamp time, void* data,
                                    OTF2_AttributeList*, OTF2_RegionRef region) {
    Import& all = self(data);
    Location* here = all.at(ref, all.ns(time));
    if (here == nullptr) return OTF2_CALLBACK_SUCCESS;
    if (!here->inside.empty()) here->inside.pop_back();
    if (here->phase_ns && all.known_.region(region) == viewers::computing_region)
      here->computing_ns += all.ns(time) - here->entered_ns;
    return OTF2_CALLBACK_SUCCESS;
  }

  static OTF2_CallbackCode on_begin(OTF2_LocationRef ref, OTF2_TimeStamp time, void* data,
                                    OTF2_AttributeList*) {
    Import& all = self(data);
    Location* here = all.at(ref, all.ns(time));
    if (here == nullptr) return OTF2_CALLBACK_SUCCESS;
    here->arrival_ns = all.ns(time);
    here->in_call = true;
    return OTF2_CALLBACK_SUCCESS;
  }

  static OTF2_CallbackCode on_end(OTF2_LocationRef ref, OTF2_TimeStamp time, void* data,
                                  OTF2_AttributeList*, OTF2_CollectiveOp operation,
                                  OTF2_CommRef comm, std::uint32_t root, std::uint64_t,
                                  std::uint64_t) {
    Import& all = self(data);
    Location* here = all.at(ref, all.ns(time));
    if (here == nullptr || !std::exchange(here->in_call, false)) return OTF2_CALLBACK_SUCCESS;
    const std::int64_t left_ns = all.ns(time);
    if (const auto* members = all.known_.members(comm))
      all.add(*here, comm, *members, all.place(*here, operation, root), left_ns);
    here->left_ns = left_ns;
    here->phase_ns.reset();
    here->computing_ns = 0;
    here->algorithm.clear();
    return OTF2_CALLBACK_SUCCESS;
  }

  /// What was called: as PAT named it, or by operation and root (block sizes are not the same on
  /// all processes, as other tracers count them).
  std::string place(const Location& here, OTF2_CollectiveOp called, std::uint32_t root) const {
    const std::string region = here.inside.empty() ? "" : known_.region(here.inside.back());
    if (parse_call_name(region)) return region;
    const auto operation = viewers::pat_operation(called);
    if (!operation) return region.empty() ? "a collective" : region;
    const bool rooted = row(*operation).rooted && root != OTF2_UNDEFINED_UINT32;
    return text_of({*operation, rooted ? static_cast<int>(root) : 0, std::nullopt});
  }

  void add(Location& here, OTF2_CommRef comm, const std::vector<std::uint64_t>& members,
           const std::string& place, std::int64_t left_ns) {
    Journal& journal = *here.journal;
    const auto [line, fresh] = here.lines.try_emplace(comm, 0);
    if (fresh) {
      std::vector<int> ranks;
      for (const std::uint64_t member : members)
        ranks.push_back(member > 0xFFFFFF ? -1 : static_cast<int>(member));  // refused when joined
      line->second = journal.line("communicator " + std::to_string(comm), ranks, Journal::Of::all);
    }
    const std::int64_t start_ns = here.phase_ns.value_or(here.left_ns);
    const std::int64_t computing_ns =
        here.phase_ns || computing_is_said_ ? here.computing_ns : here.arrival_ns - here.left_ns;
    journal.add(line->second, journal.next(line->second), journal.place(place),
                {start_ns,
                 here.arrival_ns,
                 1e-9 * static_cast<double>(computing_ns),
                 {},
                 left_ns,
                 here.algorithm});
  }

  const std::string path_;
  Otf2Errors errors_;
  OTF2_Reader* reader_ = nullptr;
  Definitions known_;
  bool beyond_ = false;             ///< a time was
  bool computing_is_said_ = false;  ///< what is in no such region is no computing
  std::map<OTF2_LocationRef, Location> locations_;
};

}  // namespace

JoinedJournals import_otf2(const std::string& path,
                           const std::function<void(long, long)>& progress) {
  return Import(path).run(progress);
}

}  // namespace pat
