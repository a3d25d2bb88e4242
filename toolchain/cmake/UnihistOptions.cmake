# SPDX-License-Identifier: Apache-2.0
# Options, compilers' flags and the libraries that everything shares.

option(UNIHIST_BUILD_CLI "Build the unihist command" ON)
option(UNIHIST_BUILD_PERF "Build the unihist-perf harness" ON)
option(UNIHIST_BUILD_TESTS "Build the tests" ON)
option(UNIHIST_BUILD_FUZZERS "Build the libFuzzer targets (clang only)" OFF)
option(UNIHIST_WERROR "Treat warnings as errors" OFF)
set(UNIHIST_SANITIZE "" CACHE STRING "Sanitizers for every target, such as address,undefined or thread")

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  message(FATAL_ERROR "Unihist is for x86-64 hosts; this one is ${CMAKE_SYSTEM_PROCESSOR}")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

# What every target of ours is compiled with. FP contraction off: the tables are made with the very expressions that
# the kernels evaluate, which needs the same rounding on both sides.
add_library(unihist_flags INTERFACE)
target_compile_options(unihist_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -ffp-contract=off
  $<$<BOOL:${UNIHIST_WERROR}>:-Werror>)
target_compile_definitions(unihist_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_include_directories(unihist_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/api/include> ${PROJECT_SOURCE_DIR})
if(UNIHIST_SANITIZE)
  add_compile_options(-fsanitize=${UNIHIST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${UNIHIST_SANITIZE})
endif()
