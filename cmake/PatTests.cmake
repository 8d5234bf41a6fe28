# Builds the programs of the unit and the MPI tests and nothing else.
add_custom_target(pat_test_programs)
# Those of them that the sanitizers run: the unit tests and what has a test on 3 ranks.
add_custom_target(pat_sanitized_test_programs)
# What the thread sanitizer runs: programs where threads meet, and a soak of all calls.
add_custom_target(pat_threaded_test_programs)

# pat_unit_test(NAME sources... [HEAVY] [LIBS libs...]): a GoogleTest program without MPI, label "unit".
# The thread sanitizer leaves a HEAVY one out: its library takes long to build, or it judges results by
# many more runs of code that others run.
function(pat_unit_test name)
  cmake_parse_arguments(arg "HEAVY" "" "LIBS" ${ARGN})
  pat_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest_main)
  pat_precompiled_as(${name} pat_test_headers)
  add_dependencies(pat_test_programs ${name})
  add_dependencies(pat_sanitized_test_programs ${name})
  set(labels unit)
  if(arg_HEAVY)
    list(APPEND labels heavy)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 300 ENVIRONMENT "${PAT_SANITIZER_ENV}")
endfunction()

# pat_starts_many_ranks(TEST...), pat_mostly_waits(TEST...): one of these and one of those run at a time, beside
# others. They begin first, as the last of them would run alone.
function(pat_starts_many_ranks)
  set_tests_properties(${ARGN} PROPERTIES RESOURCE_LOCK ranks COST 1000)
endfunction()
function(pat_mostly_waits)
  set_tests_properties(${ARGN} PROPERTIES RESOURCE_LOCK waiting COST 1000)
endfunction()

# pat_mpi_program(NAME sources... [LIBS libs...]): a GoogleTest program whose main starts MPI.
function(pat_mpi_program name)
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  pat_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest MPI::MPI_CXX)
  add_dependencies(pat_test_programs ${name})
  target_compile_definitions(${name} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  pat_precompiled_as(${name} pat_test_headers)
endfunction()

# pat_mpi_test(NAME PROGRAM RANKS r1 r2 ... [LONG r1 ...] [ENV VAR=VALUE ...] [ARGS a ...] [LABEL l]
# [TIMEOUT s]): one test per rank count, NAME.P<ranks>, those of LONG with that label, run through
# tests/mpi/run_ranks.sh, which lets waiting ranks sleep and, when the time is up, prints the state of
# every rank before it ends them.
function(pat_mpi_test name program)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT" "RANKS;LONG;ENV;ARGS" ${ARGN})
  if(NOT arg_LABEL)
    set(arg_LABEL mpi)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 240)
  endif()
  if(3 IN_LIST arg_RANKS)
    add_dependencies(pat_sanitized_test_programs ${program})
  endif()
  foreach(ranks ${arg_RANKS} ${arg_LONG})
    set(test ${name}.P${ranks})
    add_test(NAME ${test}
             COMMAND ${PROJECT_SOURCE_DIR}/tests/mpi/run_ranks.sh ${arg_TIMEOUT} ${ranks}
                     $<TARGET_FILE:${program}> ${arg_ARGS})
    math(EXPR kill_after "${arg_TIMEOUT} + 30")
    set(label ${arg_LABEL})
    if(ranks IN_LIST arg_LONG)
      set(label long)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT ${kill_after}
                         ENVIRONMENT "${arg_ENV};${PAT_SANITIZER_MPI_ENV}")
    if(ranks GREATER 3)  # a few leave half of two cores to other tests
      pat_starts_many_ranks(${test})
    endif()
  endforeach()
endfunction()
