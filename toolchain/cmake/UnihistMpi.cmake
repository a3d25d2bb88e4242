# SPDX-License-Identifier: Apache-2.0
# The MPIs that libunihist_mpi is built for: their compilers' wrappers name a program's dependencies. CMake's FindMPI finds
# one MPI for a project; this finds several. It sets
#   UNIHIST_MPIS                the list of their names; the first one's library is installed
#   UNIHIST_MPI_<name>_INCLUDE  the folders of its headers
#   UNIHIST_MPI_<name>_LINK     its link options
#   UNIHIST_MPIRUN_<name>       the launcher of a program of several ranks
set(UNIHIST_MPI AUTO CACHE STRING
  "Wrappers of C compilers to build libunihist_mpi for, the first to be installed; OFF, or AUTO for those that are there")

set(UNIHIST_MPIS "")
set(wrappers ${UNIHIST_MPI})
if(UNIHIST_MPI STREQUAL "AUTO") # Debian's names; otherwise any MPI
  set(wrappers "")
  foreach(name IN ITEMS mpicc.openmpi mpicc.mpich)
    find_program(UNIHIST_${name} ${name} DOC "The wrapper of an MPI's C compiler")
    if(UNIHIST_${name})
      list(APPEND wrappers ${UNIHIST_${name}})
    endif()
  endforeach()
  find_program(UNIHIST_mpicc mpicc DOC "The wrapper of an MPI's C compiler")
  if(NOT wrappers AND UNIHIST_mpicc)
    set(wrappers ${UNIHIST_mpicc})
  endif()
elseif(NOT UNIHIST_MPI)
  set(wrappers "")
endif()

foreach(wrapper IN LISTS wrappers)
  execute_process(COMMAND ${wrapper} -show OUTPUT_VARIABLE line RESULT_VARIABLE failed ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(FATAL_ERROR "UNIHIST_MPI: '${wrapper} -show' fails; expected the wrapper of an MPI's C compiler")
  endif()
  get_filename_component(name ${wrapper} NAME)
  string(REGEX REPLACE "^mpicc\\.?" "" name "${name}")
  if(NOT name)
    set(name mpi)
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(UNIHIST_MPI_${name}_INCLUDE ${words})
  list(FILTER UNIHIST_MPI_${name}_INCLUDE INCLUDE REGEX "^-I")
  list(TRANSFORM UNIHIST_MPI_${name}_INCLUDE REPLACE "^-I" "")
  set(UNIHIST_MPI_${name}_LINK ${words})
  list(FILTER UNIHIST_MPI_${name}_LINK INCLUDE REGEX "^-([Ll]|Wl,)")
  string(REGEX REPLACE "mpicc([^/]*)$" "mpirun\\1" run "${wrapper}")
  get_filename_component(folder ${run} DIRECTORY)
  get_filename_component(run ${run} NAME)
  find_program(UNIHIST_${run} ${run} HINTS ${folder} DOC "What starts the ranks of the tests")
  set(UNIHIST_MPIRUN_${name} ${UNIHIST_${run}}) # not kept: another configuration of the folder may be without this MPI
  list(APPEND UNIHIST_MPIS ${name})
endforeach()
if(UNIHIST_MPIS)
  list(JOIN UNIHIST_MPIS " and " text)
  message(STATUS "Unihist: libunihist_mpi for ${text}")
elseif(NOT UNIHIST_MPI)
  message(STATUS "Unihist: no libunihist_mpi; UNIHIST_MPI is OFF")
else()
  message(STATUS "Unihist: no libunihist_mpi; missing: an MPI (package libopenmpi-dev or libmpich-dev)")
endif()
