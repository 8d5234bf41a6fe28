// OTF2 archives of other programs, as `pat trace import` takes them: well formed for their library,
// with any definitions and events.

#include "analysis/viewers/otf2_import.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "analysis/viewers/otf2_archive.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pat;
namespace fs = std::filesystem;

namespace {

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp no_flush_event(void*, OTF2_FileType, OTF2_LocationRef) {
  return 0;
}
constexpr OTF2_FlushCallbacks flushing = {flush, no_flush_event};
constexpr int names = 6;

/// What the library refuses is no archive, and no matter of the import's.
struct Refused {};

void check(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) throw Refused();
}

void write_events(OTF2_Archive* archive, std::uint64_t location, fuzz::Bytes& bytes) {
  OTF2_EvtWriter* out = OTF2_Archive_GetEvtWriter(archive, location);
  OTF2_AttributeList* attributes = OTF2_AttributeList_New();
  OTF2_TimeStamp now = bytes.number<std::uint16_t>();
  for (int left = bytes.upto(40); left > 0 && !bytes.empty(); --left) {
    now += bytes.upto(3) == 0 ? bytes.number<std::uint32_t>() : bytes.number<std::uint8_t>();
    const auto any = static_cast<std::uint32_t>(bytes.upto(names + 1));
    switch (bytes.upto(4)) {
      case 0:
        OTF2_AttributeList_AddStringRef(attributes, any % 2, any);
        OTF2_EvtWriter_Enter(out, attributes, now, any);
        OTF2_AttributeList_RemoveAllAttributes(attributes);
        break;
      case 1:
        OTF2_EvtWriter_Leave(out, nullptr, now, any);
        break;
      case 2:
        OTF2_EvtWriter_MpiCollectiveBegin(out, nullptr, now);
        break;
      default: {
        const auto operation = static_cast<OTF2_CollectiveOp>(bytes.upto(20));
        const std::uint32_t root = bytes.upto(1) == 0 ? OTF2_UNDEFINED_UINT32 : any;
        const auto sent = bytes.number<std::uint16_t>();
        OTF2_EvtWriter_MpiCollectiveEnd(out, nullptr, now, operation, any % 3, root, sent, 8);
      }
    }
  }
  OTF2_AttributeList_Delete(attributes);
  check(OTF2_Archive_CloseEvtWriter(archive, out));
}

void write_group(OTF2_GlobalDefWriter* out, OTF2_GroupRef self, OTF2_GroupType type,
                 fuzz::Bytes& bytes) {
  std::vector<std::uint64_t> members(static_cast<std::size_t>(bytes.upto(4)));
  for (std::uint64_t& member : members)
    member = bytes.upto(9) == 0 ? bytes.number<std::uint64_t>()
                                : static_cast<std::uint64_t>(bytes.upto(3));
  check(OTF2_GlobalDefWriter_WriteGroup(out, self, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                        static_cast<std::uint32_t>(members.size()),
                                        members.data()));
}

void write_definitions(OTF2_Archive* archive, int locations, fuzz::Bytes& bytes) {
  OTF2_GlobalDefWriter* out = OTF2_Archive_GetGlobalDefWriter(archive);
  check(OTF2_GlobalDefWriter_WriteClockProperties(out, 1 + bytes.number<std::uint32_t>(),
                                                  bytes.number<std::uint32_t>(), ~0ULL >> 1,
                                                  OTF2_UNDEFINED_TIMESTAMP));
  const std::string texts[names] = {"",
                                    "computing",
                                    "PAT algorithm",
                                    "gather, root 1, 8 bytes",
                                    "MPI_Allreduce",
                                    bytes.string(12).c_str()};
  for (std::uint32_t i = 0; i < names; ++i)
    check(OTF2_GlobalDefWriter_WriteString(out, i, texts[i].c_str()));
  for (std::uint32_t i = 0; i < 2; ++i)
    check(OTF2_GlobalDefWriter_WriteAttribute(out, i, 2 - i, 0, OTF2_TYPE_STRING));
  for (std::uint32_t i = 0; i < names; ++i)
    check(OTF2_GlobalDefWriter_WriteRegion(out, i, i, i, 0, OTF2_REGION_ROLE_CODE,
                                           OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0));
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  check(OTF2_GlobalDefWriter_WriteLocationGroup(out, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP));
  for (int i = 0; i < locations; ++i)
    check(OTF2_GlobalDefWriter_WriteLocation(out, static_cast<std::uint64_t>(i), 0,
                                             OTF2_LOCATION_TYPE_CPU_THREAD,
                                             bytes.number<std::uint8_t>(), 0));
  write_group(out, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, bytes);
  write_group(out, 1, OTF2_GROUP_TYPE_COMM_GROUP, bytes);
  write_group(out, 2, OTF2_GROUP_TYPE_COMM_GROUP, bytes);
  for (std::uint32_t i = 0; i < 2; ++i)
    check(OTF2_GlobalDefWriter_WriteComm(out, i, 0, static_cast<std::uint32_t>(bytes.upto(3)),
                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  check(OTF2_Archive_CloseGlobalDefWriter(archive, out));
}

void fill(OTF2_Archive* archive, fuzz::Bytes& bytes) {
  const int locations = 1 + bytes.upto(3);
  check(OTF2_Archive_SetFlushCallbacks(archive, &flushing, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
  check(OTF2_Archive_OpenEvtFiles(archive));
  for (int i = 0; i < locations; ++i) write_events(archive, static_cast<std::uint64_t>(i), bytes);
  check(OTF2_Archive_CloseEvtFiles(archive));
  check(OTF2_Archive_OpenDefFiles(archive));
  for (int i = 0; i < locations; ++i)
    check(OTF2_Archive_CloseDefWriter(
        archive, OTF2_Archive_GetDefWriter(archive, static_cast<std::uint64_t>(i))));
  check(OTF2_Archive_CloseDefFiles(archive));
  write_definitions(archive, locations, bytes);
}

bool write_archive(const fs::path& folder, fuzz::Bytes& bytes) {
  OTF2_Archive* archive =
      OTF2_Archive_Open(folder.c_str(), "a", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                        OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) return false;
  bool whole = true;
  try {
    fill(archive, bytes);
  } catch (const Refused&) {
    whole = false;
  }
  return OTF2_Archive_Close(archive) == OTF2_SUCCESS && whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const viewers::Otf2Errors quiet;  // what the library says is no line of the log
  const fs::path folder = fs::temp_directory_path() / ("pat-fuzz-otf2-" + std::to_string(getpid()));
  fuzz::Bytes bytes(data, size);
  if (write_archive(folder, bytes))
    fuzz::read([&] {
      const JoinedJournals joined = import_otf2((folder / "a.otf2").string(), [](long, long) {});
      fuzz::require(!joined.traces.empty());
      for (const Trace& trace : joined.traces) fuzz::require(trace.ranks >= 2);
    });
  fs::remove_all(folder);
  return 0;
}
