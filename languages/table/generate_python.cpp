// Writes pat/_collectives.py, every collective for Python, from the table of calls.

#include <iostream>

#include "languages/table/signatures.hpp"

using namespace pat::languages;

namespace {

bool has(const Signature& signature, Kind kind) {
  for (const Parameter& parameter : signature.parameters)
    if (parameter.kind == kind) return true;
  return false;
}

void print(const Signature& signature) {
  std::string parameters = "comm: MPI.Comm", buffers, rest;
  for (const Parameter& parameter : signature.parameters) {
    if (parameter.kind != Kind::send_buffer && parameter.kind != Kind::recv_buffer) continue;
    parameters += ", " + parameter.name + ": Buffer";
    buffers += parameter.name + ", ";
  }
  // Counts of all ranks that stand beside no buffer's displacements are an argument of their own.
  if (has(signature, Kind::counts) && !has(signature, Kind::displacements)) {
    parameters += ", recvcounts: Optional[Sequence[int]] = None";
    rest += ", counts=recvcounts";
  }
  if (has(signature, Kind::op)) {
    parameters += ", op: Optional[MPI.Op] = None";
    rest += ", op=op";
  }
  if (has(signature, Kind::root)) {
    parameters += ", root: int = 0";
    rest += ", root=root";
  }
  const auto define = [&](const std::string& form, const char* result, const char* how,
                          const std::string& doc) {
    std::cout << "\n\ndef " << form << "(" << parameters << ") -> " << result << ":\n    \"\"\""
              << doc << "\"\"\"\n    " << how << "(\"" << form << "\", \"" << signature.Name
              << "\", comm, (" << buffers << ")" << rest << ")\n";
  };
  const std::string &Name = signature.Name, &name = signature.name;
  define(Name, "None", "call", "As comm." + Name + " of mpi4py.");
  define("I" + name, "Request", "return begin",
         "As comm.I" + name + " of mpi4py; ends in Request.Wait or Test.");
  define(Name + "_init", "Request", "return begin",
         "A persistent call: Request.Start hands over the receive buffer, Ready the send buffer.");
}

}  // namespace

int main() {
  std::cout << "\"\"\"The collectives, with mpi4py's conventions for buffers.\n\nGenerated from "
               "the table of calls; "
               "do not edit.\n\"\"\"\n\nfrom __future__ import annotations\n\nfrom typing import "
               "TYPE_CHECKING, "
               "Optional, Sequence\n\nfrom ._messages import Buffer, begin, call\nfrom ._request "
               "import Request\n\n"
               "if TYPE_CHECKING:\n    from mpi4py import MPI\n\n__all__ = [\n";
  for (const Signature& signature : signatures())
    for (const std::string& form : {signature.Name, "I" + signature.name, signature.Name + "_init"})
      std::cout << "    \"" << form << "\",\n";
  std::cout << "]\n";
  for (const Signature& signature : signatures()) print(signature);
}
