#include "analysis/viewers/otf2_archive.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <system_error>

#include "core/errors.hpp"
#include "core/whole_file.hpp"

namespace pat::viewers {
namespace {

namespace fs = std::filesystem;

OTF2_ErrorCode note(void* what, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                    const char* format, va_list arguments) {
  std::array<char, 512> text{};
  if (format != nullptr) std::vsnprintf(text.data(), text.size(), format, arguments);
  auto& said = *static_cast<std::string*>(what);
  if (said.empty())  // the first is the cause
    said =
        std::string(OTF2_Error_GetDescription(code)) + (text[0] != '\0' ? ": " : "") + text.data();
  return code;
}

struct Pair {
  std::string_view name;
  OTF2_CollectiveOp operation;
};
constexpr std::array pairs = {Pair{"barrier", OTF2_COLLECTIVE_OP_BARRIER},
                              Pair{"bcast", OTF2_COLLECTIVE_OP_BCAST},
                              Pair{"gather", OTF2_COLLECTIVE_OP_GATHER},
                              Pair{"gather", OTF2_COLLECTIVE_OP_GATHERV},
                              Pair{"scatter", OTF2_COLLECTIVE_OP_SCATTER},
                              Pair{"scatter", OTF2_COLLECTIVE_OP_SCATTERV},
                              Pair{"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
                              Pair{"allgather", OTF2_COLLECTIVE_OP_ALLGATHERV},
                              Pair{"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
                              Pair{"alltoall", OTF2_COLLECTIVE_OP_ALLTOALLV},
                              Pair{"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
                              Pair{"reduce", OTF2_COLLECTIVE_OP_REDUCE},
                              Pair{"reduce-scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
                              Pair{"reduce-scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
                              Pair{"scan", OTF2_COLLECTIVE_OP_SCAN},
                              Pair{"exscan", OTF2_COLLECTIVE_OP_EXSCAN}};

fs::path beside(const fs::path& anchor, const char* extension) {
  return fs::path(anchor).replace_extension(extension);
}

/// The folder of an archive's events: no other files are in it.
void remove_events(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  for (const auto& file : fs::directory_iterator(folder)) {
    const auto ending = file.path().extension();
    if (ending == ".evt" || ending == ".def") fs::remove(file.path());
  }
  fs::remove(folder);  // throws if anything is left
}

}  // namespace

Otf2Errors::Otf2Errors() {
  OTF2_Error_RegisterCallback(note, &what_);
}
Otf2Errors::~Otf2Errors() {
  OTF2_Error_RegisterCallback(nullptr, nullptr);
}

void Otf2Errors::check(OTF2_ErrorCode code, const std::string& path) const {
  if (code != OTF2_SUCCESS)
    throw Error(ErrorKind::io, "the OTF2 archive '" + path + "': " +
                                   (what_.empty() ? OTF2_Error_GetDescription(code) : what_));
}

Otf2Place::Otf2Place(const std::string& path)
    : anchor_(whole_file_place(path)),
      part_(anchor_.string() + ".part"),
      name_(anchor_.stem().string()) {
  if (fs::exists(anchor_)) return;
  for (const char* extension : {"", ".def"})
    if (const fs::path other = beside(anchor_, extension); fs::exists(other))
      throw Error(ErrorKind::io, "'" + other.string() + "' is in the way of the OTF2 archive '" +
                                     path + "', which needs that name too: give it another");
}

Otf2Place::~Otf2Place() {
  std::error_code none;
  fs::remove_all(part_, none);
}

void Otf2Place::commit() {
  try {
    fs::remove(anchor_);
    remove_events(beside(anchor_, ""));
    for (const char* extension : {"", ".def", ".otf2"})
      fs::rename(part_ / (name_ + extension), beside(anchor_, extension));
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::io,
                "the OTF2 archive '" + anchor_.string() + "' cannot be written: " + error.what());
  }
}

OTF2_CollectiveOp otf2_operation(Operation operation) {
  for (const Pair& pair : pairs)
    if (pair.name == name(operation)) return pair.operation;
  return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
}

std::optional<Operation> pat_operation(OTF2_CollectiveOp operation) {
  for (const Pair& pair : pairs)
    if (pair.operation == operation) return find_operation(pair.name);
  return std::nullopt;
}

}  // namespace pat::viewers
