# SPDX-License-Identifier: Apache-2.0
# The table of tests: each test, where it runs, and for each build (gcc, clang, ASan+UBSan, TSan) whether it runs there.
# toolchain/cmake/UnihistTests.cmake reads it. A test on a rung is called TEST_RUNG (on the host: TEST) and has the names
# of its room and of the rung's driver as labels. A test without a row, or a row without a verdict for each build, fails
# the configuration.
#
# A verdict is one of these:
#   deep       runs in this build, and so by toolchain/test --deep
#   fast       gcc's build alone: runs by toolchain/test too; of x86-64 levels, the best that this CPU has
#   best       of x86-64 levels, runs if it is the best that this CPU has
#   half, third, quarter, eighth
#              takes long and seldom finds more: runs in every second, third, fourth or eighth turn of the deep tier
#   weekly     runs in the weekly tier alone (toolchain/test --weekly), which runs all of these in this build
# or why the test does not run in this build:
#   asan       the ASan build is by clang, too, and runs it: what full optimization could change is proved in C
#   level      this x86-64 level is compiled from the text of a better one, which runs; the sanitizers' builds have the
#              best level alone (UNIHIST_HOST_LEVELS)
#   kernels    what it adds to other rungs are the device's kernels, the same bytes in every build; gcc's runs them
#   intel      Intel's driver and compiler: a sanitizer's runtime ends the process when they are opened (RTLD_DEEPBIND),
#              and what they make of the kernels is the same by either compiler
#   layer      the validation layer would see the same calls once more
#   oclgrind   a sanitizer would see Oclgrind itself
#   script     Python that runs hundreds of short processes, or compares numbers that other tests of this build prove
#   amount     proves numbers by their amount, 10^8 and more; that builds agree to the bit is proved by other tests
#   fork       forks while a driver's threads work, and the child goes on: this sanitizer's malloc, as of clang 14, may
#              leave it a lock that nobody holds
#   serial     one thread at work: the thread sanitizer has nothing to see
#   cmake      what CMake and the kernels' compiler do, not the host's compiler
#   package    instrumented libraries are not for installing
#   libfuzzer  fuzzers are of the ASan build, which has libFuzzer
#   mpi        MPI's own libraries are not of this build; the loops that they connect are proved by test_exchange. Two
#              ranks of Open MPI run in the ASan build
#   sources    looks at the sources or at one build: once is enough
set(UNIHIST_TEST_VERDICTS
  deep half third quarter eighth weekly
  asan level kernels intel layer oclgrind script amount fork serial cmake package libfuzzer mpi sources)

# ---- the rungs, each a driver with settings: nothing but environment ----

unihist_test_rung(host UNNAMED)
# v2, which is made of the same text as the better levels, and v3 with each of its ways of loading entries alone are tried
# coarsely in the deep tier, too: of test_histogram_exact a quarter of points and axes, of a described case two turns.
foreach(level IN LISTS UNIHIST_ISA_LEVELS)
  set(coarse "")
  if(level STREQUAL "v2" AND NOT UNIHIST_BEST_LEVEL STREQUAL "v2")
    set(coarse UNIHIST_TEST_COARSE=1)
  endif()
  unihist_test_rung(${level} ENVIRONMENT UNIHIST_ISA=${level} ${coarse})
endforeach()
unihist_test_rung(v3_gathers ENVIRONMENT UNIHIST_ISA=v3-gathers UNIHIST_TEST_COARSE=1)
unihist_test_rung(v3_loads ENVIRONMENT UNIHIST_ISA=v3-loads UNIHIST_TEST_COARSE=1)

# The soft driver's devices: the usual one; one with tiles whose clock wraps around five times a second; and those on
# which a histogram counts in each of its ways (see histogram_shape.h), or has little memory. The driver's own tests run
# without any setting. Where the driver stands in the loader's place, and where the loader is of today, lists are in order
# and events are counters, as on drivers of today; else a chain of events keeps the order.
unihist_test_rung(soft DRIVER soft AS_LOADER)
unihist_test_rung(soft_other DRIVER soft
  ENVIRONMENT SOFT_GPU=in_order=0,devices=2,tiles=2,copy_engine=1,fill_pattern=4,fp64=0,unified=1,timer_bits=22,seed=7)
unihist_test_rung(soft_flat DRIVER soft ENVIRONMENT SOFT_GPU=devices=2,tiles=2,flat=1)
unihist_test_rung(soft_counts DRIVER soft AS_LOADER ENVIRONMENT SOFT_GPU=slm=4096,tiles=2,copy_engine=1,import=0)
unihist_test_rung(soft_private DRIVER soft ENVIRONMENT SOFT_GPU=slm=256,unified=1,fp64=0)
unihist_test_rung(soft_global DRIVER soft ENVIRONMENT SOFT_GPU=in_order=0,slm=64,eus=1,threads=1,group=64)
unihist_test_rung(soft_small DRIVER soft ENVIRONMENT SOFT_GPU=memory=67108864,fp64=0)
# One as slow as its clock tells, which is lost where a launch takes longer than 300 ms.
unihist_test_rung(soft_slow DRIVER soft ENVIRONMENT SOFT_GPU=slow=100,clock=13,eus=1,group=64,watchdog=300)
# Where calls fail one by one, the uses are many and small: commands run in the thread that waits for them.
unihist_test_rung(soft_tiny DRIVER soft AS_LOADER ENVIRONMENT SOFT_GPU=workers=0,memory=8388608)
unihist_test_rung(soft_chain DRIVER soft
  ENVIRONMENT SOFT_GPU=in_order=0,workers=0,memory=33554432)
# Several devices as one, which share the work: four, one of them three times as slow; and the two tiles
# of a card that the driver lists as devices, the host beside them.
unihist_test_rung(soft_several DRIVER soft AS_LOADER
  ENVIRONMENT SOFT_GPU=devices=4,slow=3/1 UNIHIST_TEST_DEVICE=level_zero:*)
unihist_test_rung(soft_all DRIVER soft ENVIRONMENT SOFT_GPU=tiles=2,flat=1 UNIHIST_TEST_DEVICE=all)
unihist_test_rung(soft_pair DRIVER soft
  ENVIRONMENT SOFT_GPU=devices=2,workers=0,memory=8388608 UNIHIST_TEST_DEVICE=all)
# Beside a driver without devices, for which a loader gives handles of its own.
unihist_test_rung(soft_beside DRIVER soft ENVIRONMENT ${UNIHIST_SOFT_GPU_BESIDE})
unihist_test_rung(soft_validated DRIVER soft VALIDATED)
# The same over Intel's OpenCL for CPUs, where that is installed: it takes SPIR-V as it is, and has sub-groups.
unihist_test_rung(soft_intel DRIVER soft_intel)
unihist_test_rung(driver DRIVER soft UNNAMED)
unihist_test_rung(driver_waits DRIVER soft ENVIRONMENT SOFT_GPU=workers=0)

# The soft driver with kernels in Oclgrind, which reports races and wrong accesses: small devices, as it interprets, on
# which a histogram counts with all in local memory (even a table of all values of 16 bits), with as much there as on
# GPUs, with the counts alone there, and in global memory; and one of groups as large as integrals take.
unihist_test_rung(oclgrind_local DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=1048576)
unihist_test_rung(oclgrind_usual DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=65536)
unihist_test_rung(oclgrind_counts DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=2048)
unihist_test_rung(oclgrind_global DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=64)
unihist_test_rung(oclgrind_wide DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=16,group=256,slm=65536)
unihist_test_rung(driver_oclgrind DRIVER oclgrind UNNAMED)
unihist_test_rung(oclgrind_lists DRIVER lists LABEL oclgrind UNNAMED)
set(oclgrind oclgrind_local,oclgrind_counts,oclgrind_global)

# Intel's driver without hardware. It would write a gigabyte of commands for a thousand launches, so capturing is off and
# goes nowhere.
set(intel NEOReadDebugKeys=1 SetCommandStreamReceiver=1 AUBDumpSubCaptureMode=2 AUBDumpCaptureFileName=/dev/null
  UseAubStream=0 UNIHIST_SELF_TEST=off ZE_ENABLE_ALT_DRIVERS=libze_intel_gpu.so.1)
set(intel_tgllp ${intel} ProductFamilyOverride=tgllp HardwareInfoOverride=1x6x16)
set(intel_pvc ${intel} ProductFamilyOverride=pvc HardwareInfoOverride=1x4x8)
unihist_test_rung(null_tgllp DRIVER intel ENVIRONMENT ${intel_tgllp})
unihist_test_rung(null_pvc DRIVER intel ENVIRONMENT ${intel_pvc})
unihist_test_rung(null_tgllp_validated DRIVER intel VALIDATED ENVIRONMENT ${intel_tgllp})
unihist_test_rung(null_pvc_validated DRIVER intel VALIDATED ENVIRONMENT ${intel_pvc})
set(null null_tgllp,null_pvc,null_tgllp_validated,null_pvc_validated)

# Real hardware, where there is some.
unihist_test_rung(gpu LABEL gpu UNNAMED)

# ---- the tests: a room is a program, tests_ROOM, or a set of scripts ----
room(api)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_axis                            host                                               fast      weekly    deep      serial)
row(test_axis_distribution               host                                               fast      weekly    deep      serial)
row(test_overlap                         host                                               fast      weekly    deep      serial)
row(test_overlap                         soft,soft_all                                      fast      kernels   deep      kernels)
row(test_headers                         host                                               fast      weekly    deep      serial
  INPUTS api/include)

# What the description of each operation (tests/cases_OPERATION.c) says, whatever it is.
room(described SOURCES fault_run.c)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(results_histogram                    v3_gathers,v3_loads                                deep      level     level     level
  FILE test_described_exact ARGS histogram)
row(results_sample                       v3_gathers,v3_loads                                deep      level     level     level
  FILE test_described_exact ARGS sample)
foreach(op IN LISTS operations)
  row(results_${op}                      v4,v3                                              fast      best      best      best
    FILE test_described_exact ARGS ${op})
  row(results_${op}                      v2                                                 fast      best      best      best
    FILE test_described_exact ARGS ${op})
  row(results_${op}                      soft                                               fast      kernels   kernels   kernels
    FILE test_described_exact ARGS ${op})
  # Each of the other devices has its share of the cases: they differ in where there is a counter or an array, not in
  # what is computed. The usual one has all; what a share leaves out of one of these, another one has nearly always.
  row(results_${op}                      soft_counts,soft_private,soft_global,soft_small    half      kernels   kernels   kernels
    FILE test_described_exact ARGS ${op} 2)
  row(results_${op}                      soft_other                                         deep      kernels   deep      kernels
    FILE test_described_exact ARGS ${op} 3)
  row(results_${op}                      soft_several                                       deep      kernels   kernels   kernels
    FILE test_described_exact ARGS ${op} 3)
  row(results_${op}                      soft_all                                           deep      kernels   deep      kernels
    FILE test_described_exact ARGS ${op} 3)
  if(UNIHIST_INTEL_OPENCL_ENVIRONMENT)
    row(results_${op}                    soft_intel                                         deep      kernels   intel     intel
      FILE test_described_exact ARGS ${op})
  endif()
  row(results_${op}                      soft_validated                                     half      layer     layer     layer
    FILE test_described_exact ARGS ${op} 3)
  row(faults_${op}                       soft_pair                                          half      kernels   deep      serial
    FILE test_described_faults ARGS ${op})
  row(faults_${op}                       soft_tiny                                          fast      kernels   deep      serial
    FILE test_described_faults ARGS ${op})
endforeach()
row(test_described_losses                soft_several                                       deep      kernels   deep      kernels)
row(faults_histogram                     soft_chain                                         half      kernels   kernels   serial
  FILE test_described_faults ARGS histogram)
row(test_described_bounds                soft_slow                                          fast      kernels   deep      kernels)
row(test_described_drivers               soft                                               fast      weekly    deep      serial)

room(histogram)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_cases_histogram                 host                                               fast      weekly    deep      deep)
row(test_histogram                       host                                               fast      weekly    deep      deep)
row(test_histogram_cancelled             host                                               fast      weekly    amount    amount)
row(test_histogram_categories            v4,v3                                              fast      weekly    best      best)
row(test_histogram_categories            v2                                                 fast      weekly    best      best)
row(test_histogram_categories            soft                                               fast      kernels   deep      kernels)
row(test_histogram_categories            soft_counts,soft_private,soft_global               deep      kernels   kernels   kernels)
row(test_histogram_device                soft                                               fast      weekly    deep      kernels)
row(test_histogram_device                soft_counts,soft_private                           deep      kernels   kernels   kernels)
row(test_histogram_device                soft_global,soft_small                             deep      kernels   deep      kernels)
row(test_histogram_device                soft_validated                                     half      layer     layer     layer)
row(test_histogram_errors                host                                               fast      weekly    deep      deep)
row(test_histogram_every_float           host                                               deep      amount    amount    amount)
row(test_histogram_every_float           soft                                               deep      kernels   kernels   kernels)
row(test_histogram_exact                 v4,v3                                              fast      best      best      best)
row(test_histogram_exact                 v2                                                 fast      best      best      best)
row(test_histogram_exact                 v3_gathers,v3_loads                                half      level     level     level)
row(test_histogram_exact                 soft                                               deep      kernels   deep      kernels)
row(test_histogram_exact                 soft_counts,soft_private,soft_global               deep      kernels   kernels   kernels)
row(test_histogram_keys                  host                                               fast      weekly    deep      deep)
row(test_histogram_of                    host                                               fast      weekly    deep      deep)
row(test_histogram_place                 host                                               fast      weekly    deep      deep)
row(test_histogram_plan                  host                                               fast      weekly    deep      deep)
row(test_histogram_planner               host                                               fast      weekly    deep      deep)
row(test_geometry                        host                                               fast      weekly    deep      deep)
row(test_pace                            host                                               fast      weekly    deep      serial)
row(test_shape                           host                                               fast      weekly    deep      deep)
row(test_shares                          host                                               fast      weekly    deep      deep)
row(test_histogram_buckets               host                                               fast      weekly    asan      amount)
row(test_histogram_threads               host                                               fast      weekly    deep      deep)

room(histogramdd)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_histogramdd                     host                                               fast      weekly    deep      deep)
row(test_histogramdd_fused               host                                               fast      weekly    deep      serial)
row(test_histogramdd_fused               soft                                               fast      weekly    deep      kernels)
row(test_histogramdd_fused               soft_other,soft_counts                deep      kernels   deep      kernels)
row(test_histogramdd_exact               v4,v3                                              fast      best      best      best)
row(test_histogramdd_exact               v2                                                 fast      best      best      best)
row(test_histogramdd_exact               v3_gathers,v3_loads                                half      level     level     level)
row(test_histogramdd_exact               soft                                               fast      kernels   deep      kernels)
row(test_histogramdd_exact               soft_counts,soft_private,soft_global               deep      kernels   kernels   kernels)

room(accumulate)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_accumulate                      v4,v3                                              fast      best      best      best)
row(test_accumulate                      v2                                                 fast      best      best      best)
row(test_accumulate                      soft                                               deep      weekly    deep      kernels)
row(test_wide                            host                                               fast      weekly    deep      serial)
row(test_accumulate                      soft_counts,soft_private,soft_global               deep      kernels   kernels   kernels)

room(bincount)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_bincount                        v4,v3                                              fast      best      best      best)
row(test_bincount                        v2                                                 fast      best      best      best)
row(test_bincount                        soft                                               fast      weekly    deep      kernels)
row(test_bincount                        soft_other,soft_global,soft_small                  deep      kernels   deep      kernels)

room(histo)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_histo_geometry                  host                                               fast      weekly    deep      deep)
row(test_histo                           v4,v3                                              fast      best      best      best)
row(test_histo                           v2                                                 fast      best      best      best)
row(test_histo                           soft_global                                        fast      kernels   deep      kernels)
row(test_histo                           soft                                               deep      kernels   deep      kernels)
row(test_histo                           soft_counts,soft_private                           deep      kernels   kernels   kernels)

room(random)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_random                          v4,v3                                              fast      best      best      best)
row(test_random                          v2                                                 fast      best      best      best)
row(test_random                          soft                                               fast      weekly    deep      kernels)

room(integrate)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_integrate                       host                                               fast      weekly    deep      deep)
row(test_integrate_steps                 host                                               fast      weekly    amount    amount)
row(test_integrate_calls                 host                                               fast      weekly    deep      deep)
row(test_integrate_levels                host                                               deep      weekly    level     level)
row(test_integrate_device                soft                                               fast      weekly    deep      kernels)
row(test_integrate_device                soft_other                                         deep      kernels   deep      kernels)
row(test_integrate_device                soft_global,soft_small                             deep      kernels   kernels   kernels)
row(test_integrate_device                soft_validated                                     half      layer     layer     layer)
row(test_integrate_tables                host                                               fast      weekly    deep      deep)
row(test_integrate_tables                soft                                               deep      weekly    deep      kernels)
row(test_integrate_tables                soft_other                                         deep      kernels   kernels   kernels)
row(test_interpolate                     host                                               fast      weekly    deep      serial)

room(interpolate NEEDS UNIHIST_HAS_LEVEL_ZERO KERNELS interpolate_f64.cl)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_interpolate_device              soft                                               fast      weekly    deep      kernels)

room(meanshift)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_meanshift                       host                                               fast      weekly    deep      deep)
row(test_meanshift                       soft                                               fast      weekly    deep      kernels)
row(test_meanshift                       soft_other,soft_global,soft_small                  deep      kernels   deep      kernels)
row(test_meanshift                       soft_validated                                     half      layer     layer     layer)
row(test_meanshift_clusters              host                                               fast      weekly    deep      deep)
row(test_meanshift_density               host                                               fast      weekly    deep      deep)
row(test_meanshift_density               soft                                               fast      weekly    deep      kernels)
row(test_meanshift_density               soft_other,soft_global                             deep      kernels   deep      kernels)
row(test_meanshift_errors                host                                               fast      weekly    deep      serial)
row(test_meanshift_errors                soft_other                                         deep      kernels   deep      kernels)
row(test_long_call                       soft                                               fast      kernels   kernels   kernels)

room(sample)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_sample_distributions            host                                               fast      weekly    deep      serial)
row(test_sample_masses                   host                                               fast      weekly    deep      serial)
row(test_sample                          v4,v3                                              fast      best      best      best)
row(test_sample                          v2                                                 fast      best      best      best)
row(test_sample                          soft                                               fast      weekly    deep      kernels)
row(test_sample                          soft_other,soft_global,soft_small                  deep      kernels   deep      kernels)
row(test_sample_table                    host                                               fast      weekly    deep      deep)

room(save)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_save                            host                                               fast      weekly    deep      serial)
row(test_exchange                        host                                               fast      weekly    third     deep)
row(test_save_refused                    host                                               fast      weekly    deep      serial)
row(test_save_file                       host                                               fast      weekly    deep      serial)
row(test_save_grid                       host                                               fast      weekly    deep      serial)

# Here the library's calls of malloc and its kin can be made to fail (out_of_memory, out_of_memory_ze).
set(allocators malloc calloc realloc posix_memalign strdup)
set(module_kernels module_kernels.cl module_kernels_f64.cl)

room(statistics NEEDS GSL_FOUND SOURCES statistics.c LIBRARIES PkgConfig::GSL)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_random_statistics               host                                               quarter   amount    deep      amount)
row(test_sample_statistics               host                                               quarter   amount    deep      amount)
row(test_integrate_statistics            host                                               quarter   amount    amount    amount)
row(test_interpolate_gsl                 host                                               quarter   weekly    deep      serial)

room(out_of_memory SOURCES failing_malloc.c WRAP ${allocators})
#   test                                 runs on                                            gcc       clang     asan      tsan
foreach(op IN LISTS operations)
  row(out_of_memory_${op}                host                                               fast      weekly    deep      serial
    FILE test_described_out_of_memory ARGS ${op})
endforeach()
row(test_exchange_out_of_memory          host                                               fast      weekly    deep      serial)
row(test_histogram_out_of_memory         host                                               fast      weekly    deep      serial)
row(test_runtime_out_of_memory           host                                               fast      weekly    deep      serial)
row(test_save_out_of_memory              host                                               fast      weekly    deep      serial)

room(out_of_memory_ze NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES failing_malloc.c WRAP ${allocators} KERNELS ${module_kernels})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_runtime_ze_out_of_memory        soft                                               fast      weekly    deep      serial)
row(test_runtime_ze_out_of_memory        ${null}                                            quarter   intel     intel     intel)

room(runtime)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_runtime_atomic_file             host                                               fast      weekly    deep      deep)
row(test_runtime_cpu                     host                                               fast      weekly    deep      deep)
row(test_runtime_device                  host                                               fast      weekly    deep      deep)
row(test_runtime_device_choice           host                                               fast      weekly    deep      deep)
row(test_runtime_event                   host                                               fast      weekly    deep      deep)
row(test_runtime_launch                  host                                               fast      weekly    deep      deep)
row(test_runtime_launch_module           host                                               fast      weekly    deep      deep)
row(test_runtime_launch_refused          host                                               fast      weekly    deep      deep)
row(test_runtime_log                     host                                               fast      weekly    deep      deep)
row(test_runtime_memory                  host                                               fast      weekly    deep      deep)
row(test_runtime_moves                   host                                               fast      weekly    deep      deep)
row(test_runtime_moves                   soft                                               fast      weekly    deep      deep)
row(test_runtime_moves                   soft_other                                         deep      kernels   deep      deep)
row(test_runtime_moves                   soft_validated                                     half      layer     layer     layer)
row(test_runtime_moves                   ${null}                                            quarter   intel     intel     intel)
row(test_runtime_module                  host                                               fast      weekly    deep      deep)
row(test_runtime_module_shared           host                                               fast      weekly    deep      deep)
row(test_runtime_queue                   host                                               fast      weekly    deep      deep)
row(test_runtime_several                 host                                               fast      weekly    deep      deep)
row(test_runtime_sha256                  host                                               fast      weekly    deep      deep)
row(test_runtime_sized                   host                                               fast      weekly    deep      deep)
row(test_runtime_status                  host                                               fast      weekly    deep      deep)
row(test_runtime_threads                 host                                               fast      weekly    deep      deep)
row(test_runtime_ze_devices              host                                               fast      weekly    deep      deep)

room(runtime_ze NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES fault_run.c KERNELS ${module_kernels})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_runtime_module_cache            host                                               fast      weekly    deep      deep)
row(test_runtime_module_cache_races      host                                               fast      weekly    deep      deep)
row(test_runtime_ze_cards                soft,soft_flat                                     fast      weekly    deep      deep)
row(test_runtime_ze_cards                soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_clock                host                                               fast      weekly    deep      deep)
row(test_runtime_ze_events               soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_events               soft_chain                                         fast      kernels   deep      serial)
row(test_runtime_ze_events               soft_other                                         deep      kernels   deep      deep)
row(test_runtime_ze_events               soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_events               ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_failures             soft                                               fast      kernels   deep      serial)
row(test_runtime_ze_failures             soft_chain                                         deep      kernels   deep      serial)
row(test_runtime_ze_faults               soft                                               fast      kernels   deep      serial)
row(test_runtime_ze_faults               soft_chain                                         deep      kernels   kernels   serial)
row(test_runtime_ze_fork                 soft                                               fast      kernels   fork      serial)
row(test_runtime_ze_fork                 soft_chain                                         deep      kernels   fork      serial)
row(test_runtime_ze_launch               soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_launch               soft_other                                         deep      kernels   deep      deep)
row(test_runtime_ze_launch               soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_launch               ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_memory               soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_memory               soft_other                                         deep      kernels   deep      deep)
row(test_runtime_ze_memory               soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_memory               ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_wait                 soft                                               fast      kernels   deep      deep)
row(test_runtime_ze_wait                 soft_other                                         deep      kernels   kernels   kernels)
row(test_self_test                       soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_module_cache         soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_module_cache         soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_module_cache         ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_module               soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_module               soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_module               ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_queue                soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_queue                soft_other                                         deep      kernels   deep      deep)
row(test_runtime_ze_queue                soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_queue                ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_range                soft                                               fast      weekly    deep      deep)
row(test_runtime_ze_range                ${null}                                            quarter   intel     intel     intel)
row(test_runtime_ze_several              soft_other                                         fast      weekly    deep      deep)
row(test_runtime_ze_several              soft_flat                                          fast      kernels   deep      deep)
row(test_runtime_ze_several              soft_validated                                     half      layer     layer     layer)
row(test_runtime_ze_several              ${null}                                            quarter   intel     intel     intel)

# Bare Level Zero beside the library.
room(interop NEEDS UNIHIST_HAS_LEVEL_ZERO UNIHIST_ZE_LOADER LIBRARIES ${UNIHIST_ZE_LOADER})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_ze_interop                      soft                                               fast      weekly    deep      deep)
row(test_ze_interop                      soft_other                                         deep      kernels   deep      deep)
row(test_ze_interop                      soft_validated                                     half      layer     layer     layer)
row(test_ze_interop                      ${null}                                            quarter   intel     intel     intel)

# Several devices that work on one call.
room(several NEEDS UNIHIST_SOFT_GPU)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_several_speed                   soft_several                                       fast      kernels   kernels   kernels SERIAL)

# Whole arrays of the host's, of which the driver is told.
room(import NEEDS UNIHIST_SOFT_GPU)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_import                          soft                                               fast      weekly    deep      deep)
row(test_import                          soft_beside                                        fast      weekly    deep      deep)
row(test_import                          soft_private                                       deep      kernels   deep      deep)

# Arrays that go through buffers, piece by piece, and what memory there is beside them.
room(pieces NEEDS UNIHIST_SOFT_GPU)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_memory_room                     soft_small                                         fast      weekly    deep      kernels)
row(test_pieces                          soft_small                                         fast      kernels   kernels   kernels)

room(soft_gpu NEEDS UNIHIST_SOFT_GPU_TESTS FOLDER soft_gpu LIBRARIES soft_gpu_fixture Threads::Threads)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_soft_device                     driver                                             fast      weekly    deep      deep)
row(test_soft_event                      driver                                             fast      weekly    deep      deep)
row(test_soft_event                      driver_waits                                       deep      kernels   deep      serial)
row(test_soft_fault                      driver                                             fast      weekly    deep      deep)
row(test_soft_kernel                     driver                                             fast      weekly    deep      deep)
row(test_soft_list                       driver                                             fast      weekly    deep      deep)
row(test_soft_list                       driver_waits                                       deep      kernels   deep      serial)
row(test_soft_module                     driver                                             fast      weekly    deep      deep)
row(test_soft_oclgrind                   driver_oclgrind                                    deep      kernels   oclgrind  oclgrind)
row(test_soft_order                      driver                                             fast      weekly    deep      deep)
row(test_soft_order                      driver_waits                                       deep      kernels   deep      serial)
row(test_soft_threads                    driver                                             fast      weekly    deep      deep)
row(test_soft_threads                    driver_waits                                       deep      kernels   deep      deep)

# Every kernel at work on few values.
room(kernels)
#   test                                 runs on                                            gcc       clang     asan      tsan
set(rungs ${oclgrind})
foreach(op IN LISTS operations)
  if(op MATCHES "^(random|integrate|meanshift)$") # where local memory is as small, other work is not done
    set(rungs oclgrind_local)
  elseif(op STREQUAL "histogram") # each group copies its tables, which grow with the memory
    set(rungs oclgrind_usual,oclgrind_counts,oclgrind_global)
    row(kernels_${op}                    oclgrind_local                                     quarter   kernels   oclgrind  oclgrind
      FILE test_described_kernels ARGS ${op} int16)
  elseif(op STREQUAL "histogramdd") # its cells are the same on each: of the others, what counts and what is alike
    set(rungs oclgrind_local)
    row(kernels_${op}                    oclgrind_counts,oclgrind_global                    quarter   kernels   oclgrind  oclgrind
      FILE test_described_kernels ARGS ${op} 4)
  endif()
  row(kernels_${op}                      ${rungs}                                           quarter   kernels   oclgrind  oclgrind
    FILE test_described_kernels ARGS ${op})
  set(rungs ${oclgrind})
endforeach()
row(kernels_integrate                    oclgrind_wide                                      quarter   kernels   oclgrind  oclgrind
  FILE test_described_kernels ARGS integrate)
row(test_kernels_accumulate              ${oclgrind}                                        quarter   kernels   oclgrind  oclgrind)
row(test_kernels_passes                  oclgrind_wide                                      fast      kernels   oclgrind  oclgrind)
row(self_test_of_common                  oclgrind_local                                     quarter   kernels   oclgrind  oclgrind
  FILE test_kernels_self_test ARGS common)
# First of all, by all cores: what PoCL compiles here, other tests find compiled.
foreach(op IN LISTS operations ITEMS common)
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/${op}/${op}_trial.c)
    row(self_test_of_${op}               soft                                               fast      kernels   kernels   kernels
      FILE test_kernels_self_test ARGS ${op})
  endif()
endforeach()

room(intel_null NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES intel_null.c LIBRARIES ${CMAKE_DL_LIBS})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_intel_null                      null_pvc,null_tgllp                                quarter   intel     intel     intel)
row(test_intel_null_memory               null_tgllp,null_pvc                                quarter   intel     intel     intel)

# As the ranks of a program, by each MPI; a rank that waits gives its core to another one, which libraries of networks
# (UCX, libfabric) do not. The launcher does not wait for a second when it ends ranks.
set(mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_pml=ob1 OMPI_MCA_btl=^openib,usnic,ofi,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_odls_base_sigkill_timeout=0 OMP_NUM_THREADS=1)
set(mpis openmpi mpich ${UNIHIST_MPIS})
list(REMOVE_DUPLICATES mpis)
foreach(mpi IN LISTS mpis)
  room(${mpi} NEEDS UNIHIST_MPIRUN_${mpi} SOURCES mpi_fixture.c LIBRARIES unihist_mpi_${mpi}_static
    ENVIRONMENT ${mpi_environment})
#   test                                 runs on                                            gcc       clang     asan      tsan
  # How many ranks are put together, and in which order, is our own code above the same few calls of either MPI: the
  # second one, whose ranks wait busily where there are more of them than cores, goes without the larger numbers.
  set(all_ranks 1 2 3 4 7)
  if(mpi STREQUAL "mpich")
    set(all_ranks 1 2 3)
  endif()
  foreach(ranks IN LISTS all_ranks)
    set(tier quarter)
    set(asan mpi)
    if(mpi STREQUAL "openmpi" AND ranks EQUAL 4) # with three no stretch of a message wraps around
      set(tier fast)
    elseif(mpi STREQUAL "openmpi" AND ranks EQUAL 2) # both a rank that is first and one that is not
      set(asan third)
    endif()
    set(launch ${UNIHIST_MPIRUN_${mpi}} -n ${ranks})
    row(${mpi}_histogram_${ranks}        host                                               ${tier}   mpi       ${asan}   mpi
      FILE test_mpi_histogram LAUNCH ${launch})
    row(${mpi}_messages_${ranks}         host                                               ${tier}   mpi       mpi       mpi
      FILE test_mpi_messages LAUNCH ${launch})
    row(${mpi}_bincount_${ranks}         host                                               ${tier}   mpi       ${asan}   mpi
      FILE test_mpi_bincount LAUNCH ${launch})
    row(${mpi}_failures_${ranks}         host                                               ${tier}   mpi       ${asan}   mpi
      FILE test_mpi_failures LAUNCH ${launch})
    row(${mpi}_integrate_${ranks}        host                                               ${tier}   mpi       mpi       mpi
      FILE test_mpi_integrate LAUNCH ${launch})
    row(${mpi}_meanshift_${ranks}        host                                               ${tier}   mpi       ${asan}   mpi
      FILE test_mpi_meanshift LAUNCH ${launch})
    row(${mpi}_bandwidth_${ranks}        host                                               ${tier}   mpi       ${asan}   mpi
      FILE test_mpi_bandwidth LAUNCH ${launch})
    row(${mpi}_parts_${ranks}            host                                               ${tier}   mpi       ${asan}   mpi
      FILE test_mpi_parts LAUNCH ${launch})
    row(${mpi}_parts_${ranks}            soft_other                                         quarter   mpi       mpi       mpi
      FILE test_mpi_parts LAUNCH ${launch})
  endforeach()
  if(mpi STREQUAL "openmpi") # on few cores: what is sent does not depend on how long it takes
    row(openmpi_messages_64              host                                               deep      mpi       mpi       mpi
      FILE test_mpi_messages LAUNCH ${UNIHIST_MPIRUN_openmpi} -n 64)
  endif()
endforeach()
row(mpich_histogram_2                    soft                                               deep      kernels   kernels   kernels
  FILE test_mpi_histogram LAUNCH ${UNIHIST_MPIRUN_mpich} -n 2)

foreach(mpi IN LISTS mpis)
  set(tier quarter)
  if(mpi STREQUAL "openmpi")
    set(tier fast)
  endif()
  if(mpi IN_LIST UNIHIST_MPIS AND UNIHIST_BUILD_CLI)
    set(command $<TARGET_FILE:unihist_mpi_command_${mpi}>)
  endif()
  room(${mpi}_command NEEDS UNIHIST_MPIRUN_${mpi} UNIHIST_BUILD_CLI ENVIRONMENT ${command_environment}
    ${mpi_environment} UNIHIST_MPIRUN=${UNIHIST_MPIRUN_${mpi}} UNIHIST_MPI_COMMAND=${command}
    INPUTS ${script_helpers})
  row(${mpi}_command                     host                                               ${tier}   mpi       mpi       mpi
    FILE test_command_mpi)
  if(mpi STREQUAL "openmpi") # MPICH's ranks take a core each while they wait, which they do in every iteration
    row(openmpi_command_meanshift        host                                               deep     mpi       mpi       mpi
      FILE test_command_mpi_meanshift)
  endif()
endforeach()

set(program "")
if("openmpi" IN_LIST UNIHIST_MPIS AND UNIHIST_BUILD_PERF)
  set(program $<TARGET_FILE:unihist_perf_mpi_openmpi>)
endif()
room(perf_mpi NEEDS UNIHIST_MPIRUN_openmpi UNIHIST_BUILD_PERF ENVIRONMENT ${mpi_environment}
  UNIHIST_MPIRUN=${UNIHIST_MPIRUN_openmpi} UNIHIST_PERF_MPI=${program} INPUTS ${script_helpers})
row(test_perf_mpi                        host                                               quarter   script    script    script)

room(cli NEEDS UNIHIST_BUILD_CLI LIBRARIES unihist_cli)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_cli_bars                        host                                               fast      weekly    deep      serial)
row(test_cli_clusters                    host                                               fast      weekly    deep      serial)
row(test_cli_heat                        host                                               fast      weekly    deep      serial)
row(test_cli_input                       host                                               fast      weekly    deep      serial)
row(test_cli_input_csv                   host                                               fast      weekly    deep      serial)
row(test_cli_input_npy                   host                                               fast      weekly    deep      serial)
row(test_cli_number                      host                                               fast      weekly    deep      serial)
row(test_cli_output_atomic               host                                               fast      weekly    deep      serial)
row(test_cli_plot                        host                                               fast      weekly    deep      serial)
row(test_cli_progress                    host                                               fast      weekly    deep      serial)
row(test_cli_rules                       host                                               fast      weekly    deep      serial)

room(command NEEDS UNIHIST_BUILD_CLI ENVIRONMENT ${command_environment}
  INPUTS ${script_helpers} api/cli/man)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_command_bincount                host                                               fast      asan      third     third)
row(test_command_bins                    host                                               fast      asan      third     script)
row(test_command_completion              host                                               deep      script    script    script)
row(test_command_device                  host                                               deep      script    script    third)
row(test_command_device_faults           host                                               fast      script    script    third)
row(test_command_devices                 host                                               fast      asan      third     third)
row(test_command_drivers                 host                                               fast      script    script    script)
row(test_command_digitize                host                                               fast      asan      third     script)
row(test_command_errors                  host                                               fast      asan      third     script)
row(test_command_help                    host                                               fast      script    script    script
  INPUTS api/cli api/include)
row(test_command_histo                   host                                               fast      asan      third     third)
row(test_command_histogram               host                                               fast      asan      third     third)
row(test_command_integrate               host                                               fast      script    third     script)
row(test_command_interrupt               host                                               fast      script    script    script)
row(test_command_manual                  host                                               fast      script    script    script)
row(test_command_meanshift               host                                               fast      script    third     script)
row(test_command_merge                   host                                               fast      asan      third     third)
row(test_command_outputs                 host                                               fast      asan      third     third)
row(test_command_rules                   host                                               fast      script    script    script)
row(test_command_sample                  host                                               fast      asan      third     third)
row(test_command_weights                 host                                               fast      asan      third     third)

# What NumPy, Python's fractions or another program say of the library through its shared library or its command.
room(scripts NEEDS UNIHIST_BUILD_CLI ENVIRONMENT ${library_environment} INPUTS ${script_helpers})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_gpu_script                      host                                               third     script    script    script
  INPUTS toolchain)
row(test_histogram_estimates             host                                               fast      asan      third     script)
row(test_histogram_random                host                                               deep      asan      third     script
  INPUTS tests/boost_histogram.cpp)
row(test_input_numpy                     host                                               fast      asan      third     script)
row(test_kernels_spirv                   host                                               fast      kernels   kernels   kernels
  INPUTS kernels)
row(test_meanshift_sklearn               host                                               fast      script    script    script)
row(test_numpy                           host                                               fast      asan      third     script)
row(test_once                            host                                               fast      sources   sources   sources
  INPUTS toolchain/once.py)
row(test_planted                         host                                               fast      sources   sources   sources
  ARGS ${PROJECT_BINARY_DIR} INPUTS api kernels runtime tests perf toolchain)
row(test_random_dieharder                host                                               eighth    amount    amount    amount)
row(test_random_numpy                    host                                               fast      asan      third     script)
row(test_readme                          host                                               fast      asan      third     script
  INPUTS README.md api/docs api/examples)
row(test_sample_distributions_exact      host                                               fast      weekly    script    script)
row(test_sample_exact                    host                                               fast      weekly    script    script)

# The tests of devices once more where there is a GPU.
room(gpu NEEDS UNIHIST_BUILD_PERF ENVIRONMENT ${gpu_environment} INPUTS ${script_helpers})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_gpu                             gpu                                                deep      weekly    intel     intel)

room(perf NEEDS UNIHIST_BUILD_PERF ENVIRONMENT ${perf_environment} INPUTS ${script_helpers} perf)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(test_perf                            host                                               third     script    script    script)
row(test_perf_devices                    host                                               third     script    script    script)
row(test_perf_goals                      host                                               third     weekly    script    script)
row(test_perf_isa                        host                                               quarter   intel     intel     intel
  INPUTS kernels)
row(test_perf_isa_messages                host                                               third     script    script    script)
row(test_perf_mcubes                     host                                               third     script    script    script)
row(test_perf_meanshift                  host                                               third     script    script    script)
row(test_perf_model                       host                                               third     script    script    script)
row(test_perf_peers                      host                                               third     script    script    script)
row(test_perf_runtime                    host                                               third     script    script    script)
row(test_perf_tables                     host                                               third     script    script    script)

# What is installed, seen from outside, and what a build does.
set(library_sources CMakeLists.txt api kernels runtime toolchain/cmake)
room(packaging NEEDS UNIHIST_INSTALLABLE ENVIRONMENT ${packaging_environment}
  INPUTS ${library_sources} perf tests/packaging_lib.sh tests/consumer)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(packaging_cpu_only                   host                                               quarter   cmake     package   package)
row(packaging_exports                    host                                               deep      weekly    package   package
  ARGS ${exports_arguments})
if(UNIHIST_MPIS)
  row(mpi_exports                        host                                               deep      weekly    package   package
    FILE packaging_exports ARGS ${mpi_exports_arguments})
endif()
row(packaging_install                    host                                               quarter   weekly    package   package
  ARGS ${install_arguments})
row(packaging_kernels                    host                                               quarter   cmake     package   package)
row(test_layers                          host                                               fast      sources   package   package
  ARGS ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} INPUTS api kernels runtime)
row(packaging_native                     host                                               quarter   cmake     package   package)
row(test_toy_operation                   host                                               quarter   cmake     package   package
  ARGS ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER}
  INPUTS api kernels runtime tests perf toolchain CMakeLists.txt)

# The Python package, installed by pip: with the library of this build, and built from a copy of the sources.
set(python_gpu "")
if(UNIHIST_SOFT_GPU AND UNIHIST_HAS_LEVEL_ZERO)
  set(python_gpu ${UNIHIST_SOFT_GPU_ENVIRONMENT})
endif()
room(python NEEDS UNIHIST_INSTALLABLE ENVIRONMENT ${packaging_environment}
  INPUTS ${library_sources} tests/packaging_lib.sh tests/python_packages.txt toolchain/wheel README.md)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(packaging_python                     host                                               fast      script    package   package
  ARGS ${UNIHIST_TEST_PYTHON} ${PROJECT_BINARY_DIR}/python ${PROJECT_BINARY_DIR} ${python_gpu})
row(packaging_python_from_sources        host                                               eighth    cmake     package   package
  FILE packaging_python ARGS ${UNIHIST_TEST_PYTHON})

# Each starts from tests/corpus/NAME, where there is one; what it finds new stays in the build folder.
room(fuzz NEEDS UNIHIST_BUILD_FUZZERS)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(fuzz_axis                            host                                               libfuzzer libfuzzer deep      libfuzzer)
row(fuzz_csv                             host                                               libfuzzer libfuzzer deep      libfuzzer)
row(fuzz_npy                             host                                               libfuzzer libfuzzer deep      libfuzzer)
row(fuzz_saved                           host                                               libfuzzer libfuzzer deep      libfuzzer)
row(fuzz_spirv                           host                                               libfuzzer libfuzzer deep      libfuzzer)

# Each test of the room "kernels" leaves a list of the kernels that have run: none of the library's has been left out.
# The lists of tests that are gone go first.
get_property(oclgrind_tests GLOBAL PROPERTY unihist_oclgrind_tests)
room(oclgrind_lists NEEDS UNIHIST_HAS_LEVEL_ZERO)
#   test                                 runs on                                            gcc       clang     asan      tsan
row(oclgrind_begin                       oclgrind_lists                                     deep      kernels   oclgrind  oclgrind
  ALWAYS COMMAND ${oclgrind_kernels} --begin ${UNIHIST_OCLGRIND_LISTS} ${oclgrind_tests})
row(oclgrind_every_kernel                oclgrind_lists                                     weekly    kernels   oclgrind  oclgrind
  ALWAYS COMMAND ${oclgrind_kernels} ${UNIHIST_OCLGRIND_LISTS} ${PROJECT_BINARY_DIR}/kernels/variants.txt)
row(oclgrind_misses_kernels              oclgrind_lists                                     deep      kernels   oclgrind  oclgrind
  ALWAYS COMMAND ${oclgrind_kernels} ${CMAKE_CURRENT_BINARY_DIR}/empty ${PROJECT_BINARY_DIR}/kernels/variants.txt)
row(every_kernel                         soft                                               quarter   kernels   kernels   kernels
  ALWAYS COMMAND ${UNIHIST_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/soft_kernels.py $<TARGET_FILE:tests_kernels>
    ${PROJECT_BINARY_DIR}/kernels/variants.txt)

# The checks of toolchain/check. Those that build use half of the cores each, so that what one of them does in a single
# thread does not hold up all else.
set(check ${PROJECT_SOURCE_DIR}/toolchain/check)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR jobs "(${cores} + 1) / 2")
room(check NEEDS UNIHIST_CHECKS ENVIRONMENT UNIHIST_CHECK_JOBS=${jobs})
#   test                                 runs on                                            gcc       clang     asan      tsan
row(check_format                         host                                               fast      sources   sources   sources
  COMMAND ${check} format
  INPUTS .clang-format kernels/common/.clang-format toolchain/check api runtime kernels tests perf)
row(check_scripts                        host                                               fast      sources   sources   sources
  COMMAND ${check} scripts
  INPUTS toolchain .ci tests)
row(check_levels                         host                                               fast      sources   sources   sources
  COMMAND ${check} levels
  INPUTS toolchain/check toolchain/levels.py tests/levels.txt kernels api/include)
row(test_levels                          host                                               fast      sources   sources   sources
  INPUTS toolchain/levels.py)
row(check_cppcheck                       host                                               deep      sources   sources   sources
  COMMAND ${check} cppcheck
  INPUTS toolchain/check api runtime kernels tests perf)
row(check_clang                          host                                               deep      sources   sources   sources
  ALWAYS COMMAND ${check} clang)
row(check_asan-ubsan                     host                                               deep      sources   sources   sources
  ALWAYS COMMAND ${check} asan-ubsan)
row(check_tsan                           host                                               deep      sources   sources   sources
  ALWAYS COMMAND ${check} tsan)
row(check_clang-tidy                     host                                               deep      sources   sources   sources
  ALWAYS COMMAND ${check} clang-tidy)
row(check_valgrind                       host                                               deep      sources   sources   sources
  COMMAND ${CMAKE_COMMAND} -E env "UNIHIST=$<TARGET_FILE:unihist_command>"
    ${check} valgrind
  INPUTS toolchain/valgrind.supp)
