# Where generated headers lie, under the folder of those that include them.
set(PAT_GENERATED ${PROJECT_BINARY_DIR}/generated)
# Where headers are included from.
set(PAT_INCLUDE_ROOT ${PROJECT_SOURCE_DIR} ${PAT_GENERATED})

# pat_library(NAME sources...): a static library of this project; headers are included from the root.
function(pat_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC ${PAT_INCLUDE_ROOT})
  pat_compile_options(${name})
endfunction()

# pat_executable(NAME sources...): a program of this project, in <build>/bin.
function(pat_executable name)
  add_executable(${name} ${ARGN})
  pat_compile_options(${name})
  pat_keep_plugins(${name})
endfunction()

# pat_keep_plugins(NAME): under sanitizers the plug-ins of the MPI library stay loaded to the end.
function(pat_keep_plugins name)
  if(PAT_SANITIZE AND NOT PAT_FUZZ)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/sanitizers/keep_plugins.cpp)
    # The MPI library calls its dlclose; no symbol of its own, so that what is precompiled serves it.
    set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON DEFINE_SYMBOL "")
  endif()
endfunction()

# pat_compile_options(TARGET): warnings and sanitizers, the same for every target.
function(pat_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                         # false alarms in std::string (GCC bug 105329) and in small vectors
                         "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overread;-Wno-stringop-overflow>")
  if(PAT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PAT_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${PAT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${PAT_SANITIZE})
  endif()
  if(PAT_FUZZ)
    target_compile_options(${target} PUBLIC -fsanitize=fuzzer-no-link -fno-sanitize-recover=all)
  endif()
endfunction()

# pat_precompile(TARGET headers...): what nearly all its files include is read once: the headers of the
# language that all use, and those named. Not under a launcher such as ccache, which keeps each file's result by
# itself. The test compiled_alone holds for each file without them.
function(pat_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <chrono> <cstdint> <functional> <map>
                              <memory> <optional> <set> <span> <string> <string_view> <tuple> <utility>
                              <vector> ${ARGN})
    # Of precompiled code GCC 12 does not suppress its false alarms in std::string.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
  endif()
endfunction()

# pat_compile_together(TARGET...): some files at a time, as most of what the compiler does for one is reading the
# headers and instantiating the templates that its neighbours use as well. So what such a target has in
# nameless namespaces has to be called differently in all its files. Not under ccache, as above.
# The test compiled_together holds for all files of a target.
function(pat_compile_together)
  set_property(GLOBAL APPEND PROPERTY PAT_COMPILED_TOGETHER ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    foreach(target ${ARGN})  # what a file keeps to itself is seen by the next ones
      target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endforeach()
  endif()
endfunction()

# pat_precompiled_as(TARGET OTHER): reads what was precompiled for OTHER, if that is there by now; their
# compile options are the same.
function(pat_precompiled_as target other)
  if(TARGET ${other} AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
