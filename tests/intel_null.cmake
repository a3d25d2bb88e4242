# SPDX-License-Identifier: Apache-2.0
# Intel's driver without hardware ("intel_null"). It would write a gigabyte of commands for a thousand launches, so
# capturing is off (AUBDumpSubCaptureMode=2) and goes nowhere.
set(UNIHIST_INTEL_NULL NEOReadDebugKeys=1 SetCommandStreamReceiver=1 AUBDumpSubCaptureMode=2
  AUBDumpCaptureFileName=/dev/null ZE_ENABLE_ALT_DRIVERS=libze_intel_gpu.so.1)
set(UNIHIST_INTEL_NULL_DEVICES tgllp pvc)
set(UNIHIST_INTEL_NULL_tgllp ProductFamilyOverride=tgllp)
set(UNIHIST_INTEL_NULL_pvc ProductFamilyOverride=pvc HardwareInfoOverride=1x4x8)
set(UNIHIST_VALIDATION ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1 ZE_ENABLE_HANDLE_LIFETIME=1)

# add_intel_null_tests(NAME COMMAND...): a test for each device, and one more for each under the validation layer; none
# with sanitizers, whose runtimes do not go together with Intel's driver (RTLD_DEEPBIND).
function(add_intel_null_tests name)
  if(UNIHIST_SANITIZE)
    return()
  endif()
  foreach(device IN LISTS UNIHIST_INTEL_NULL_DEVICES)
    foreach(layer IN ITEMS "" _validated)
      set(environment ${UNIHIST_INTEL_NULL} ${UNIHIST_INTEL_NULL_${device}})
      if(layer)
        list(APPEND environment ${UNIHIST_VALIDATION})
      endif()
      set(scratch ${CMAKE_CURRENT_BINARY_DIR}/scratch/${name}_${device}${layer})
      file(MAKE_DIRECTORY ${scratch})
      add_test(NAME ${name}_${device}${layer} COMMAND ${ARGN} WORKING_DIRECTORY ${scratch})
      set_tests_properties(${name}_${device}${layer} PROPERTIES LABELS intel_null ENVIRONMENT "${environment}")
    endforeach()
  endforeach()
endfunction()
