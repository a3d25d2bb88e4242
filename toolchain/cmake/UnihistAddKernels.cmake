# SPDX-License-Identifier: Apache-2.0
# unihist_add_kernels(TARGET FILE.cl... [DEFINITIONS NAME[=VALUE]...] [INCLUDE_DIRECTORIES DIRECTORY...]
#                     [OPTIONS OPTION...] [BINARIES DEVICE...] [PREFIX PREFIX])
#
# Compiles OpenCL C to SPIR-V when TARGET is built and embeds it there. For NAME.cl the target gets the variable
# `const uh_program uh_program_NAME` for uh_module_create_program, declared in "NAME.cl.h" for C and C++. It is visible
# in the program or library that TARGET is linked into, and not outside.
#   DEFINITIONS, INCLUDE_DIRECTORIES   for the kernels' preprocessor
#   OPTIONS    further options of clang, such as -Wall
#   BINARIES   devices to make native binaries for with Intel's ocloc: tgllp (Iris Xe), dg1, rkl, adl-s, adl-n, adl-p,
#              rpl-p, pvc (Max). A program that uses double is named NAME_f64.cl and gets one for pvc only.
#   PREFIX     what the variables' names begin with, instead of uh_program_
# OpenCL C 3.0, without contraction of floating-point expressions. Included files are followed, and a change rebuilds.
include("${CMAKE_CURRENT_LIST_DIR}/UnihistKernelTools.cmake")

# clang does not optimize: the device's compiler does that, and what LLVM's passes leave is at times no valid SPIR-V
# (loops that share their merge block). -O2 without the passes, since -O0 forbids inlining to the device's compiler.
set(UNIHIST_CLANG_OPTIONS -x cl -cl-std=CL3.0 -target spir64 -O2 -Xclang -disable-llvm-passes -ffp-contract=off
  -fgnu89-inline)
# What Level Zero drivers take at least. The validator's OpenCL environments know no optional capabilities, such as
# 64-bit atomics, so it is asked for SPIR-V's own rules.
set(UNIHIST_TRANSLATOR_OPTIONS --spirv-max-version=1.2 --spirv-fp-contract=off)
set(UNIHIST_VALIDATOR_OPTIONS --target-env spv1.2)

# _unihist_quote_path(PATH OUT): the path inside a string of the assembler inside a string of C.
function(_unihist_quote_path path out)
  foreach(_ RANGE 1)
    string(REPLACE "\\" "\\\\" path "${path}")
    string(REPLACE "\"" "\\\"" path "${path}")
  endforeach()
  set(${out} "${path}" PARENT_SCOPE)
endfunction()

# _unihist_compile_program(SOURCE STEM [arguments of clang]): rules for STEM.spv. Every file appears under its name only
# when it is whole and valid, so that what failed is made again the next time.
function(_unihist_compile_program source stem)
  get_filename_component(file "${source}" NAME)
  add_custom_command(
    OUTPUT "${stem}.spv"
    COMMAND ${UNIHIST_CLANG} ${UNIHIST_CLANG_OPTIONS} "-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=" ${ARGN}
      -MD -MF "${stem}.d" -MQ "${stem}.spv" -emit-llvm -c "${source}" -o "${stem}.bc"
    COMMAND ${UNIHIST_LLVM_SPIRV} ${UNIHIST_TRANSLATOR_OPTIONS} "${stem}.bc" -o "${stem}.unchecked"
    COMMAND ${UNIHIST_SPIRV_VAL} ${UNIHIST_VALIDATOR_OPTIONS} "${stem}.unchecked"
    COMMAND ${CMAKE_COMMAND} -E rename "${stem}.unchecked" "${stem}.spv"
    BYPRODUCTS "${stem}.bc"
    DEPENDS "${source}"
    DEPFILE "${stem}.d"
    COMMENT "Compiling ${file} to SPIR-V"
    VERBATIM)
endfunction()

# _unihist_compile_binary(STEM TARGET DEVICE): rules for STEM.TARGET.bin, from STEM.spv.
function(_unihist_compile_binary stem target device)
  get_filename_component(directory "${stem}" DIRECTORY)
  get_filename_component(name "${stem}" NAME)
  add_custom_command(
    OUTPUT "${stem}.${target}.bin"
    COMMAND ${UNIHIST_OCLOC} compile -q -spirv_input -file "${stem}.spv" -device ${device} -out_dir "${directory}"
      -output "${name}.${target}.unchecked" -output_no_suffix
    COMMAND ${CMAKE_COMMAND} -E rename "${stem}.${target}.unchecked" "${stem}.${target}.bin"
    DEPENDS "${stem}.spv"
    COMMENT "Compiling ${name}.spv for ${target}"
    VERBATIM)
endfunction()

# _unihist_embed_program(STEM SYMBOL NAME TARGETS EXTENSION): writes STEM.EXTENSION, which embeds STEM.spv and the native
# binaries as the variable SYMBOL, and the header STEM.cl.h that declares it.
function(_unihist_embed_program stem symbol name targets extension)
  set(templates "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  _unihist_quote_path("${stem}" quoted)
  set(binaries "")
  set(rows "")
  set(count 0)
  foreach(target IN LISTS targets)
    string(APPEND binaries "UNIHIST_BYTES(\"${symbol}_binary${count}\", \"${quoted}.${target}.bin\");\n"
      "UNIHIST_TEXT(\"${symbol}_target${count}\", \"${target}\");\n")
    string(APPEND rows "\n    UNIHIST_ROW(\"${symbol}_target${count}\", \"${symbol}_binary${count}\")")
    math(EXPR count "${count} + 1")
  endforeach()
  configure_file("${templates}/UnihistProgram.h.in" "${stem}.cl.h" @ONLY)
  configure_file("${templates}/UnihistProgram.c.in" "${stem}.${extension}" @ONLY)
endfunction()

function(unihist_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "DEFINITIONS;INCLUDE_DIRECTORIES;OPTIONS;BINARIES")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unihist_add_kernels: no file is named, expected (TARGET FILE.cl...)")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "unihist_add_kernels: '${target}' is no target")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(SHARED|STATIC|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "unihist_add_kernels: '${target}' is no program or library that is compiled here")
  endif()
  unihist_find_kernel_tools(missing)
  if(missing)
    list(JOIN missing "; " missing)
    message(FATAL_ERROR "unihist_add_kernels: missing to compile OpenCL C: ${missing}")
  endif()
  if(NOT DEFINED arg_PREFIX)
    set(arg_PREFIX uh_program_)
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(extension c)
  if(NOT "C" IN_LIST languages)
    set(extension cpp)
  endif()

  set(arguments "")
  foreach(definition IN LISTS arg_DEFINITIONS)
    list(APPEND arguments "-D${definition}")
  endforeach()
  foreach(directory IN LISTS arg_INCLUDE_DIRECTORIES)
    get_filename_component(directory "${directory}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND arguments "-I${directory}")
  endforeach()
  list(APPEND arguments ${arg_OPTIONS})

  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(source "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    get_filename_component(name "${file}" NAME)
    if(NOT name MATCHES "^([A-Za-z_][A-Za-z0-9_]*)\\.cl$")
      message(FATAL_ERROR "unihist_add_kernels: cannot name a variable of C after '${file}', expected NAME.cl")
    endif()
    set(name ${CMAKE_MATCH_1})
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "unihist_add_kernels: there is no file '${source}'")
    endif()
    get_target_property(embedded ${target} UNIHIST_PROGRAMS)
    set(symbol ${arg_PREFIX}${name})
    if("${symbol}" IN_LIST embedded)
      message(FATAL_ERROR "unihist_add_kernels: '${target}' has a program ${symbol} already")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY UNIHIST_PROGRAMS ${symbol})

    set(directory "${CMAKE_CURRENT_BINARY_DIR}/unihist_kernels/${target}")
    set(stem "${directory}/${name}")
    file(MAKE_DIRECTORY "${directory}")
    _unihist_compile_program("${source}" "${stem}" ${arguments})
    set(targets "")
    set(parts "${stem}.spv")
    foreach(binary IN LISTS arg_BINARIES)
      unihist_native_device(${binary} device)
      if(name MATCHES "_f64$" AND NOT binary IN_LIST UNIHIST_NATIVE_DEVICES_FP64)
        message(STATUS "Unihist: no native binary of ${name}.cl for ${binary}, which has no double precision")
        continue()
      endif()
      _unihist_compile_binary("${stem}" ${binary} ${device})
      list(APPEND targets ${binary})
      list(APPEND parts "${stem}.${binary}.bin")
    endforeach()
    _unihist_embed_program("${stem}" ${symbol} ${name} "${targets}" ${extension})

    # The bytes are data: link-time optimization would only lose names that the assembler defines.
    set_source_files_properties("${stem}.${extension}" TARGET_DIRECTORY ${target} PROPERTIES
      OBJECT_DEPENDS "${parts}" COMPILE_OPTIONS -fno-lto SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE "${stem}.${extension}")
    target_include_directories(${target} PRIVATE "${directory}"
      $<TARGET_PROPERTY:Unihist::unihist,INTERFACE_INCLUDE_DIRECTORIES>)
    get_target_property(home ${target} SOURCE_DIR)
    if(NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR) # rules are known only in the directory that states them
      add_custom_target(${target}_${name}_kernels DEPENDS ${parts})
      add_dependencies(${target} ${target}_${name}_kernels)
    endif()
  endforeach()
endfunction()
