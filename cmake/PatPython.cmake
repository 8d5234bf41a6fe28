# Looks for a Python that has mpi4py, NumPy and pybind11, and whose mpi4py uses the MPI library of this build:
# PAT_PYTHON_FOUND, Python3_EXECUTABLE, and PAT_MPI4PY_INCLUDE. The first on the path may be one without them, so that of the system is asked, too.

# pat_ask_python(EXECUTABLE CODE RESULT): what it prints; empty if it fails.
function(pat_ask_python executable code result)
  execute_process(COMMAND ${executable} -c "${code}" OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(said "")
  endif()
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

# pat_ask_mpi4py(EXECUTABLE RESULT): whether it loads the MPI library that this build links; says what it loads if not.
function(pat_ask_mpi4py executable result)
  pat_ask_python(${executable} "
import os, mpi4py
mpi4py.rc.initialize = False
import mpi4py.MPI
files = {line.split()[-1] for line in open('/proc/self/maps') if os.path.basename(line.split()[-1]).startswith('libmpi')}
print(*sorted({os.path.realpath(file) for file in files}), sep=';', end='')" loaded)
  set(${result} FALSE PARENT_SCOPE)
  foreach(library ${MPI_C_LIBRARIES})
    file(REAL_PATH ${library} library)
    if(library IN_LIST loaded)
      set(${result} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(STATUS "The package for Python is not built: mpi4py uses ${loaded} and this build ${MPI_C_LIBRARIES}")
endfunction()

set(PAT_PYTHON_FOUND FALSE)
if(NOT Python3_EXECUTABLE)
  find_program(PAT_FIRST_PYTHON python3)
  foreach(candidate ${PAT_FIRST_PYTHON} /usr/bin/python3)
    pat_ask_python(${candidate} "import mpi4py, numpy; print(mpi4py.get_include())" PAT_MPI4PY_INCLUDE)
    if(PAT_MPI4PY_INCLUDE)
      set(Python3_EXECUTABLE ${candidate})
      break()
    endif()
  endforeach()
endif()
if(Python3_EXECUTABLE)
  pat_ask_python(${Python3_EXECUTABLE} "import mpi4py, numpy; print(mpi4py.get_include())" PAT_MPI4PY_INCLUDE)
  set(PYBIND11_FINDPYTHON OFF)
  set(Python_EXECUTABLE ${Python3_EXECUTABLE})
  find_package(Python COMPONENTS Interpreter Development.Module)
  find_package(pybind11 CONFIG)
  if(PAT_MPI4PY_INCLUDE AND Python_Development.Module_FOUND AND pybind11_FOUND)
    pat_ask_mpi4py(${Python3_EXECUTABLE} PAT_PYTHON_FOUND)
  endif()
endif()

# Where the package is installed: where a Python of the same prefix looks for it.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(PAT_INSTALL_PYTHONDIR lib/python3/dist-packages)
elseif(Python_VERSION_MAJOR)
  set(PAT_INSTALL_PYTHONDIR lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages)
endif()
