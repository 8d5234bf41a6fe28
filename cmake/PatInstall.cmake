# What is installed, and how programs find it. Components: runtime (the libraries), development
# (headers, links, what CMake and pkg-config read, manual pages of the API), tools (the commands),
# fortran, python.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Before all other rules, as this file is included before they are made.
install(CODE "set(PAT_BUILD ${PROJECT_BINARY_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/CheckBuilt.cmake)" ALL_COMPONENTS)

# Libraries outside the system's folders, PAT's own and an MPI of one's own, are found again; packages of
# a distribution want no paths in their files.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(CMAKE_INSTALL_RPATH "$ORIGIN")
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
endif()
set(PAT_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/pat)

# pat_install_library(TARGET NAME COMPONENT INCLUDES...): a shared library, which programs link as pat::NAME; what
# they need to do so is part of COMPONENT.
function(pat_install_library target name component)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT pat-${name}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT ${component}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${ARGN})
  install(EXPORT pat-${name} NAMESPACE pat:: DESTINATION ${PAT_INSTALL_CMAKEDIR} COMPONENT ${component})
endfunction()

# pat_cxx_library(TARGET FROM OUTPUT NAME LIBS libs...): a shared library for C++ programs, of the static
# library FROM, which shows what is in the namespace pat, and links LIBS.
function(pat_cxx_library target from output name)
  if(PAT_INSTALLED OR PAT_FUZZ)  # where PAT is there already, or nothing is installed
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// A shared library needs one source of its own.\n")
  add_library(${target} SHARED ${source})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} VERSION ${PROJECT_VERSION} SOVERSION 0
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/pat_cxx.map)
  pat_compile_options(${target})
  # LIBS before the static libraries that FROM needs, so that what both have comes from LIBS.
  target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${from}>)
  target_link_libraries(${target} PUBLIC ${arg_LIBS})
  target_link_options(${target} PRIVATE -Wl,--as-needed
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/pat_cxx.map)
  pat_install_library(${target} ${name} development ${CMAKE_INSTALL_INCLUDEDIR}/pat/cxx)
endfunction()

# pat_install_headers(FOLDER): the headers of this folder for C++ programs.
function(pat_install_headers folder)
  if(PAT_INSTALLED)
    return()
  endif()
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
  foreach(header ${headers})
    cmake_path(GET header PARENT_PATH place)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} COMPONENT development
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pat/cxx/${place})
  endforeach()
endfunction()

# pat_install_pkgconfig(IN OUT COMPONENT): a file for pkg-config; the installed folder can be put
# anywhere.
function(pat_install_pkgconfig in out component)
  file(RELATIVE_PATH include_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig
       /${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(${in} ${out} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${out} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${component})
endfunction()

# What find_package(pat CONFIG) reads.
if(PAT_INSTALLED)
  return()
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/patConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/patConfig.cmake
                              INSTALL_DESTINATION ${PAT_INSTALL_CMAKEDIR})
# Before 1.0.0 the interface may change with the minor version.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/patConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/patConfig.cmake ${PROJECT_BINARY_DIR}/patConfigVersion.cmake
        DESTINATION ${PAT_INSTALL_CMAKEDIR} COMPONENT development)
