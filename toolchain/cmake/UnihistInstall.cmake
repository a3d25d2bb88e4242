# SPDX-License-Identifier: Apache-2.0
# cmake --install: headers, both libraries, that for MPI, the CMake package, unihist.pc and unihist_mpi.pc, the commands,
# man pages, completion.
# Nothing installed names an absolute path of ours: the tree can be moved as a whole.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Unihist)

# A static library does not record its dependencies. A project with another compiler needs the OpenMP library of *our*
# compiler, so the one that find_package(OpenMP) found is named here.
set(static_needs ${HWLOC_LIBRARY_DIRS})
list(REMOVE_ITEM static_needs ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
list(TRANSFORM static_needs PREPEND -L)
list(TRANSFORM HWLOC_LIBRARIES PREPEND -l OUTPUT_VARIABLE hwloc_libraries)
list(APPEND static_needs ${hwloc_libraries})
foreach(name IN LISTS OpenMP_C_LIB_NAMES)
  if(name STREQUAL "pthread")
    continue()
  endif()
  if(NOT name STREQUAL "gomp") # gcc and clang find libgomp by themselves, but not each other's libraries
    get_filename_component(directory "${OpenMP_${name}_LIBRARY}" DIRECTORY)
    list(APPEND static_needs -L${directory})
  endif()
  list(APPEND static_needs -l${name})
endforeach()
list(APPEND static_needs -lpthread -lm)
target_link_libraries(unihist_static INTERFACE "$<INSTALL_INTERFACE:${static_needs}>")

install(TARGETS unihist EXPORT UnihistShared
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS unihist_static EXPORT UnihistStatic
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
foreach(kind Shared Static)
  install(EXPORT Unihist${kind} NAMESPACE Unihist:: FILE Unihist${kind}Targets.cmake
    DESTINATION ${package_directory} COMPONENT development)
endforeach()
set(without "")
if(NOT UNIHIST_HAS_LEVEL_ZERO) # its functions are missing
  set(without PATTERN ze.h EXCLUDE)
endif()
install(DIRECTORY api/include/unihist DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" ${without})

configure_package_config_file(toolchain/cmake/UnihistConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/UnihistConfig.cmake
  INSTALL_DESTINATION ${package_directory} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/UnihistConfigVersion.cmake
  COMPATIBILITY SameMinorVersion) # before 1.0 a minor version may break compatibility
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/UnihistConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/UnihistConfigVersion.cmake
  DESTINATION ${package_directory} COMPONENT development)
foreach(file AddIntegrand.cmake AddKernels.cmake KernelTools.cmake Program.c.in)
  install(FILES toolchain/cmake/Unihist${file} DESTINATION ${package_directory} COMPONENT development)
endforeach()

foreach(file IN LISTS UNIHIST_INTEGRAND_TEXTS)
  get_filename_component(room ${file} DIRECTORY)
  install(FILES kernels/${file} DESTINATION ${package_directory}/kernels/${room} COMPONENT development)
endforeach()

# unihist.pc finds everything relative to its own folder.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_include ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(path pc_prefix pc_include)
  string(REGEX REPLACE "/$" "" ${path} "${${path}}")
endforeach()
string(REPLACE ";" " " pc_libs_private "${static_needs}")
file(CONFIGURE OUTPUT unihist.pc CONTENT [[
prefix=${pcfiledir}/@pc_prefix@
includedir=${pcfiledir}/@pc_include@
libdir=${pcfiledir}/..

Name: Unihist
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -lunihist
Libs.private: @pc_libs_private@
]] @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/unihist.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

# libunihist_mpi, for the first MPI, with the dependencies that its compiler wrapper names.
if(UNIHIST_MPIS)
  list(GET UNIHIST_MPIS 0 mpi_name)
  install(TARGETS unihist_mpi_${mpi_name} EXPORT UnihistMpi
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi NAMELINK_COMPONENT mpi_development)
  install(EXPORT UnihistMpi NAMESPACE Unihist:: FILE UnihistMpiTargets.cmake
    DESTINATION ${package_directory} COMPONENT mpi_development)
  install(DIRECTORY api/mpi/include/unihist DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT mpi_development)
  set(mpi_cflags ${UNIHIST_MPI_${mpi_name}_INCLUDE})
  list(TRANSFORM mpi_cflags PREPEND -I)
  list(JOIN mpi_cflags " " mpi_cflags)
  list(JOIN UNIHIST_MPI_${mpi_name}_LINK " " mpi_libs)
  file(CONFIGURE OUTPUT unihist_mpi.pc CONTENT [[
prefix=${pcfiledir}/@pc_prefix@
libdir=${pcfiledir}/..

Name: Unihist MPI
Description: Unihist over the processes of an MPI program (@mpi_name@)
Version: @PROJECT_VERSION@
Requires: unihist = @PROJECT_VERSION@
Cflags: @mpi_cflags@
Libs: -L${libdir} -lunihist_mpi @mpi_libs@
]] @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/unihist_mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT mpi_development)
endif()

file(RELATIVE_PATH library_from_command ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(command unihist_command unihist_mpi_command_${mpi_name})
  if(TARGET ${command})
    set(component runtime)
    if(command MATCHES "mpi")
      set(component mpi)
    endif()
    set_target_properties(${command} PROPERTIES INSTALL_RPATH "\$ORIGIN/${library_from_command}")
    install(TARGETS ${command} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  endif()
endforeach()
if(TARGET unihist_perf)
  set(libexec ${CMAKE_INSTALL_LIBEXECDIR}/unihist)
  file(RELATIVE_PATH library_from_harness ${CMAKE_INSTALL_PREFIX}/${libexec} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(unihist_perf PROPERTIES INSTALL_RPATH "\$ORIGIN/${library_from_harness}")
  install(TARGETS unihist_perf RUNTIME DESTINATION ${libexec} COMPONENT runtime)
  install(FILES perf/unihist_perf_options.py perf/unihist_perf_pulls.py DESTINATION ${libexec} COMPONENT runtime)
endif()
if(TARGET unihist_command)
  install(DIRECTORY ${UNIHIST_MAN}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime
    FILES_MATCHING PATTERN "*.1" PATTERN "unihist-mpi.1" EXCLUDE)
  if(UNIHIST_MPIS)
    install(FILES ${UNIHIST_MAN}/unihist-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT mpi)
  endif()
  install(DIRECTORY ${UNIHIST_MAN}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT runtime
    FILES_MATCHING PATTERN "*.5")
  install(FILES ${UNIHIST_COMPLETION}/unihist.bash RENAME unihist
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
  install(FILES ${UNIHIST_COMPLETION}/unihist.zsh RENAME _unihist
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
  install(FILES ${UNIHIST_COMPLETION}/unihist.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
endif()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
