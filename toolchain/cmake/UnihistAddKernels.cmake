# SPDX-License-Identifier: Apache-2.0
# unihist_add_kernels(TARGET FILE.cl... [VARIANTS FILE] [DEFINITIONS NAME[=VALUE]...]
#                     [INCLUDE_DIRECTORIES DIRECTORY...] [OPTIONS OPTION...] [BINARIES DEVICE...] [PREFIX PREFIX])
#
# Compiles OpenCL C to SPIR-V when TARGET is built and embeds it there. For NAME.cl the target gets the variable
# `const uh_program uh_program_NAME` for uh_module_create, declared in "NAME.cl.h" for C and C++. It is visible
# in the program or library that TARGET is linked into, and not outside.
#   VARIANTS   compiles one NAME.cl into a program for each kernel that the file lists: uh_program_NAME_KERNEL, in
#              "NAME.cl.h" too, so that a device compiles only kernels in use. A row of the file is a name and its
#              definitions, AXIS=VALUE,...: one kernel per combination of values; {AXIS} in the name is replaced by the
#              value, and the kernel is compiled with -DKERNEL=name and -DAXIS_VALUE for each axis. The word "fp64" at
#              the end of a row marks kernels that use double. Lines that begin with # are comments.
#   DEFINITIONS, INCLUDE_DIRECTORIES   for the kernels' preprocessor, which also finds <unihist/interpolate.h>
#   OPTIONS    further options of clang, such as -Wall
#   BINARIES   devices to make native binaries for with Intel's ocloc, if it supports them: tgllp (Iris Xe), dg1,
#              rkl, adl-s, adl-n, adl-p, rpl-p, dg2-g10, dg2-g11, dg2-g12 (Arc A), pvc (Max), mtl-u, mtl-h, arl-h
#              (Core Ultra), lnl-m, bmg-g21, bmg-g31 (Arc B), ptl-h, ptl-u. A program that uses double is named
#              NAME_f64.cl, or has "fp64" in its row of VARIANTS, and gets one for pvc and those after it only.
#   PREFIX     prefix of the variables' names, instead of uh_program_
# OpenCL C 3.0, without contraction of floating-point expressions. Included files are followed, and a change rebuilds.
#
# The variable UNIHIST_SPIRV_FROM may name another build folder of the same project: its SPIR-V is embedded then, and none
# is compiled here. The global property UNIHIST_SPIRV lists the files, which are to be up to date before a target is built.
include("${CMAKE_CURRENT_LIST_DIR}/UnihistKernelTools.cmake")

if(NOT DEFINED UNIHIST_KERNEL_INCLUDE) # otherwise the installed headers
  get_filename_component(UNIHIST_KERNEL_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/../../api/include" ABSOLUTE)
endif()

# clang does not optimize: the device's compiler does that, and LLVM's passes can produce invalid SPIR-V (loops that share
# their merge block). -O2 without the passes, because -O0 forbids inlining in the device's compiler.
set(UNIHIST_CLANG_OPTIONS -x cl -cl-std=CL3.0 -target spir64 -O2 -Xclang -disable-llvm-passes -ffp-contract=off
  -fgnu89-inline)
# The version that all Level Zero drivers accept. The validator's OpenCL environments lack optional capabilities, such as
# 64-bit atomics, so it checks SPIR-V's general rules.
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

# _unihist_compile_program(SOURCE STEM [arguments of clang]): rules for STEM.spv. A file appears under its name only
# when it is complete and valid, so that a failed one is rebuilt the next time.
function(_unihist_compile_program source stem)
  get_filename_component(name "${stem}" NAME)
  add_custom_command(
    OUTPUT "${stem}.spv"
    COMMAND ${UNIHIST_CLANG} ${UNIHIST_CLANG_OPTIONS} "-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=" ${ARGN}
      -MD -MF "${stem}.d" -MQ "${stem}.spv" -emit-llvm -c "${source}" -o "${stem}.bc"
    COMMAND ${UNIHIST_LLVM_SPIRV} ${UNIHIST_TRANSLATOR_OPTIONS} "${stem}.bc" -o "${stem}.unchecked"
    COMMAND ${UNIHIST_SPIRV_VAL} ${UNIHIST_VALIDATOR_OPTIONS} "${stem}.unchecked"
    COMMAND mv "${stem}.unchecked" "${stem}.spv"
    BYPRODUCTS "${stem}.bc"
    DEPENDS "${source}"
    DEPFILE "${stem}.d"
    COMMENT "Compiling ${name} to SPIR-V"
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
    COMMAND mv "${stem}.${target}.unchecked" "${stem}.${target}.bin"
    DEPENDS "${stem}.spv"
    COMMENT "Compiling ${name}.spv for ${target}"
    VERBATIM)
endfunction()

# unihist_read_variants(FILE OUT): the kernels of a list of variants, each as "name|1 if it uses
# double, otherwise 0|definitions separated by blanks".
function(unihist_read_variants file out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" rows REGEX "^[^#]")
  set(all "")
  foreach(row IN LISTS rows)
    separate_arguments(words UNIX_COMMAND "${row}")
    list(POP_FRONT words name)
    set(variants "${name}||")
    set(fp64 0)
    foreach(word IN LISTS words)
      set(longer "")
      if(word STREQUAL "fp64")
        set(fp64 1)
        continue()
      elseif(NOT word MATCHES "^([A-Z]+)=([a-z0-9_,]+)$")
        message(FATAL_ERROR "${file}: cannot read '${word}' of '${row}'; expected AXIS=value,... or fp64")
      endif()
      set(axis ${CMAKE_MATCH_1})
      string(REPLACE "," ";" values ${CMAKE_MATCH_2})
      foreach(variant IN LISTS variants)
        foreach(value IN LISTS values)
          string(REPLACE "{${axis}}" ${value} one "${variant}")
          list(APPEND longer "${one} ${axis}_${value}")
        endforeach()
      endforeach()
      set(variants ${longer})
    endforeach()
    list(TRANSFORM variants REPLACE "[|][|]" "|${fp64}|")
    list(APPEND all ${variants})
  endforeach()
  set(names ${all})
  list(TRANSFORM names REPLACE "[|].*" "")
  set(unique ${names})
  list(REMOVE_DUPLICATES unique)
  if(NOT names STREQUAL unique OR names MATCHES "[^a-z0-9_;]")
    message(FATAL_ERROR "${file}: expected different names of kernels, not ${names}")
  endif()
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# _unihist_embed_program(STEM SYMBOL NAME TARGETS OUT): appends to OUT the text of C that embeds STEM.spv and its native
# binaries as the variable SYMBOL.
function(_unihist_embed_program stem symbol name targets out)
  _unihist_quote_path("${stem}" quoted)
  set(text "\nUNIHIST_BYTES(\"${symbol}\", \"spirv\", \"${quoted}.spv\");\n")
  string(APPEND text "UNIHIST_TEXT(\"${symbol}\", \"name\", \"${name}\");\n")
  set(rows "")
  set(count 0)
  foreach(target IN LISTS targets)
    string(APPEND text "UNIHIST_BYTES(\"${symbol}\", \"binary${count}\", \"${quoted}.${target}.bin\");\n"
      "UNIHIST_TEXT(\"${symbol}\", \"target${count}\", \"${target}\");\n")
    string(APPEND rows " UNIHIST_ROW(\"${symbol}\", \"target${count}\", \"binary${count}\")")
    math(EXPR count "${count} + 1")
  endforeach()
  string(APPEND text "UNIHIST_PROGRAM(\"${symbol}\", \"${count}\",${rows});\n")
  set(${out} "${${out}}${text}" PARENT_SCOPE)
endfunction()

# _unihist_preprocess(DEFINITIONS DIRECTORIES): sets `directories` to absolute paths, and `arguments` to the
# preprocessor's options for both.
function(_unihist_preprocess definitions relative)
  set(arguments ${definitions})
  list(TRANSFORM arguments PREPEND -D)
  set(directories "")
  foreach(directory IN LISTS relative)
    get_filename_component(directory "${directory}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND directories "${directory}")
    list(APPEND arguments "-I${directory}")
  endforeach()
  set(arguments "${arguments}" PARENT_SCOPE)
  set(directories "${directories}" PARENT_SCOPE)
endfunction()

# _unihist_find_source(FUNCTION FILE EXTENSION): sets `source` to the file's path, and `name` to NAME of NAME.EXTENSION.
function(_unihist_find_source function file extension)
  get_filename_component(source "${file}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(name "${file}" NAME)
  if(NOT name MATCHES "^([A-Za-z_][A-Za-z0-9_]*)\\.${extension}$")
    message(FATAL_ERROR "${function}: cannot name a variable of C after '${file}', expected NAME.${extension}")
  elseif(NOT EXISTS "${source}")
    message(FATAL_ERROR "${function}: there is no file '${source}'")
  endif()
  string(REGEX REPLACE "\\.${extension}$" "" name "${name}")
  set(source "${source}" PARENT_SCOPE)
  set(name "${name}" PARENT_SCOPE)
endfunction()

# _unihist_spirv_folder(DIRECTORY OUT): the folder with the SPIR-V of a folder of the build.
function(_unihist_spirv_folder directory out)
  set(folder "${directory}")
  if(UNIHIST_SPIRV_FROM)
    file(RELATIVE_PATH folder "${PROJECT_BINARY_DIR}" "${directory}")
    set(folder "${UNIHIST_SPIRV_FROM}/${folder}")
  endif()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# _unihist_write_program(TARGET DIRECTORY STEM INCLUDE PARTS): writes `declarations` to the header named `header` and
# `programs` to STEM.c, or STEM.cpp, and makes them part of TARGET. PARTS are the files that are embedded.
function(_unihist_write_program target directory stem include parts)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(extension c)
  if(NOT "C" IN_LIST languages)
    set(extension cpp)
  endif()
  string(MAKE_C_IDENTIFIER "${header}" guard)
  file(CONFIGURE OUTPUT "${directory}/${header}" @ONLY CONTENT [[
/* SPDX-License-Identifier: Apache-2.0 */
/* Made of @inputs@ by Unihist's functions of CMake. */
#ifndef UNIHIST_@guard@_H
#define UNIHIST_@guard@_H

#include <@include@>

UH_BEGIN_C

@declarations@
UH_END_C

#endif
]])
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/UnihistProgram.c.in" "${directory}/${stem}.${extension}" @ONLY)
  # The bytes are data: link-time optimization would only lose names that the assembler defines.
  set_source_files_properties("${directory}/${stem}.${extension}" TARGET_DIRECTORY ${target} PROPERTIES
    OBJECT_DEPENDS "${parts}" COMPILE_OPTIONS -fno-lto SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE "${directory}/${stem}.${extension}")
  target_include_directories(${target} PRIVATE "${directory}"
    $<TARGET_PROPERTY:Unihist::unihist,INTERFACE_INCLUDE_DIRECTORIES>)
  get_target_property(home ${target} SOURCE_DIR)
  if(parts AND NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR) # rules are known only in the directory that states them
    add_custom_target(${target}_${stem}_kernels DEPENDS ${parts})
    add_dependencies(${target} ${target}_${stem}_kernels)
  endif()
endfunction()

function(unihist_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;VARIANTS" "DEFINITIONS;INCLUDE_DIRECTORIES;OPTIONS;BINARIES")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unihist_add_kernels: no file is named, expected (TARGET FILE.cl...)")
  endif()
  list(LENGTH arg_UNPARSED_ARGUMENTS files)
  if(DEFINED arg_VARIANTS AND NOT files EQUAL 1)
    message(FATAL_ERROR "unihist_add_kernels: VARIANTS is for one file, not for ${files}")
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
  _unihist_preprocess("${arg_DEFINITIONS}" "${arg_INCLUDE_DIRECTORIES}")
  list(APPEND arguments "-I${UNIHIST_KERNEL_INCLUDE}" ${arg_OPTIONS})

  foreach(binary IN LISTS arg_BINARIES)
    unihist_native_device(${binary} device_${binary})
  endforeach()
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    _unihist_find_source(unihist_add_kernels "${file}" cl)
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/unihist_kernels/${target}")
    set(variants "|")
    _unihist_spirv_folder("${directory}" folder)
    if(DEFINED arg_VARIANTS)
      get_filename_component(list "${arg_VARIANTS}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      unihist_read_variants("${list}" variants)
      string(APPEND folder "/${name}")
    elseif(name MATCHES "_f64$")
      set(variants "|1")
    endif()
    file(MAKE_DIRECTORY "${folder}")

    set(parts "")
    set(without "")
    set(programs "")
    set(declarations "")
    foreach(variant IN LISTS variants)
      string(REGEX MATCH "^([^|]*)[|]([^|]*)[|]?(.*)$" _ "${variant}")
      set(kernel "${CMAKE_MATCH_1}")
      set(fp64 "${CMAKE_MATCH_2}")
      separate_arguments(definitions UNIX_COMMAND "${CMAKE_MATCH_3}")
      list(TRANSFORM definitions PREPEND "-D")
      set(program ${name})
      set(stem "${folder}/${name}")
      if(kernel)
        set(program ${name}_${kernel})
        set(stem "${folder}/${kernel}")
        list(APPEND definitions -DKERNEL=${kernel})
      endif()
      set(symbol ${arg_PREFIX}${program})
      get_target_property(embedded ${target} UNIHIST_PROGRAMS)
      if("${symbol}" IN_LIST embedded)
        message(FATAL_ERROR "unihist_add_kernels: '${target}' has a program ${symbol} already")
      endif()
      set_property(TARGET ${target} APPEND PROPERTY UNIHIST_PROGRAMS ${symbol})
      if(NOT UNIHIST_SPIRV_FROM)
        _unihist_compile_program("${source}" "${stem}" ${definitions} ${arguments})
      endif()
      set_property(GLOBAL APPEND PROPERTY UNIHIST_SPIRV "${stem}.spv")
      list(APPEND parts "${stem}.spv")
      set(targets "")
      foreach(binary IN LISTS arg_BINARIES)
        if(fp64 AND NOT binary IN_LIST UNIHIST_NATIVE_DEVICES_FP64)
          list(APPEND without ${binary})
          continue()
        endif()
        _unihist_compile_binary("${stem}" ${binary} ${device_${binary}})
        list(APPEND targets ${binary})
        list(APPEND parts "${stem}.${binary}.bin")
      endforeach()
      _unihist_embed_program("${stem}" ${symbol} ${program} "${targets}" programs)
      string(APPEND declarations "extern const uh_program ${symbol} __attribute__((visibility(\"hidden\")));\n")
    endforeach()
    list(REMOVE_DUPLICATES without)
    foreach(binary IN LISTS without)
      message(STATUS "Unihist: no native binary of ${name}.cl for ${binary}, which has no double precision")
    endforeach()
    set(header "${name}.cl.h")
    set(inputs "${name}.cl")
    _unihist_write_program(${target} "${directory}" ${name} unihist/gpu.h "${parts}")
  endforeach()
endfunction()
