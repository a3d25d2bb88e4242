# SPDX-License-Identifier: Apache-2.0
# Reads kernels/registry.def and builds every operation that it lists: for the host once for each x86-64 level (or, with
# UNIHIST_HOST_LEVELS=best, for this CPU's), for devices as SPIR-V.

set(UNIHIST_ISA_LEVELS v2 v3 v4)
set(UNIHIST_ISA_FLAGS_v2 -march=x86-64-v2)
set(UNIHIST_ISA_FLAGS_v3 -march=x86-64-v3)
set(UNIHIST_ISA_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)

# The best x86-64 level of this CPU, by the rule of runtime/cpu.c (the features that distinguish the levels).
file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
set(UNIHIST_BEST_LEVEL v2)
if(flags MATCHES " avx2 " AND flags MATCHES " bmi2 " AND flags MATCHES " fma ")
  set(UNIHIST_BEST_LEVEL v3)
  if(flags MATCHES " avx512f " AND flags MATCHES " avx512bw " AND flags MATCHES " avx512cd " AND
     flags MATCHES " avx512dq " AND flags MATCHES " avx512vl ")
    set(UNIHIST_BEST_LEVEL v4)
  endif()
endif()
# Builds for tests of this level alone need not compile the others, which take most of the time.
set(UNIHIST_HOST_LEVELS_BUILT ${UNIHIST_ISA_LEVELS})
if(UNIHIST_HOST_LEVELS STREQUAL "best")
  set(UNIHIST_HOST_LEVELS_BUILT ${UNIHIST_BEST_LEVEL})
  set(UNIHIST_ONE_LEVEL UNIHIST_ONE_LEVEL=${UNIHIST_BEST_LEVEL}) # a definition for the sources that ask
elseif(NOT UNIHIST_HOST_LEVELS STREQUAL "all")
  message(FATAL_ERROR "UNIHIST_HOST_LEVELS is '${UNIHIST_HOST_LEVELS}', expected all or best")
endif()
list(GET UNIHIST_HOST_LEVELS_BUILT 0 lowest)
string(REPLACE v UNIHIST_LOWEST_LEVEL= UNIHIST_LOWEST_LEVEL ${lowest}) # a definition too, as a number
message(STATUS "Unihist: for CPUs of x86-64-${lowest} and later (UNIHIST_HOST_LEVELS is ${UNIHIST_HOST_LEVELS})")

# unihist_read_registry(OUT): the names of the operations, in OUT, each row checked for its files.
function(unihist_read_registry out)
  set(registry ${PROJECT_SOURCE_DIR}/kernels/registry.def)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${registry})
  file(STRINGS ${registry} rows REGEX "^UH_OPERATION\\(")
  set(operations "")
  foreach(row IN LISTS rows)
    if(NOT row MATCHES "^UH_OPERATION\\(([a-z0-9_]+)\\)$")
      message(FATAL_ERROR "kernels/registry.def: cannot read the row '${row}'; expected UH_OPERATION(name)")
    endif()
    set(op ${CMAKE_MATCH_1})
    foreach(file ${op}.h ${op}_host.c ${op}.cl ${op}.variants)
      if(NOT EXISTS ${PROJECT_SOURCE_DIR}/kernels/${op}/${file})
        message(FATAL_ERROR "kernels/registry.def lists '${op}', but kernels/${op}/${file} is missing")
      endif()
    endforeach()
    list(APPEND operations ${op})
  endforeach()
  set(${out} ${operations} PARENT_SCOPE)
endfunction()

# unihist_embed_operation(OP TARGET): compiles the variants of kernels/OP/OP.cl into programs in TARGET, and writes the
# table uhi_OP_variants() of them, with uhi_OP_trial if kernels/OP/OP_trial.c exists. For tests in other languages each
# variant also has a line in variants.txt in the same folder: operation, kernel, 1 if it uses double, and the SPIR-V's
# path.
function(unihist_embed_operation op target)
  set(source ${PROJECT_SOURCE_DIR}/kernels/${op}/${op})
  set(include "")
  set(rows "{NULL, NULL, 0, 0}")
  set(count 0)
  set(trial NULL)
  if(EXISTS ${source}_trial.c)
    set(trial uhi_${op}_trial)
  endif()
  if(UNIHIST_HAS_LEVEL_ZERO)
    unihist_add_kernels(${target} ${source}.cl VARIANTS ${source}.variants PREFIX uhi_program_
      INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}
      OPTIONS -isystem ${UNIHIST_RANDOM123_FOLDER} -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Wshadow
        ${UNIHIST_WERROR_FLAG}
      BINARIES ${UNIHIST_AOT_DEVICES})
    set(include "\n#include \"${op}.cl.h\"\n")
    unihist_read_variants(${source}.variants variants)
    list(LENGTH variants count)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/unihist_kernels/${target}/${op})
    set(row "^([^|]*)[|]([^|]*)[|].*")
    list(TRANSFORM variants REPLACE ${row} "${op} \\1 \\2 ${folder}/\\1.spv\n" OUTPUT_VARIABLE lines)
    list(TRANSFORM variants REPLACE ${row} "\n        {\"\\1\", &uhi_program_${op}_\\1, \\2, 0}" OUTPUT_VARIABLE rows)
    list(JOIN rows "," rows)
    file(APPEND ${PROJECT_BINARY_DIR}/kernels/variants.txt ${lines})
  endif()
  file(CONFIGURE OUTPUT ${op}_variants.c @ONLY CONTENT [[
/* Made of @op@.variants. */
#include "kernels/common/trial.h"
@include@
const struct uhi_variants *uhi_@op@_variants(void) {
    static const struct uhi_variant rows[] = {@rows@};
    static const struct uhi_variants all = {rows, @count@, "@op@", @trial@, NULL};
    return &all;
}
]])
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${op}_variants.c)
endfunction()

# unihist_add_operation(OP TARGET): compiles kernels/OP/*.c into TARGET, and OP_host*.c once for each level into object
# libraries that join the global property UNIHIST_KERNEL_PARTS (an object library does not pass on others' objects).
function(unihist_add_operation op target)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/${op}/*.c)
  set(hosts ${sources})
  list(FILTER hosts INCLUDE REGEX "/${op}_host[^/]*$")
  list(REMOVE_ITEM sources ${hosts})
  target_sources(${target} PRIVATE ${sources})
  unihist_embed_operation(${op} ${target})
  foreach(level IN LISTS UNIHIST_HOST_LEVELS_BUILT)
    set(object ${op}_host_${level})
    add_library(${object} OBJECT ${hosts})
    target_link_libraries(${object} PRIVATE unihist_flags OpenMP::OpenMP_C)
    target_compile_options(${object} PRIVATE ${UNIHIST_ISA_FLAGS_${level}})
    target_compile_definitions(${object} PRIVATE UH_ISA=${level})
    set_property(GLOBAL APPEND PROPERTY UNIHIST_KERNEL_PARTS ${object})
  endforeach()
endfunction()
