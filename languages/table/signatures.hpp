#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace pat::languages {

/// What a parameter of a collective is, whatever the language.
enum class Kind {
  send_buffer,    ///< const void*
  recv_buffer,    ///< void*
  count,          ///< COUNT: int, or MPI_Count
  counts,         ///< const COUNT[]
  displacements,  ///< const DISPLACEMENT[]: int, or MPI_Aint
  addresses,      ///< const MPI_Aint[]: displacements in every form
  datatype,
  datatypes,  ///< const MPI_Datatype[]
  op,
  root,
  comm
};

struct Parameter {
  Kind kind;
  std::string name;
};

/// One line of the table of calls (libpat/execution/calls.def).
struct Signature {
  std::string Name;       ///< "Gather", of PAT_Gather
  std::string name;       ///< "gather", of PAT_Igather
  std::string operation;  ///< the operation that it is a form of: "gather" of Gatherv
  std::vector<Parameter> parameters;
};

/// "const void* sendbuf": what it is. Throws std::invalid_argument for a type that no language
/// knows yet.
inline Parameter parse_parameter(const std::string& text) {
  const std::size_t last = text.find_last_of(" *") + 1;
  std::string type = text.substr(0, last), name = text.substr(last);
  if (const std::size_t bracket = name.find('['); bracket != std::string::npos) {
    type += name.substr(bracket);
    name.erase(bracket);
  }
  std::string bare;
  for (const char c : type)
    if (c != ' ') bare += c;
  const struct {
    const char* type;
    Kind kind;
  } known[] = {{"constvoid*", Kind::send_buffer},
               {"void*", Kind::recv_buffer},
               {"COUNT", Kind::count},
               {"constCOUNT[]", Kind::counts},
               {"MPI_Datatype", Kind::datatype},
               {"constMPI_Datatype[]", Kind::datatypes},
               {"constDISPLACEMENT[]", Kind::displacements},
               {"constMPI_Aint[]", Kind::addresses},
               {"MPI_Op", Kind::op},
               {"int", Kind::root},
               {"MPI_Comm", Kind::comm}};
  for (const auto& one : known)
    if (bare == one.type) return {one.kind, name};
  throw std::invalid_argument("the parameter '" + text +
                              "' has a type that languages/table/signatures.hpp does not know");
}

/// "(const void* sendbuf, COUNT sendcount)": one by one.
inline std::vector<Parameter> parse_parameters(const std::string& text) {
  std::vector<Parameter> parameters;
  for (std::size_t begin = 1; begin < text.size();) {
    const std::size_t end = text.find_first_of(",)", begin);
    const std::size_t first = text.find_first_not_of(' ', begin);
    parameters.push_back(parse_parameter(text.substr(first, end - first)));
    begin = end + 1;
  }
  return parameters;
}

/// The collectives that PAT has, in the order of the table. Thread-safe.
inline const std::vector<Signature>& signatures() {
#define PAT_TEXT(text) PAT_TEXT_OF(text)
#define PAT_TEXT_OF(text) #text
#define PAT_COLLECTIVE(Name, name, operation, blocks, parameters, to, from) \
  {#Name, #name, #operation, parse_parameters(PAT_TEXT(parameters))},
#define PAT_COLLECTIVE_WITHOUT_COUNTS PAT_COLLECTIVE
  static const std::vector<Signature> table = {
#include "libpat/execution/calls.def"
  };
#undef PAT_TEXT
#undef PAT_TEXT_OF
#undef PAT_COLLECTIVE
#undef PAT_COLLECTIVE_WITHOUT_COUNTS
  return table;
}

}  // namespace pat::languages
