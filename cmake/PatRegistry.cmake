# One line registers an algorithm or a predictor: the line names its file, and the table that the
# registry reads is generated from all such lines, so nothing depends on static initialisers.

# pat_algorithm(OPERATION NAME): compiles OPERATION/NAME.cpp into pat_collectives and registers the
# algorithm which that file defines with PAT_ALGORITHM(OPERATION, NAME_with_underscores).
function(pat_algorithm operation name)
  string(REPLACE "-" "_" id ${name})
  target_sources(pat_collectives PRIVATE ${operation}/${id}.cpp)
  set_property(GLOBAL APPEND PROPERTY PAT_ALGORITHMS ${operation}_${id})
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
    string(APPEND declarations "${type} ${prefix}_${id}();\n")
    string(APPEND entries "      ${prefix}_${id}(),\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_table.cpp)
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
