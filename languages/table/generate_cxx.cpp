// Writes pat/calls.hpp, every collective for C++, from the table of calls.

#include <iostream>

#include "core/text.hpp"
#include "languages/table/signatures.hpp"

using namespace pat::languages;
using pat::join;

namespace {

std::string declared(const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::send_buffer:
      return "const void* " + parameter.name;
    case Kind::recv_buffer:
      return "void* " + parameter.name;
    case Kind::count:
    case Kind::root:
      return "int " + parameter.name;
    case Kind::counts:
    case Kind::displacements:
      return "const int " + parameter.name + "[]";
    case Kind::addresses:
      return "const MPI_Aint " + parameter.name + "[]";
    case Kind::datatype:
      return "MPI_Datatype " + parameter.name;
    case Kind::datatypes:
      return "const MPI_Datatype " + parameter.name + "[]";
    case Kind::op:
      return "MPI_Op " + parameter.name;
    case Kind::comm:
      return "MPI_Comm " + parameter.name;
  }
  return "";
}

void print(const Signature& signature) {
  const std::string parameters = join(signature.parameters, ", ", declared),
                    arguments = join(signature.parameters, ", ", &Parameter::name);
  const std::string &name = signature.name, &Name = signature.Name;
  const auto with_request = [&](const std::string& type, const std::string& made,
                                const std::string& function) {
    std::cout << "/// " << function << ".\n[[nodiscard]] inline " << type << " " << made << "("
              << parameters << ") {\n  PAT_Request request = PAT_REQUEST_NULL;\n  require("
              << function << "(" << arguments << ", &request));\n  return " << type
              << "(request);\n}\n";
  };
  std::cout << "\n/// PAT_" << Name << ".\ninline void " << name << "(" << parameters
            << ") { require(PAT_" << Name << "(" << arguments << ")); }\n";
  with_request("Request", "i" + name, "PAT_I" + name);
  with_request("PersistentCall", name + "_init", "PAT_" + Name + "_init");
}

}  // namespace

int main() {
  std::cout
      << "/// \\file\n/// The collectives of pat.h for C++: they throw pat::Failure in place of "
         "returning a code.\n/// Generated from the table of calls; included by pat.hpp.\n"
         "#pragma once\n\n#include <pat/pat.hpp>\n\nnamespace pat {\n";
  for (const Signature& signature : signatures()) print(signature);
  std::cout << "\n}  // namespace pat\n";
}
