# SPDX-License-Identifier: Apache-2.0
# Finds the tools that compile OpenCL C to SPIR-V and native binaries. Part of the build and of the installed package.
#   UNIHIST_CLANG, UNIHIST_LLVM_SPIRV   LLVM 14 or later, of matching versions
#   UNIHIST_SPIRV_VAL                   the validator of SPIRV-Tools
#   UNIHIST_OCLOC                       Intel's offline compiler, only for native binaries
# Each is a cache variable that may be set to a path; set to OFF, the tool counts as missing. As a script (cmake -P)
# this file prints the tools.

set(UNIHIST_LLVM_OLDEST 14)
set(UNIHIST_LLVM_NEWEST 40) # no such version yet: later ones come with other names or as plain "clang"

# _unihist_tool_version(PROGRAM OUT): the major version that an LLVM tool reports, 0 for none.
function(_unihist_tool_version program out)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE text ERROR_QUIET)
  set(version 0)
  if(text MATCHES "version ([0-9]+)\\.")
    set(version ${CMAKE_MATCH_1})
  endif()
  set(${out} ${version} PARENT_SCOPE)
endfunction()

# _unihist_tool_candidates(VARIABLE NAME OUT): "version|path" of each NAME and NAME-NN that is new enough, newest first;
# only the tool named by the cache variable VARIABLE, if set.
function(_unihist_tool_candidates variable name out)
  set(paths "")
  if(DEFINED ${variable})
    if(${variable})
      list(APPEND paths "${${variable}}")
    endif()
  else()
    foreach(version RANGE ${UNIHIST_LLVM_NEWEST} ${UNIHIST_LLVM_OLDEST} -1)
      find_program(path NAMES ${name}-${version} PATHS /usr/lib/llvm-${version}/bin NO_CACHE)
      if(path)
        list(APPEND paths "${path}")
      endif()
      unset(path)
    endforeach()
    find_program(path NAMES ${name} NO_CACHE)
    if(path)
      list(APPEND paths "${path}")
    endif()
  endif()
  set(candidates "")
  foreach(path IN LISTS paths)
    _unihist_tool_version("${path}" version)
    if(NOT version LESS UNIHIST_LLVM_OLDEST)
      list(APPEND candidates "${version}|${path}")
    endif()
  endforeach()
  list(SORT candidates COMPARE NATURAL ORDER DESCENDING)
  set(${out} "${candidates}" PARENT_SCOPE)
endfunction()

# _unihist_choose_llvm(OUT): sets UNIHIST_CLANG and UNIHIST_LLVM_SPIRV; OUT is the list of missing tools. A
# translator reads the bitcode of its own LLVM and of older ones, so its version is clang's, or the next above that.
function(_unihist_choose_llvm out)
  _unihist_tool_candidates(UNIHIST_CLANG clang clangs)
  _unihist_tool_candidates(UNIHIST_LLVM_SPIRV llvm-spirv translators)
  math(EXPR farthest "${UNIHIST_LLVM_NEWEST} - ${UNIHIST_LLVM_OLDEST}")
  foreach(distance RANGE ${farthest})
    foreach(clang IN LISTS clangs)
      foreach(translator IN LISTS translators)
        string(REGEX REPLACE "\\|.*" "" clang_version "${clang}")
        string(REGEX REPLACE "\\|.*" "" translator_version "${translator}")
        math(EXPR difference "${translator_version} - ${clang_version}")
        if(difference EQUAL distance)
          string(REGEX REPLACE "^[0-9]*\\|" "" clang "${clang}")
          string(REGEX REPLACE "^[0-9]*\\|" "" translator "${translator}")
          set(UNIHIST_CLANG "${clang}" CACHE FILEPATH "The clang that compiles OpenCL C")
          set(UNIHIST_LLVM_SPIRV "${translator}" CACHE FILEPATH "The llvm-spirv that translates clang's bitcode")
          set(${out} "" PARENT_SCOPE)
          return()
        endif()
      endforeach()
    endforeach()
  endforeach()

  set(missing "")
  set(wanted "llvm-spirv-NN for clang's version NN")
  if(clangs)
    string(REGEX REPLACE "\\|.*" "" version "${clangs}")
    set(wanted "llvm-spirv-${version}")
  else()
    list(APPEND missing "clang ${UNIHIST_LLVM_OLDEST} or later (package clang)")
  endif()
  if(NOT translators)
    list(APPEND missing "llvm-spirv (package ${wanted})")
  elseif(clangs)
    string(REGEX REPLACE "\\|.*" "" found "${translators}")
    list(APPEND missing "an llvm-spirv that is no older than clang ${version}, as ${found} is (package ${wanted})")
  endif()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

# unihist_find_kernel_tools(OUT): finds clang, llvm-spirv and spirv-val. OUT is the list of missing tools, each with
# its package.
function(unihist_find_kernel_tools out)
  _unihist_choose_llvm(missing)
  find_program(UNIHIST_SPIRV_VAL spirv-val DOC "The validator of SPIRV-Tools")
  if(NOT UNIHIST_SPIRV_VAL)
    list(APPEND missing "spirv-val (package spirv-tools)")
  endif()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

# Devices whose native binaries the library recognizes, as runtime/ze_target.c names them, and those of them that compute
# in double precision.
set(UNIHIST_NATIVE_DEVICES_FP64 pvc mtl-u mtl-h arl-h lnl-m bmg-g21 bmg-g31 ptl-h ptl-u)
set(UNIHIST_NATIVE_DEVICES tgllp dg1 rkl adl-s adl-n adl-p rpl-p dg2-g10 dg2-g11 dg2-g12 ${UNIHIST_NATIVE_DEVICES_FP64})

# unihist_native_device(DEVICE NAME): checks that the ocloc of this machine compiles for the device of that list, and
# stores ocloc's name of it; otherwise a configure-time error.
function(unihist_native_device device out)
  list(JOIN UNIHIST_NATIVE_DEVICES ", " known)
  if(NOT device IN_LIST UNIHIST_NATIVE_DEVICES)
    message(FATAL_ERROR "Native binaries: unknown device '${device}', expected one of ${known}")
  endif()
  find_program(UNIHIST_OCLOC ocloc DOC "Intel's offline compiler")
  if(NOT UNIHIST_OCLOC)
    message(FATAL_ERROR "Native binaries (for ${device}) need ocloc (package intel-opencl-icd or intel-ocloc)")
  endif()
  set(names ${device})
  if(device STREQUAL "rpl-p") # Raptor Lake's mobile chips are Alder Lake's
    list(APPEND names adl-p)
  endif()
  foreach(name IN LISTS names)
    execute_process(COMMAND ${UNIHIST_OCLOC} ids ${name} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${out} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "Native binaries: ${UNIHIST_OCLOC} cannot compile for '${device}', expected a device that 'ocloc ids' knows")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  unihist_find_kernel_tools(missing)
  message("clang: ${UNIHIST_CLANG}\nllvm-spirv: ${UNIHIST_LLVM_SPIRV}\nspirv-val: ${UNIHIST_SPIRV_VAL}")
  list(JOIN missing "; " missing)
  message("missing: ${missing}")
endif()
