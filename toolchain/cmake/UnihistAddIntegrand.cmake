# SPDX-License-Identifier: Apache-2.0
# unihist_add_integrand(TARGET FILE.c... [DEFINITIONS NAME[=VALUE]...] [INCLUDE_DIRECTORIES DIRECTORY...])
#
# Compiles integrands, texts of <unihist/integrand.h>, when TARGET is built: for the host at each x86-64 level, and to
# SPIR-V for devices, with and without float64. For NAME.c the target gets the variable `const uh_integrand_code
# uh_integrand_NAME`, declared in "NAME.c.h" for C and C++, for the member `code` of uh_integrand. It is visible in the
# program or library that TARGET is linked into, and not outside. For the host a text is compiled as C++ in projects
# without C.
#   DEFINITIONS, INCLUDE_DIRECTORIES   for the preprocessors of all
# Without clang or llvm-spirv, integrands run on the host only, and a message reports it.
include("${CMAKE_CURRENT_LIST_DIR}/UnihistAddKernels.cmake")

# The texts that are compiled around an integrand, and their root folder.
set(UNIHIST_INTEGRAND_TEXTS common/integers.h common/philox.inc common/sequence.h common/wide.inc integrate/coordinates.inc integrate/cubature.h
    integrate/cubature.inc integrate/integrand.cl
  integrate/integrate.h integrate/numbers.inc integrate/strip.inc)
# The public headers that a text includes, without <unihist/ and .h>: for programs that compile texts at run time.
set(UNIHIST_INTEGRAND_HEADERS base device exchange gpu integrand integrate interpolate random)
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/kernels/integrate/integrand.cl")
  set(UNIHIST_KERNEL_TEXTS "${CMAKE_CURRENT_LIST_DIR}")
else()
  get_filename_component(UNIHIST_KERNEL_TEXTS "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
endif()

# Pointers without an address space are private, as on devices without generic ones.
set(UNIHIST_INTEGRAND_EXTENSIONS
  -cl-ext=-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue)
set(UNIHIST_INTEGRAND_OPTIONS_fp64 -Xclang ${UNIHIST_INTEGRAND_EXTENSIONS})
set(UNIHIST_INTEGRAND_OPTIONS_fp32 -Xclang ${UNIHIST_INTEGRAND_EXTENSIONS},-cl_khr_fp64,-__opencl_c_fp64
  -cl-single-precision-constant -DUHI_FP32=1)

function(unihist_add_integrand target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEFINITIONS;INCLUDE_DIRECTORIES")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unihist_add_integrand: no file is named, expected (TARGET FILE.c...)")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "unihist_add_integrand: '${target}' is no target")
  endif()
  unihist_find_kernel_tools(missing)
  if(missing)
    list(JOIN missing "; " missing)
    message(STATUS "Unihist: integrands of ${target} run on the host alone; missing to compile OpenCL C: ${missing}")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  _unihist_preprocess("${arg_DEFINITIONS}" "${arg_INCLUDE_DIRECTORIES}")
  list(APPEND arguments "-I${UNIHIST_KERNEL_TEXTS}" "-I${UNIHIST_KERNEL_INCLUDE}")

  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    _unihist_find_source(unihist_add_integrand "${file}" c)
    set(symbol uh_integrand_${name})
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/unihist_kernels/${target}")
    file(MAKE_DIRECTORY "${directory}")

    if(NOT "C" IN_LIST languages)
      set_source_files_properties("${source}" PROPERTIES LANGUAGE CXX)
    endif()
    set(hosts "")
    foreach(level IN ITEMS v2 v3 v4)
      set(object ${target}_${name}_${level})
      add_library(${object} OBJECT "${source}")
      target_compile_options(${object} PRIVATE -O3 -march=x86-64-${level} -ffp-contract=off -fno-math-errno
        -fno-trapping-math)
      if(level STREQUAL "v4")
        target_compile_options(${object} PRIVATE -mprefer-vector-width=512)
      endif()
      target_compile_definitions(${object} PRIVATE UH_INTEGRAND_HOST=${symbol}_${level} ${arg_DEFINITIONS})
      target_include_directories(${object} PRIVATE ${directories} "${UNIHIST_KERNEL_INCLUDE}")
      set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
        CXX_VISIBILITY_PRESET hidden)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
      list(APPEND hosts ${symbol}_${level})
    endforeach()

    set(programs "")
    set(parts "")
    set(members "NULL, NULL")
    if(NOT missing)
      _unihist_spirv_folder("${directory}" folder)
      foreach(type IN ITEMS fp64 fp32)
        set(stem "${folder}/${name}_${type}")
        if(NOT UNIHIST_SPIRV_FROM)
          _unihist_compile_program("${UNIHIST_KERNEL_TEXTS}/kernels/integrate/integrand.cl" "${stem}" ${arguments}
            ${UNIHIST_INTEGRAND_OPTIONS_${type}} "-DUNIHIST_INTEGRAND=\"${source}\"")
        endif()
        set_property(GLOBAL APPEND PROPERTY UNIHIST_SPIRV "${stem}.spv")
        list(APPEND parts "${stem}.spv")
        _unihist_embed_program("${stem}" ${symbol}_${type} ${name}_${type} "" programs)
      endforeach()
      set(members "&${symbol}_fp64, &${symbol}_fp32")
    endif()
    list(JOIN hosts ", &" rows)
    list(JOIN hosts ", " hosts)
    set(header "${name}.c.h")
    set(inputs "${name}.c")
    set(declarations "extern const uh_integrand_code ${symbol} __attribute__((visibility(\"hidden\")));\n")
    string(APPEND programs "\nextern const uh_integrand_host ${hosts};\n")
    if(NOT missing)
      string(APPEND programs "extern const uh_program ${symbol}_fp64, ${symbol}_fp32;\n")
    endif()
    string(APPEND programs "const uh_integrand_code ${symbol} = {\"${name}\", {&${rows}}, ${members}};\n")
    _unihist_write_program(${target} "${directory}" ${name}_integrand unihist/integrate.h "${parts}")
  endforeach()
endfunction()
