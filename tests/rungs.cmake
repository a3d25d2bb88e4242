# SPDX-License-Identifier: Apache-2.0
# Where a test runs: on the host, on the soft driver of soft_gpu/, on Intel's driver without hardware ("intel_null"), on
# the soft driver with kernels in Oclgrind, on a GPU. Each rung but the host is a driver with settings, and has a variant under the loader's validation layer.

set(UNIHIST_VALIDATION ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1 ZE_ENABLE_HANDLE_LIFETIME=1)

# Intel's driver would write a gigabyte of commands for a thousand launches, so capturing is off and goes nowhere.
set(intel_null NEOReadDebugKeys=1 SetCommandStreamReceiver=1 AUBDumpSubCaptureMode=2 AUBDumpCaptureFileName=/dev/null
  ZE_ENABLE_ALT_DRIVERS=libze_intel_gpu.so.1)
set(rung_null_tgllp ${intel_null} ProductFamilyOverride=tgllp)
set(rung_null_pvc ${intel_null} ProductFamilyOverride=pvc HardwareInfoOverride=1x4x8)

# The soft driver's devices: the usual one; one with tiles whose clock wraps around five times a second; and those on
# which a histogram counts in each of its ways (see histogram_shape.h), or has little memory.
set(rung_soft "")
set(rung_soft_other SOFT_GPU=devices=2,tiles=2,copy_engine=1,fill_pattern=4,fp64=0,unified=1,timer_bits=22,seed=7)
set(rung_soft_counts SOFT_GPU=slm=4096,tiles=2,copy_engine=1)
set(rung_soft_private SOFT_GPU=slm=256,unified=1)
set(rung_soft_global SOFT_GPU=slm=64,eus=1,threads=1,group=64)
set(rung_soft_small SOFT_GPU=memory=67108864,fp64=0)
set(rung_soft_tiny SOFT_GPU=memory=8388608)

# The soft driver with kernels in Oclgrind, which reports races and wrong accesses: small devices, as it interprets, on
# which a histogram counts with all in local memory (even a table of all values of 16 bits), with the counts alone there,
# and in global memory.
set(rung_oclgrind_local SOFT_GPU=eus=1,threads=3,group=16,slm=1048576)
set(rung_oclgrind_counts SOFT_GPU=eus=1,threads=3,group=16,slm=2048)
set(rung_oclgrind_global SOFT_GPU=eus=1,threads=3,group=16,slm=64)

# Which test runs where. What is not listed runs on the host. A rung with _validated is under the validation layer.
set(null null_tgllp null_pvc null_tgllp_validated null_pvc_validated)
set(rungs_test_runtime_ze_queue ${null} soft soft_other soft_validated)
set(rungs_test_runtime_ze_memory ${null} soft soft_other soft_validated)
set(rungs_test_runtime_ze_events ${null} soft soft_other soft_validated)
set(rungs_test_runtime_ze_module ${null} soft soft_validated)
set(rungs_test_runtime_ze_module_cache ${null} soft soft_validated)
set(rungs_test_runtime_ze_launch ${null} soft soft_other soft_validated)
set(rungs_test_runtime_ze_range ${null} soft)
set(rungs_test_runtime_ze_out_of_memory ${null} soft)
set(rungs_test_runtime_ze_faults soft)
set(rungs_test_runtime_ze_module_faults soft)
set(rungs_test_intel_null ${null})
set(rungs_test_histogram_device soft soft_counts soft_private soft_global soft_small soft_validated)
set(rungs_test_histogram_faults soft_tiny)
set(rungs_test_histo_faults soft_tiny)
set(rungs_test_bincount_faults soft_tiny)
set(rungs_test_bincount_device soft soft_other soft_counts soft_private soft_global soft_small soft_validated)
set(rungs_test_histogramdd_device soft soft_counts soft_private soft_global soft_small soft_validated)
set(rungs_test_histogramdd_faults soft_tiny)
set(rungs_test_sample_device soft soft_other soft_counts soft_private soft_global soft_small soft_validated)
set(rungs_test_sample_faults soft_tiny)
set(rungs_test_random_faults soft_tiny)

# Those that prove results run for each level of the host's instructions, and for each way in which a device counts.
set(rungs_everywhere test_histogram_exact test_histogramdd_exact test_accumulate test_accumulate_ways test_bincount test_histo
  test_random test_sample test_sample_choice)

set(UNIHIST_OCLGRIND_LISTS ${CMAKE_CURRENT_BINARY_DIR}/oclgrind)

# add_rung_test(NAME RUNG COMMAND...): the test NAME_RUNG, if its driver can be had.
function(add_rung_test name rung)
  string(REGEX REPLACE "_validated$" "" settings ${rung})
  set(environment ${rung_${settings}})
  # Intel's driver opens its compiler with RTLD_DEEPBIND, at which a sanitizer's runtime ends the process. Under the
  # validation layer a sanitizer would see the same once more.
  if(UNIHIST_SANITIZE AND rung MATCHES "^null|_validated$")
    return()
  endif()
  if(rung MATCHES "^soft")
    if(NOT UNIHIST_SOFT_GPU)
      return()
    endif()
    list(APPEND environment ${UNIHIST_SOFT_GPU_ENVIRONMENT})
  endif()
  if(rung MATCHES "_validated$")
    list(APPEND environment ${UNIHIST_VALIDATION})
  endif()
  if(rung MATCHES "^oclgrind") # a sanitizer would see Oclgrind itself, and of the kernels what is seen without
    if(NOT UNIHIST_OCLGRIND_ENVIRONMENT OR UNIHIST_SANITIZE)
      return()
    endif()
    list(APPEND environment ${UNIHIST_OCLGRIND_ENVIRONMENT} SOFT_GPU_KERNELS=${UNIHIST_OCLGRIND_LISTS}/${name}_${rung})
  endif()
  # Drivers may write files where they are.
  set(scratch ${CMAKE_CURRENT_BINARY_DIR}/scratch/${name}_${rung})
  file(MAKE_DIRECTORY ${scratch})
  add_test(NAME ${name}_${rung} COMMAND ${ARGN} WORKING_DIRECTORY ${scratch})
  set_tests_properties(${name}_${rung} PROPERTIES ENVIRONMENT "${environment}")
  if(rung MATCHES "^null")
    set_tests_properties(${name}_${rung} PROPERTIES LABELS intel_null)
  elseif(rung MATCHES "^oclgrind")
    set_tests_properties(${name}_${rung} PROPERTIES LABELS oclgrind FIXTURES_REQUIRED oclgrind_begun
      FIXTURES_SETUP oclgrind_run)
  else()
    set_tests_properties(${name}_${rung} PROPERTIES LABELS soft_gpu)
  endif()
endfunction()

# add_tests_of(NAME): on its rungs, or on the host.
function(add_tests_of name)
  if(name IN_LIST rungs_everywhere)
    foreach(level IN LISTS UNIHIST_ISA_LEVELS)
      add_test(NAME ${name}_${level} COMMAND ${name})
      set_tests_properties(${name}_${level} PROPERTIES ENVIRONMENT "UNIHIST_ISA=${level};OMP_WAIT_POLICY=passive")
    endforeach()
    foreach(rung IN ITEMS soft soft_counts soft_private soft_global)
      add_rung_test(${name} ${rung} ${CMAKE_COMMAND} -E env UNIHIST_TEST_DEVICE=level_zero $<TARGET_FILE:${name}>)
    endforeach()
  elseif(name MATCHES "^test_kernels_") # every kernel at work on few values
    foreach(rung IN ITEMS oclgrind_local oclgrind_counts oclgrind_global)
      add_rung_test(${name} ${rung} ${name})
    endforeach()
  elseif(rungs_${name})
    foreach(rung IN LISTS rungs_${name})
      add_rung_test(${name} ${rung} ${name})
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
  endif()
endfunction()

# add_oclgrind_tests(): that no kernel of the library has been left out. Tests of the rung leave lists of the kernels that
# have run; the lists of an earlier time go first.
function(add_oclgrind_tests)
  if(UNIHIST_SANITIZE OR NOT UNIHIST_HAS_LEVEL_ZERO)
    return()
  elseif(NOT UNIHIST_OCLGRIND_ENVIRONMENT)
    add_test(NAME oclgrind_every_kernel COMMAND sh -c "echo skipped: Oclgrind or the soft driver is not there; exit 77")
    set_tests_properties(oclgrind_every_kernel PROPERTIES LABELS oclgrind)
    return()
  endif()
  set(modules "")
  get_target_property(programs unihist_kernels UNIHIST_PROGRAMS)
  foreach(program IN LISTS programs)
    string(REGEX REPLACE "^uhi_program_" "" name ${program})
    list(APPEND modules ${PROJECT_BINARY_DIR}/kernels/unihist_kernels/unihist_kernels/${name}.spv)
  endforeach()
  set(script ${UNIHIST_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/oclgrind_kernels.py)
  file(MAKE_DIRECTORY ${UNIHIST_OCLGRIND_LISTS} ${CMAKE_CURRENT_BINARY_DIR}/empty)
  add_test(NAME oclgrind_begin COMMAND ${script} --begin ${UNIHIST_OCLGRIND_LISTS})
  set_tests_properties(oclgrind_begin PROPERTIES FIXTURES_SETUP oclgrind_begun)
  add_test(NAME oclgrind_every_kernel COMMAND ${script} ${UNIHIST_OCLGRIND_LISTS} ${modules})
  set_tests_properties(oclgrind_every_kernel PROPERTIES FIXTURES_REQUIRED "oclgrind_begun;oclgrind_run")
  add_test(NAME oclgrind_misses_kernels COMMAND ${script} ${CMAKE_CURRENT_BINARY_DIR}/empty ${modules})
  set_tests_properties(oclgrind_misses_kernels PROPERTIES PASS_REGULAR_EXPRESSION "pack of .* has not run")
  set_tests_properties(oclgrind_begin oclgrind_every_kernel oclgrind_misses_kernels PROPERTIES LABELS oclgrind)
endfunction()
