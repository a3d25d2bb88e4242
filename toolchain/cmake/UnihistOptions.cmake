# SPDX-License-Identifier: Apache-2.0
# Options, compilers' flags and the libraries that everything shares.

option(UNIHIST_BUILD_CLI "Build the unihist command" ON)
option(UNIHIST_CAIRO "Let the command draw pictures, where cairo is there" ON)
option(UNIHIST_DECODERS "Let the command read compressed files and HDF5, where libarchive, zlib and libhdf5 are there" ON)
option(UNIHIST_BUILD_PERF "Build the unihist-perf harness" ON)
option(UNIHIST_BUILD_TESTS "Build the tests" ON)
option(UNIHIST_BUILD_FUZZERS "Build the libFuzzer targets and run each for a short time as a test (clang only)" OFF)
option(UNIHIST_CHECKS "Add the checks of toolchain/check (sanitizers, static analysis, ...) to the tests" OFF)
option(UNIHIST_WERROR "Treat warnings as errors, with the compilers that judge: gcc 12, clang 14" OFF)
set(UNIHIST_LEVEL_ZERO AUTO CACHE STRING "Level Zero devices: ON, OFF, or AUTO for where everything needed is there")
set(UNIHIST_AOT "" CACHE STRING "Devices to build native binaries of the library's kernels for, such as tgllp,adl-p,dg2-g10,pvc")
set(UNIHIST_SPIRV_FROM "" CACHE PATH "A build folder of the same sources, by Ninja, to take the kernels' SPIR-V from")
set(UNIHIST_SANITIZE "" CACHE STRING "Sanitizers for every target, such as address,undefined or thread")
set(UNIHIST_HOST_LEVELS all CACHE STRING "x86-64 levels to build the kernels for the host for: all, or best, that of this CPU alone")
set(UNIHIST_FUZZ_SECONDS 10 CACHE STRING "How long the tests run each fuzzer")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# One message names all that is missing; UNIHIST_NEEDS, of a project that contains this one, may list more.
find_program(compiler NAMES ${CMAKE_C_COMPILER} $ENV{CC} cc gcc clang icx NO_CACHE)
if(compiler)
  enable_language(C)
endif()
find_package(PkgConfig)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
endif()
find_path(UNIHIST_RANDOM123_INCLUDE Random123/philox.h DOC "The folder that Random123's headers are in")
set(missing "")
foreach(part compiler:build-essential PKG_CONFIG_FOUND:pkg-config HWLOC_FOUND:libhwloc-dev
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
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  message(FATAL_ERROR "Unihist is for x86-64 hosts; this one is ${CMAKE_SYSTEM_PROCESSOR}")
endif()
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

# Debian 12's compilers are the reference: warnings of others change with each version.
set(UNIHIST_WERROR_FLAG "")
if(UNIHIST_WERROR AND "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
  set(UNIHIST_WERROR_FLAG -Werror)
endif()
if(UNIHIST_BUILD_FUZZERS AND NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "UNIHIST_BUILD_FUZZERS needs clang (libFuzzer); the compiler is ${CMAKE_C_COMPILER_ID}")
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Random123 consists of headers, for the host's compiler and that of the kernels, which must not see the other headers of
# their folder: so they are copied to a separate one.
set(UNIHIST_RANDOM123_FOLDER ${PROJECT_BINARY_DIR}/random123)
file(MAKE_DIRECTORY ${UNIHIST_RANDOM123_FOLDER})
get_filename_component(random123 "${UNIHIST_RANDOM123_INCLUDE}/Random123" ABSOLUTE)
file(CREATE_LINK "${random123}" ${UNIHIST_RANDOM123_FOLDER}/Random123 SYMBOLIC)

# Level Zero needs its headers (the loader is opened at run time) and the kernels' compilers.
set(UNIHIST_HAS_LEVEL_ZERO OFF)
if(NOT UNIHIST_LEVEL_ZERO MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "UNIHIST_LEVEL_ZERO is '${UNIHIST_LEVEL_ZERO}', expected AUTO, ON or OFF")
elseif(UNIHIST_LEVEL_ZERO STREQUAL "OFF")
  set(why_no_level_zero "UNIHIST_LEVEL_ZERO is OFF")
else()
  unihist_find_kernel_tools(missing)
  find_path(UNIHIST_ZE_INCLUDE level_zero/ze_api.h DOC "The folder of Level Zero's headers")
  if(NOT UNIHIST_ZE_INCLUDE)
    list(APPEND missing "level_zero/ze_api.h (package libze-dev or level-zero-dev)")
  endif()
  if(missing)
    list(JOIN missing "; " missing)
    set(why_no_level_zero "missing: ${missing}")
  else()
    set(UNIHIST_HAS_LEVEL_ZERO ON)
  endif()
endif()
if(UNIHIST_HAS_LEVEL_ZERO)
  set(made_by "kernels by ${UNIHIST_CLANG} and ${UNIHIST_LLVM_SPIRV}")
  message(STATUS "Unihist: for the host CPU and Level Zero devices; ${made_by}")
elseif(UNIHIST_LEVEL_ZERO STREQUAL "ON")
  message(FATAL_ERROR "UNIHIST_LEVEL_ZERO is ON, but there is ${why_no_level_zero}")
else()
  message(STATUS "Unihist: for the host CPU only, without Level Zero devices; ${why_no_level_zero}")
endif()
if(UNIHIST_AOT)
  if(NOT UNIHIST_HAS_LEVEL_ZERO)
    message(FATAL_ERROR "UNIHIST_AOT (${UNIHIST_AOT}) needs Level Zero; ${why_no_level_zero}")
  endif()
  string(REGEX MATCHALL "[^, ;]+" UNIHIST_AOT_DEVICES "${UNIHIST_AOT}")
  list(JOIN UNIHIST_AOT_DEVICES ", " text)
  message(STATUS "Unihist: native binaries of the kernels for ${text}")
endif()

# Options of all our targets. FP contraction off: the tables are made with the same expressions as the kernels evaluate,
# which requires the same rounding on both sides. __FILE__ without the folder: the library's bytes
# do not depend on where it was built.
add_library(unihist_flags INTERFACE)
target_compile_options(unihist_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> -ffp-contract=off
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= ${UNIHIST_WERROR_FLAG})
target_compile_definitions(unihist_flags INTERFACE _POSIX_C_SOURCE=200809L
  $<$<BOOL:${UNIHIST_HAS_LEVEL_ZERO}>:UNIHIST_LEVEL_ZERO>)
target_include_directories(unihist_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/api/include> ${PROJECT_SOURCE_DIR})
target_include_directories(unihist_flags SYSTEM INTERFACE ${UNIHIST_RANDOM123_FOLDER})

# Instrumented builds. Their tests run with UNIHIST_TEST_ENVIRONMENT. allocator_may_return_null: the tests include
# malloc's result for a size that is too large.
set(UNIHIST_INSTRUMENTED OFF)
set(UNIHIST_TEST_ENVIRONMENT "")
if(UNIHIST_SANITIZE)
  set(UNIHIST_INSTRUMENTED ON)
  add_compile_options(-fsanitize=${UNIHIST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${UNIHIST_SANITIZE})
  list(APPEND UNIHIST_TEST_ENVIRONMENT UNIHIST_INSTRUMENTED=${UNIHIST_SANITIZE})
endif()
if(UNIHIST_SANITIZE MATCHES "address|undefined")
  # malloc_context_size=2 keeps malloc and its caller of an allocation's stack. A suppression then covers allocations of a
  # foreign library, but not those of our functions called by that library, as by OpenMP. To see a whole
  # stack, run the test by hand. intercept_tls_get_addr=0: LLVM 14's leak check otherwise follows the tables of other
  # threads' storage, and has been seen to crash ("Tracer caught signal 11") while OpenMP's threads were ending.
  # use_sigaltstack=0: ASan's signal stack has glibc's SIGSTKSZ, which depends on the CPU. Where that is less than LLVM
  # wants (CPUs without AVX-512), PoCL's threads set a stack of their own, and at a thread's end ASan would unmap that
  # one: "failed to deallocate".
  set(asan_options allocator_may_return_null=1 detect_stack_use_after_return=1 check_initialization_order=1
    malloc_context_size=2 intercept_tls_get_addr=0 use_sigaltstack=0)
  list(JOIN asan_options : asan_options)
  list(APPEND UNIHIST_TEST_ENVIRONMENT UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=${asan_options}
    LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/toolchain/lsan.supp)
endif()
if(UNIHIST_SANITIZE MATCHES "thread")
  # OpenMP's own barriers and reductions are in a library that is not instrumented. LLVM's library reports
  # them to ThreadSanitizer through its tool Archer; gcc's libgomp has no such tool.
  get_filename_component(openmp_directory "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(openmp_directory "${openmp_directory}" DIRECTORY)
  find_library(UNIHIST_ARCHER archer HINTS ${openmp_directory})
  if(NOT UNIHIST_ARCHER OR NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "The thread sanitizer needs clang and its OpenMP library with libarcher.so (libomp-dev)")
  endif()
  # All threads are joined or idle when a program ends: the second it would wait for late races is for nothing, and
  # there are a thousand programs.
  list(APPEND UNIHIST_TEST_ENVIRONMENT OMP_TOOL_LIBRARIES=${UNIHIST_ARCHER}
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1:halt_on_error=1:atexit_sleep_ms=0)
endif()
if(UNIHIST_BUILD_FUZZERS)
  set(UNIHIST_INSTRUMENTED ON)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

# unihist_export(TARGET SYMBOLS): the shared library exports these alone, under the version of its SONAME. The public
# headers mark them with UH_API; packaging_exports compares the two.
function(unihist_export target symbols)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "UNIHIST_${PROJECT_VERSION_MAJOR} { global: ${symbols}; local: *; };\n" @ONLY)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${map})
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
  if(NOT UNIHIST_INSTRUMENTED) # clang's sanitizers leave their own symbols to the program
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
endfunction()
