// Writes the collectives of module pat from the table of calls: `interfaces`, included by pat.F90,
// or `functions`, the C++ behind them, included by entries.cpp.

#include <iostream>
#include <string_view>

#include "core/text.hpp"
#include "languages/table/signatures.hpp"

using namespace pat::languages;
using pat::join;

namespace {

/// What a form adds to the plain one.
struct Form {
  std::string name;   ///< PAT_Igather
  bool with_request;  ///< it leaves its buffers to PAT when it returns
};

std::vector<Form> forms(const Signature& signature) {
  return {{"PAT_" + signature.Name, false},
          {"PAT_I" + signature.name, true},
          {"PAT_" + signature.Name + "_init", true}};
}

/// The declaration of a dummy argument. Handles are those of mpi_f08, or the integers of mpi.
std::string dummy(const Parameter& parameter, const Form& form, bool f08) {
  const std::string name = " :: " + parameter.name;
  const std::string lasting = form.with_request ? ", asynchronous" : "";
  // The compiler packs sections with gaps for calls that end before they return.
  const std::string buffer =
      "type(*), dimension(..)" + std::string(form.with_request ? ", asynchronous" : ", contiguous");
  const auto handle = [&](const char* type) {
    return (f08 ? "type(" + std::string(type) + ")" : "integer(c_int)") + ", intent(in)" + name;
  };
  switch (parameter.kind) {
    case Kind::send_buffer:
      return buffer + ", intent(in)" + name;
    case Kind::recv_buffer:
      return buffer + name;
    case Kind::count:
    case Kind::root:
      return "integer(c_int), intent(in)" + name;
    case Kind::counts:
    case Kind::displacements:
      return "integer(c_int), intent(in)" + lasting + name + "(*)";
    case Kind::addresses:
      return "integer(c_intptr_t), intent(in)" + lasting + name + "(*)";
    case Kind::datatype:
      return handle("MPI_Datatype");
    case Kind::datatypes:
      return handle("MPI_Datatype") + "(*)";
    case Kind::op:
      return handle("MPI_Op");
    case Kind::comm:
      return handle("MPI_Comm");
  }
  return "";
}

void print_procedure(const Signature& signature, const Form& form, bool f08) {
  const std::string name = form.name + (f08 ? "_f08" : "_f");
  std::cout << "    subroutine " << name << "( &\n        ";
  for (const Parameter& parameter : signature.parameters) std::cout << parameter.name << ", ";
  std::cout << (form.with_request ? "request, " : "") << "&\n        ierror) bind(C, name=\""
            << name << "\")\n      import\n";
  for (const Parameter& parameter : signature.parameters)
    std::cout << "      " << dummy(parameter, form, f08) << "\n";
  if (form.with_request) std::cout << "      type(PAT_Request), intent(out) :: request\n";
  std::cout << "      integer(c_int), optional, intent(out) :: ierror\n    end subroutine\n";
}

void print_interfaces(const Signature& signature) {
  for (const Form& form : forms(signature)) {
    std::cout << "  !> As " << form.name << " in C; handles of mpi_f08, or the integers of mpi.\n"
              << "  interface " << form.name << "\n";
    print_procedure(signature, form, true);
    print_procedure(signature, form, false);
    std::cout << "  end interface\n  public :: " << form.name << "\n\n";
  }
}

std::string cxx_parameter(const Parameter& parameter) {
  const bool is_buffer = parameter.kind == Kind::send_buffer || parameter.kind == Kind::recv_buffer;
  const char* const type = is_buffer                           ? "CFI_cdesc_t* "
                           : parameter.kind == Kind::addresses ? "const MPI_Aint* "
                                                               : "const MPI_Fint* ";
  return type + parameter.name;
}

/// `count_of`: the function that says how many datatypes an array of them has.
std::string cxx_argument(const Parameter& parameter, const std::string& count_of) {
  const std::string& name = parameter.name;
  switch (parameter.kind) {
    case Kind::send_buffer:
    case Kind::recv_buffer:
      return "address(" + name + ")";
    case Kind::count:
    case Kind::root:
      return "*" + name;
    case Kind::counts:
    case Kind::displacements:
    case Kind::addresses:
      return name;
    case Kind::datatype:
      return "MPI_Type_f2c(*" + name + ")";
    case Kind::datatypes:
      return "datatypes(" + name + ", " + count_of + "(*comm)).data()";
    case Kind::op:
      return "MPI_Op_f2c(*" + name + ")";
    case Kind::comm:
      return "MPI_Comm_f2c(*" + name + ")";
  }
  return "";
}

/// The blocks of a w-form are of ranks, or where displacements are addresses of neighbours.
bool is_among_neighbours(const Signature& signature) {
  for (const Parameter& parameter : signature.parameters)
    if (parameter.kind == Kind::addresses) return true;
  return false;
}

void print_functions(const Signature& signature) {
  for (const Form& form : forms(signature)) {
    std::vector<std::string> all_parameters, all_arguments, all_names, all_buffers;
    std::string count_of = "processes";
    for (const Parameter& parameter : signature.parameters) {
      if (is_among_neighbours(signature) && parameter.kind == Kind::send_buffer)
        count_of = "receivers";
      if (is_among_neighbours(signature) && parameter.kind == Kind::recv_buffer)
        count_of = "senders";
      all_parameters.push_back(cxx_parameter(parameter));
      all_arguments.push_back(cxx_argument(parameter, count_of));
      all_names.push_back(parameter.name);
      if (parameter.kind == Kind::send_buffer || parameter.kind == Kind::recv_buffer)
        all_buffers.push_back(parameter.name);
    }
    if (form.with_request) {
      all_parameters.emplace_back("PAT_Request* request");
      all_arguments.emplace_back("request");
      all_names.emplace_back("request");
    }
    all_parameters.emplace_back("MPI_Fint* ierror");
    all_names.emplace_back("ierror");
    const std::string parameters = join(all_parameters, ", "),
                      arguments = join(all_arguments, ", "), names = join(all_names, ", "),
                      buffers = join(all_buffers, ", ");
    std::cout << "void " << form.name << "_f08(" << parameters << ") {\n  give(ierror, [&] {\n";
    if (form.with_request && !buffers.empty())
      std::cout << "    if (has_gaps({" << buffers
                << "})) return refuse_gaps(MPI_Comm_f2c(*comm), \"" << form.name << "\");\n";
    std::cout << "    return " << form.name << "(" << arguments << ");\n  });\n}\n";
    std::cout << "void " << form.name << "_f(" << parameters << ") { " << form.name << "_f08("
              << names << "); }\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  std::cout << (what == "interfaces" ? "!" : "//")
            << " Generated from the table of calls; do not edit.\n";
  for (const Signature& signature : signatures())
    what == "interfaces" ? print_interfaces(signature) : print_functions(signature);
}
