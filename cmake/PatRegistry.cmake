# One line registers an operation, its algorithms or a predictor: the line names the files, and the
# table that the registry reads is generated from all such lines, so nothing depends on static
# initialisers.

# pat_operation(NAME): compiles operations/NAME.cpp into pat_collectives and registers the row which
# that file defines with PAT_OPERATION(NAME). Names are in the property PAT_OPERATIONS, from which
# libpat compiles its side of the operation.
function(pat_operation name)
  target_sources(pat_collectives PRIVATE operations/${name}.cpp)
  set_property(GLOBAL APPEND PROPERTY PAT_OPERATIONS ${name})
endfunction()

# pat_generate_operations(): writes collectives/operation_list.hpp, the enum and its length.
function(pat_generate_operations)
  get_property(names GLOBAL PROPERTY PAT_OPERATIONS)
  list(LENGTH names count)
  list(JOIN names ", " names)
  file(CONFIGURE OUTPUT ${PAT_GENERATED}/collectives/operation_list.hpp CONTENT
"// Generated from the pat_operation lines; do not edit.
#pragma once
#include <cstddef>
namespace pat {
/// The collective operations that schedules are built for.
enum class Operation { ${names} };
/// How many there are.
inline constexpr std::size_t operation_count = ${count};
}  // namespace pat
")
endfunction()

# pat_algorithm(OPERATION NAME...): compiles OPERATION/NAME.cpp into pat_collectives and registers
# the algorithm which that file defines with PAT_ALGORITHM(OPERATION, NAME_with_underscores), for
# each of the names.
function(pat_algorithm operation)
  foreach(name ${ARGN})
    string(REPLACE "-" "_" id ${name})
    target_sources(pat_collectives PRIVATE ${operation}/${id}.cpp)
    set_property(GLOBAL APPEND PROPERTY PAT_ALGORITHMS ${operation}_${id})
  endforeach()
endfunction()

# pat_predictor(NAME): compiles NAME.cpp into pat_predictors and registers the model which that
# file defines with PAT_PREDICTOR(NAME).
function(pat_predictor name)
  string(REPLACE "-" "_" id ${name})
  target_sources(pat_predictors PRIVATE ${id}.cpp)
  set_property(GLOBAL APPEND PROPERTY PAT_PREDICTORS ${id})
endfunction()

# pat_generate_table(TARGET PROPERTY TYPE HEADER PREFIX FUNCTION): writes and compiles the table.
function(pat_generate_table target property type header prefix function)
  get_property(ids GLOBAL PROPERTY ${property})
  set(declarations "")
  set(entries "")
  foreach(id ${ids})
    string(APPEND declarations "namespace ${prefix}_${id} { ${type} make(); }\n")
    string(APPEND entries "      ${prefix}_${id}::make(),\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_${function}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT
"// Generated from the registration lines; do not edit.
#include \"${header}\"
namespace pat {
${declarations}
const std::vector<${type}>& ${function}() {
  static const std::vector<${type}> table = {
${entries}  };
  return table;
}
}  // namespace pat
")
  target_sources(${target} PRIVATE ${file})
endfunction()
