#pragma once

#include <otf2/otf2.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/operation.hpp"

namespace pat::viewers {

/// What PAT's archives and their reader agree on.
constexpr std::string_view computing_region = "computing", algorithm_attribute = "PAT algorithm";

/// While it lives OTF2 says nothing on stderr: what went wrong stands in what().
class Otf2Errors {
 public:
  Otf2Errors();
  ~Otf2Errors();
  Otf2Errors(const Otf2Errors&) = delete;
  Otf2Errors& operator=(const Otf2Errors&) = delete;
  /// Throws Error(io) with the path and the reason unless `code` is a success.
  void check(OTF2_ErrorCode code, const std::string& path) const;
  const std::string& what() const { return what_; }

 private:
  std::string what_;
};

/// An archive NAME.otf2 is three things in a folder: that file, NAME.def and the folder NAME. They
/// are written in a folder of their own, and take their places when they are whole.
class Otf2Place {
 public:
  /// Throws Error(io) where NAME or NAME.def is there and no archive's, or the folder cannot be
  /// written.
  explicit Otf2Place(const std::string& path);
  ~Otf2Place();
  Otf2Place(const Otf2Place&) = delete;
  Otf2Place& operator=(const Otf2Place&) = delete;

  std::string folder() const { return part_.string(); }
  std::string name() const { return name_; }
  /// Replaces an older archive. Once.
  void commit();

 private:
  const std::filesystem::path anchor_, part_;
  const std::string name_;
};

/// By the operation's name; CREATE_HANDLE for what MPI has no such collective of.
OTF2_CollectiveOp otf2_operation(Operation operation);
/// The reverse; nothing for what PAT has no name of.
std::optional<Operation> pat_operation(OTF2_CollectiveOp operation);

}  // namespace pat::viewers
