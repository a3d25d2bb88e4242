# SPDX-License-Identifier: Apache-2.0
# What every build needs: one message names all that is missing, before C is enabled. UNIHIST_NEEDS may list more, as
# VARIABLE:PACKAGE. A project that contains this one includes this file itself if it does not enable C.
include_guard(GLOBAL)
find_program(UNIHIST_COMPILER NAMES ${CMAKE_C_COMPILER} $ENV{CC} cc gcc clang icx NO_CACHE)
if(UNIHIST_COMPILER)
  enable_language(C)
endif()
find_package(PkgConfig)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
endif()
find_path(UNIHIST_RANDOM123_INCLUDE Random123/philox.h DOC "The folder that Random123's headers are in")
set(missing "")
foreach(part UNIHIST_COMPILER:build-essential PKG_CONFIG_FOUND:pkg-config HWLOC_FOUND:libhwloc-dev
    UNIHIST_RANDOM123_INCLUDE:librandom123-dev ${UNIHIST_NEEDS})
  string(REPLACE ":" ";" part ${part})
  list(POP_FRONT part found)
  if(NOT ${found})
    string(APPEND missing " ${part}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "Unihist needs a C compiler, hwloc, found by pkg-config, and Random123. On Debian and Ubuntu this "
    "installs what is missing:\n    sudo apt install${missing}\nWhere Random123 is installed elsewhere, "
    "-DUNIHIST_RANDOM123_INCLUDE=FOLDER names the folder that Random123/ is in.")
endif()
