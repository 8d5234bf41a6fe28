#include "tools/tune/control_variable.hpp"

#include <utility>

#include "core/errors.hpp"

namespace pat::tune {
namespace {

template <typename Use>
bool on_handle(int index, Use use) {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return false;
  const bool done = use(handle) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  return done;
}

struct VariableInfo {
  MPI_T_enum values = MPI_T_ENUM_NULL;
  std::string description;
};

VariableInfo variable_info(int index) {
  char name[256], text[4096];
  int name_length = sizeof name, text_length = sizeof text, verbosity = 0, bind = 0, scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  VariableInfo info;
  MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &info.values, text,
                      &text_length, &bind, &scope);
  info.description = text;
  return info;
}

}  // namespace

ControlVariable::ControlVariable(std::string name) : name_(std::move(name)) {
  exists_ = MPI_T_cvar_get_index(name_.c_str(), &index_) == MPI_SUCCESS;
}

int ControlVariable::read() const {
  int value = 0;
  on_handle(index_, [&](MPI_T_cvar_handle handle) { return MPI_T_cvar_read(handle, &value); });
  return value;
}

void ControlVariable::write(int value) const {
  const bool done =
      on_handle(index_, [&](MPI_T_cvar_handle handle) { return MPI_T_cvar_write(handle, &value); });
  if (!done)
    throw Error(ErrorKind::argument, "the MPI library does not let " + name_ +
                                         " be written, leave its operation out of --op");
}

std::vector<Way> ControlVariable::values() const {
  const MPI_T_enum all = variable_info(index_).values;
  std::vector<Way> ways;
  if (all == MPI_T_ENUM_NULL) return ways;
  char name[256];
  int count = 0, name_length = sizeof name;
  MPI_T_enum_get_info(all, &count, name, &name_length);
  for (int i = 0; i < count; ++i) {
    int value = 0;
    name_length = sizeof name;
    MPI_T_enum_get_item(all, i, &value, name, &name_length);
    ways.push_back({.algorithm = value, .name = name});
  }
  return ways;
}

std::string ControlVariable::description() const {
  std::string text = variable_info(index_).description;
  std::erase(text, '\n');
  return text;
}

}  // namespace pat::tune
