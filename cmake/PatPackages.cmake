# Packages for Debian: cmake -DCMAKE_INSTALL_PREFIX=/usr, build, cpack -G DEB. scripts/check_packages.sh does all
# of it and installs them in a bare system.
if(PAT_INSTALLED OR PAT_FUZZ)
  return()
endif()

# A file for Environment Modules, in a prefix of its own.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  if(TARGET pat_python)
    set(PAT_MODULE_PYTHON "prepend-path PYTHONPATH        $prefix/${PAT_INSTALL_PYTHONDIR}")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/packaging/modules/pat.in ${PROJECT_BINARY_DIR}/modulefile @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/modulefile DESTINATION share/modulefiles/pat RENAME ${PROJECT_VERSION}
          COMPONENT tools)
endif()

set(PAT_PACKAGE_CONTACT "PAT maintainers <maintainers@users.noreply.github.com>" CACHE STRING
    "Who answers for the packages")

set(CPACK_PACKAGE_NAME pat)
set(CPACK_PACKAGE_CONTACT ${PAT_PACKAGE_CONTACT})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(about "PAT watches how far each process of an MPI program has come, foretells
 when it will arrive at a collective operation, and runs collectives whose
 communication order fits the predicted pattern.")

# pat_package(COMPONENT NAME SECTION DEPENDS SUMMARY): one component, one package.
macro(pat_package component name section depends summary)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n ${about}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n ${about}")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # what a Debian package must have
    install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright DESTINATION share/doc/${name}
            COMPONENT ${component})
    install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian.gz DESTINATION share/doc/${name}
            COMPONENT ${component})
  endif()
endmacro()

if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in ${PROJECT_BINARY_DIR}/changelog.Debian @ONLY)
  execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  # Debian's manual pages are compressed; this runs after the pages of the component are installed.
  foreach(component development tools)
    install(CODE "file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man?/*.[13]\")
      if(pages)
        execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
      endif()" COMPONENT ${component})
  endforeach()
endif()

pat_package(runtime libpat0 libs "" "Process arrival times in MPI: shared libraries")
pat_package(development libpat-dev libdevel "libpat0 ${same}, libopenmpi-dev"
            "Process arrival times in MPI: development files")
pat_package(tools pat-tools science "openmpi-bin" "Process arrival times in MPI: commands")
if(TARGET pat_fortran)
  string(REGEX MATCH "^[0-9]+" gfortran "${CMAKE_Fortran_COMPILER_VERSION}")
  pat_package(fortran libpat-fortran-dev libdevel "libpat-dev ${same}, gfortran-${gfortran}, gfortran"
              "Process arrival times in MPI: module for Fortran")
endif()
if(TARGET pat_python)
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  pat_package(python python3-pat python
              "libpat0 ${same}, python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next}), python3-mpi4py, python3-numpy"
              "Process arrival times in MPI: package for Python")
endif()
foreach(upper RUNTIME TOOLS)  # those with libraries where the system looks for them
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
endforeach()
include(CPack)
