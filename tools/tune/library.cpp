#include "tools/tune/library.hpp"

#include <cstdlib>

#include "core/errors.hpp"

namespace pat::tune {
namespace {

constexpr int segments[] = {0, 8 << 10, 64 << 10};

/// A control variable of MPI's tool interface that is an int.
class Variable {
 public:
  explicit Variable(std::string name) : name_(std::move(name)) {
    exists_ = MPI_T_cvar_get_index(name_.c_str(), &index_) == MPI_SUCCESS;
  }
  bool exists() const { return exists_; }

  int read() const {
    int value = 0;
    on_handle([&](MPI_T_cvar_handle handle) { return MPI_T_cvar_read(handle, &value); });
    return value;
  }
  void write(int value) const {
    const bool done =
        on_handle([&](MPI_T_cvar_handle handle) { return MPI_T_cvar_write(handle, &value); });
    if (!done)
      throw Error(ErrorKind::argument, "the MPI library does not let " + name_ +
                                           " be written, leave its operation out of --op");
  }
  /// Numbers and names of the values that it may have.
  std::vector<Way> values() const {
    char name[256], text[4096];
    int name_length = sizeof name, text_length = sizeof text, verbosity = 0, bind = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum all = MPI_T_ENUM_NULL;
    MPI_T_cvar_get_info(index_, name, &name_length, &verbosity, &type, &all, text, &text_length,
                        &bind, &scope);
    std::vector<Way> ways;
    if (all == MPI_T_ENUM_NULL) return ways;
    int count = 0;
    name_length = sizeof name;
    MPI_T_enum_get_info(all, &count, name, &name_length);
    for (int i = 0; i < count; ++i) {
      int value = 0;
      name_length = sizeof name;
      MPI_T_enum_get_item(all, i, &value, name, &name_length);
      ways.push_back({.algorithm = value, .name = name});
    }
    return ways;
  }

 private:
  template <typename Use>
  bool on_handle(Use use) const {
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(index_, nullptr, &handle, &count) != MPI_SUCCESS) return false;
    const bool done = use(handle) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return done;
  }

  std::string name_;
  int index_ = 0;
  bool exists_ = false;
};

Variable variable(const std::string& operation, const std::string& ending) {
  return Variable("coll_tuned_" + std::string(ruled(operation).variable) + "_algorithm" + ending);
}

}  // namespace

void Library::allow_choice() {
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
  unsetenv("OMPI_MCA_coll_tuned_dynamic_rules_filename");  // what is measured is the default
}

Library::Library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0, level = 0;
  MPI_Get_library_version(version, &length);
  if (!std::string(version).starts_with("Open MPI"))
    throw Error(ErrorKind::argument,
                "rules are written for Open MPI alone, and this is " +
                    std::string(version).substr(0, std::string(version).find_first_of(",\n")) +
                    "; use a PAT that was built with Open MPI");
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
}

Library::~Library() {
  MPI_T_finalize();
}

std::vector<Way> Library::ways(const std::string& operation, std::size_t bytes) const {
  const Variable algorithm = variable(operation, "");
  if (!algorithm.exists())
    throw Error(ErrorKind::argument, "this Open MPI has no choice of algorithms for '" + operation +
                                         "' (its component tuned is missing), leave it out of "
                                         "--op");
  const Variable segment = variable(operation, "_segmentsize"),
                 fanout = variable(operation, "_chain_fanout");
  std::vector<Way> all;
  for (Way way : algorithm.values()) {
    if (way.is_default()) continue;
    if (fanout.exists()) way.fanout = fanout.read();
    for (const int segment_bytes : segments) {
      if (segment_bytes > 0 &&
          (!segment.exists() || bytes < 2 * static_cast<std::size_t>(segment_bytes)))
        continue;
      way.segment_bytes = segment_bytes;
      all.push_back(way);
    }
  }
  return all;
}

MPI_Comm Library::communicator(const std::string& operation, const Way& way, MPI_Comm like) const {
  const Variable algorithm = variable(operation, ""), segment = variable(operation, "_segmentsize");
  const int segment_before = segment.exists() ? segment.read() : 0;
  algorithm.write(way.algorithm);
  if (segment.exists()) segment.write(way.segment_bytes);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(like, &made);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  algorithm.write(0);
  if (segment.exists()) segment.write(segment_before);
  return made;
}

}  // namespace pat::tune
