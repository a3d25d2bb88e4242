# SPDX-License-Identifier: Apache-2.0
# The table of tests: each test, where it runs, and for each build (gcc, clang, ASan+UBSan, TSan) whether it runs there.
# toolchain/cmake/UnihistTests.cmake reads it. A test on a rung is called TEST_RUNG (on the host: TEST) and has the names
# of its room and of the rung's driver as labels. Verdicts are those of the rung; on the host a room may have others, and
# a row names its exceptions. A test without a row fails the configuration.
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
# One as slow as its clock tells.
unihist_test_rung(soft_slow DRIVER soft ENVIRONMENT SOFT_GPU=slow=100,clock=13,eus=1,group=64)
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

# The verdicts of each rung.
#        rungs                                                                       gcc     clang   asan     tsan
verdicts(host,driver                                                                 fast    weekly  deep     deep)
verdicts(v4,v3,v2                                                                    fast    best    best     best)
verdicts(v3_gathers,v3_loads                                                         half    level   level    level)
verdicts(soft,soft_flat,soft_beside                                                  fast    weekly  deep     kernels)
verdicts(soft_other,soft_all,soft_global,soft_small                                  deep    kernels deep     kernels)
verdicts(soft_counts,soft_private,soft_several                                       deep    kernels kernels  kernels)
verdicts(soft_slow                                                                   fast    kernels deep     kernels)
verdicts(soft_tiny                                                                   fast    kernels deep     serial)
verdicts(soft_pair                                                                   half    kernels deep     serial)
verdicts(soft_chain,driver_waits                                                     deep    kernels deep     serial)
verdicts(soft_validated                                                              half    layer   layer    layer)
verdicts(soft_intel                                                                  deep    kernels intel    intel)
verdicts(oclgrind_local,oclgrind_usual,oclgrind_counts,oclgrind_global,oclgrind_wide quarter kernels oclgrind oclgrind)
verdicts(driver_oclgrind,oclgrind_lists                                              deep    kernels oclgrind oclgrind)
verdicts(${null}                                                                     quarter intel   intel    intel)
verdicts(gpu                                                                         deep    weekly  intel    intel)

# ---- the tests: a room is a program, tests_ROOM, or a set of scripts ----
room(api VERDICTS fast weekly deep serial)
row(test_axis test_axis_distribution test_overlap)
row(test_overlap ON soft CLANG kernels)
row(test_overlap ON soft_all GCC fast)
row(test_headers INPUTS api/include)

# What the description of each operation (tests/cases_OPERATION.c) says, whatever it is.
room(described SOURCES fault_run.c)
row(results_histogram ON v3_gathers,v3_loads GCC deep FILE test_described_exact ARGS histogram)
row(results_sample ON v3_gathers,v3_loads GCC deep FILE test_described_exact ARGS sample)
foreach(op IN LISTS described)
  row(results_${op} ON v4,v3 FILE test_described_exact ARGS ${op})
  row(results_${op} ON v2 FILE test_described_exact ARGS ${op})
  row(results_${op} ON soft CLANG kernels ASAN kernels FILE test_described_exact ARGS ${op})
  # Each of the other devices has its share of the cases: they differ in where there is a counter or an array, not in
  # what is computed. The usual one has all; what a share leaves out of one of these, another one has nearly always.
  row(results_${op} ON soft_counts,soft_private GCC half FILE test_described_exact ARGS ${op} 2)
  row(results_${op} ON soft_global,soft_small GCC half ASAN kernels FILE test_described_exact ARGS ${op} 2)
  row(results_${op} ON soft_other FILE test_described_exact ARGS ${op} 3)
  row(results_${op} ON soft_several FILE test_described_exact ARGS ${op} 3)
  row(results_${op} ON soft_all FILE test_described_exact ARGS ${op} 3)
  if(UNIHIST_INTEL_OPENCL_ENVIRONMENT)
    row(results_${op} ON soft_intel FILE test_described_exact ARGS ${op})
  endif()
  row(results_${op} ON soft_validated FILE test_described_exact ARGS ${op} 3)
  row(faults_${op} ON soft_pair FILE test_described_faults ARGS ${op})
  row(faults_${op} ON soft_tiny FILE test_described_faults ARGS ${op})
endforeach()
row(test_described_losses ON soft_several ASAN deep)
row(test_described_bounds ON soft_slow)
row(test_described_drivers ON soft TSAN serial)
row(faults_histogram ON soft_chain GCC half ASAN kernels FILE test_described_faults ARGS histogram)

room(histogram)
row(test_cases_histogram test_histogram test_histogram_errors test_histogram_of test_histogram_places
  test_histogram_plan test_geometry test_shape test_shares test_histogram_threads)
row(test_histogram_cancelled ASAN amount TSAN amount)
row(test_histogram_categories ON v4,v3,v2 CLANG weekly)
row(test_histogram_categories ON soft CLANG kernels)
row(test_histogram_categories ON soft_counts,soft_private)
row(test_histogram_categories test_histogram_exact ON soft_global ASAN kernels)
row(test_histogram_device ON soft,soft_counts,soft_private,soft_global,soft_small,soft_validated)
row(test_histogram_every_float GCC deep CLANG amount ASAN amount TSAN amount)
row(test_histogram_every_float ON soft GCC deep CLANG kernels ASAN kernels)
row(test_histogram_exact ON v4,v3,v2,v3_gathers,v3_loads,soft_counts,soft_private)
row(test_histogram_exact ON soft GCC deep CLANG kernels)
row(test_histogram_buckets ASAN asan TSAN amount)

room(points)
row(test_points)
row(test_points_launch TSAN serial)
row(test_points_launch ON soft,soft_other)
row(test_points_launch ON soft_counts ASAN deep)
row(test_points_exact ON v4,v3,v2,v3_gathers,v3_loads,soft_counts,soft_private)
row(test_points_exact ON soft CLANG kernels)
row(test_points_exact ON soft_global ASAN kernels)

room(accumulate)
row(test_accumulate ON v4,v3,v2,soft_counts,soft_private)
row(test_accumulate ON soft GCC deep)
row(test_wide TSAN serial)
row(test_accumulate ON soft_global ASAN kernels)

room(bincount)
row(test_bincount ON v4,v3,v2,soft,soft_other,soft_global,soft_small)

room(histo)
row(test_histo_geometry)
row(test_histo ON v4,v3,v2,soft_counts,soft_private)
row(test_histo ON soft_global GCC fast)
row(test_histo ON soft GCC deep CLANG kernels)

room(random)
row(test_random ON v4,v3,v2,soft)

room(integrate)
row(test_integrate test_integrate_calls test_integrate_tables)
row(test_integrate_steps ASAN amount TSAN amount)
row(test_integrate_levels GCC deep ASAN level TSAN level)
row(test_integrate_device ON soft,soft_other,soft_validated)
row(test_integrate_device ON soft_global,soft_small ASAN kernels)
row(test_integrate_tables ON soft GCC deep)
row(test_integrate_tables ON soft_other ASAN kernels)
row(test_interpolate TSAN serial)

room(interpolate NEEDS UNIHIST_HAS_LEVEL_ZERO KERNELS interpolate_f64.cl)
row(test_interpolate_device ON soft)

room(meanshift)
row(test_meanshift ON host,soft,soft_other,soft_global,soft_small,soft_validated)
row(test_meanshift_clusters)
row(test_meanshift_density ON host,soft,soft_other,soft_global)
row(test_meanshift_errors TSAN serial)
row(test_meanshift_errors ON soft_other)
row(test_long_call ON soft CLANG kernels ASAN kernels)

room(sample)
row(test_sample_distributions TSAN serial)
row(test_sample ON v4,v3,v2,soft,soft_other,soft_global,soft_small)
row(test_sample_table)

room(save TSAN serial)
row(test_save test_save_refused test_save_file)
row(test_exchange ASAN third TSAN deep)

# Here the library's calls of malloc and its kin can be made to fail (out_of_memory, out_of_memory_ze).
set(allocators malloc calloc realloc posix_memalign strdup)
set(module_kernels module_kernels.cl module_kernels_f64.cl)

room(statistics NEEDS GSL_FOUND SOURCES statistics.c LIBRARIES PkgConfig::GSL VERDICTS quarter amount deep amount)
row(test_random_statistics test_sample_statistics)
row(test_integrate_statistics ASAN amount)
row(test_interpolate_gsl CLANG weekly TSAN serial)

room(out_of_memory SOURCES failing_malloc.c WRAP ${allocators} TSAN serial)
foreach(op IN LISTS described)
  row(out_of_memory_${op} FILE test_described_out_of_memory ARGS ${op})
endforeach()
row(test_out_of_memory)

room(out_of_memory_ze NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES failing_malloc.c WRAP ${allocators} KERNELS ${module_kernels})
row(test_runtime_ze_out_of_memory ON soft TSAN serial)
row(test_runtime_ze_out_of_memory ON ${null})

room(runtime TSAN deep)
row(test_names test_runtime_cpu test_runtime_device test_runtime_device_choice test_runtime_files test_runtime_launch
  test_runtime_launch_refused test_runtime_log test_runtime_memory test_runtime_module test_runtime_module_shared
  test_runtime_queue test_runtime_several test_runtime_status test_runtime_threads test_runtime_ze_devices)
row(test_runtime_moves ON host,soft,soft_other,soft_validated,${null})

room(runtime_ze NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES fault_run.c KERNELS ${module_kernels} TSAN deep)
row(test_runtime_module_cache test_runtime_module_cache_races test_runtime_ze_clock)
row(test_runtime_ze_cards ON soft,soft_flat,soft_validated)
row(test_runtime_ze_events test_runtime_ze_launch test_runtime_ze_memory test_runtime_ze_queue ON
  soft,soft_other,soft_validated,${null})
row(test_runtime_ze_events ON soft_chain GCC fast TSAN serial)
row(test_runtime_ze_failures test_runtime_ze_faults ON soft CLANG kernels TSAN serial)
row(test_runtime_ze_failures ON soft_chain TSAN serial)
row(test_runtime_ze_faults ON soft_chain ASAN kernels TSAN serial)
row(test_runtime_ze_fork ON soft CLANG kernels ASAN fork TSAN serial)
row(test_runtime_ze_fork ON soft_chain ASAN fork TSAN serial)
row(test_runtime_ze_wait ON soft CLANG kernels)
row(test_runtime_ze_wait ON soft_other ASAN kernels TSAN kernels)
row(test_self_test ON soft)
row(test_runtime_ze_module_cache test_runtime_ze_module ON soft,soft_validated,${null})
row(test_runtime_ze_range ON soft,${null})
row(test_runtime_ze_several ON soft_other GCC fast CLANG weekly)
row(test_runtime_ze_several ON soft_flat CLANG kernels)
row(test_runtime_ze_several ON soft_validated,${null})

# Bare Level Zero beside the library.
room(interop NEEDS UNIHIST_HAS_LEVEL_ZERO UNIHIST_ZE_LOADER LIBRARIES ${UNIHIST_ZE_LOADER} TSAN deep)
row(test_ze_interop ON soft,soft_other,soft_validated,${null})

# Several devices that work on one call.
room(several NEEDS UNIHIST_SOFT_GPU)
row(test_several_speed ON soft_several GCC fast SERIAL)

# Whole arrays of the host's, of which the driver is told.
room(import NEEDS UNIHIST_SOFT_GPU TSAN deep)
row(test_import ON soft,soft_beside)
row(test_import ON soft_private ASAN deep)

# Arrays that go through buffers, piece by piece, and what memory there is beside them.
room(pieces NEEDS UNIHIST_SOFT_GPU)
row(test_memory_room ON soft_small GCC fast CLANG weekly)
row(test_pieces ON soft_small GCC fast ASAN kernels)

room(soft_gpu NEEDS UNIHIST_SOFT_GPU_TESTS FOLDER soft_gpu LIBRARIES soft_gpu_fixture Threads::Threads)
row(test_soft_device test_soft_fault test_soft_kernel test_soft_module test_soft_threads ON driver)
row(test_soft_event test_soft_list test_soft_order ON driver,driver_waits)
row(test_soft_oclgrind ON driver_oclgrind)
row(test_soft_threads ON driver_waits TSAN deep)

# Every kernel at work on few values.
room(kernels)
set(rungs ${oclgrind})
foreach(op IN LISTS described)
  if(op MATCHES "^(random|integrate|meanshift)$") # where local memory is as small, other work is not done
    set(rungs oclgrind_local)
  elseif(op STREQUAL "histogram") # each group copies its tables, which grow with the memory
    set(rungs oclgrind_usual,oclgrind_counts,oclgrind_global)
    row(kernels_${op} ON oclgrind_local FILE test_described_kernels ARGS ${op} int16)
  elseif(op STREQUAL "points") # its cells are the same on each: of the others, what counts and what is alike
    set(rungs oclgrind_local)
    row(kernels_${op} ON oclgrind_counts,oclgrind_global FILE test_described_kernels ARGS ${op} 4)
  endif()
  row(kernels_${op} ON ${rungs} FILE test_described_kernels ARGS ${op})
  set(rungs ${oclgrind})
endforeach()
row(kernels_integrate ON oclgrind_wide FILE test_described_kernels ARGS integrate)
row(test_kernels_accumulate ON ${oclgrind})
row(test_kernels_passes ON oclgrind_wide GCC fast)
row(self_test_of_common ON oclgrind_local FILE test_kernels_self_test ARGS common)
# First of all, by all cores: what PoCL compiles here, other tests find compiled.
foreach(op IN LISTS operations ITEMS common)
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/${op}/${op}_trial.c)
    row(self_test_of_${op} ON soft CLANG kernels ASAN kernels FILE test_kernels_self_test ARGS ${op})
  endif()
endforeach()

room(intel_null NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES intel_null.c LIBRARIES ${CMAKE_DL_LIBS})
row(test_intel_null ON null_pvc,null_tgllp)
row(test_intel_null_memory ON null_tgllp,null_pvc)

# As the ranks of a program, by each MPI; a rank that waits gives its core to another one, which libraries of networks
# (UCX, libfabric) do not. The launcher does not wait for a second when it ends ranks.
set(mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_pml=ob1 OMPI_MCA_btl=^openib,usnic,ofi,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_odls_base_sigkill_timeout=0 OMP_NUM_THREADS=1)
set(mpis openmpi mpich ${UNIHIST_MPIS})
list(REMOVE_DUPLICATES mpis)
foreach(mpi IN LISTS mpis)
  room(${mpi} NEEDS UNIHIST_MPIRUN_${mpi} SOURCES mpi_fixture.c LIBRARIES unihist_mpi_${mpi}_static
    ENVIRONMENT ${mpi_environment} VERDICTS quarter mpi mpi mpi)
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
    row(${mpi}_histogram_${ranks} GCC ${tier} ASAN ${asan} FILE test_mpi_histogram LAUNCH ${launch})
    row(${mpi}_messages_${ranks} GCC ${tier} FILE test_mpi_messages LAUNCH ${launch})
    row(${mpi}_failures_${ranks} GCC ${tier} ASAN ${asan} FILE test_mpi_failures LAUNCH ${launch})
    row(${mpi}_integrate_${ranks} GCC ${tier} FILE test_mpi_integrate LAUNCH ${launch})
    row(${mpi}_meanshift_${ranks} GCC ${tier} ASAN ${asan} FILE test_mpi_meanshift LAUNCH ${launch})
    row(${mpi}_bandwidth_${ranks} GCC ${tier} ASAN ${asan} FILE test_mpi_bandwidth LAUNCH ${launch})
    row(${mpi}_parts_${ranks} GCC ${tier} ASAN ${asan} FILE test_mpi_parts LAUNCH ${launch})
    row(${mpi}_parts_${ranks} ON soft_other GCC quarter CLANG mpi ASAN mpi TSAN mpi FILE test_mpi_parts LAUNCH
      ${launch})
  endforeach()
  if(mpi STREQUAL "openmpi") # on few cores: what is sent does not depend on how long it takes
    row(openmpi_messages_64 GCC deep FILE test_mpi_messages LAUNCH ${UNIHIST_MPIRUN_openmpi} -n 64)
  endif()
endforeach()
# MPICH may itself be linked with the loader, in whose place the soft driver must not stand then.
row(mpich_histogram_2 ON soft_flat GCC deep CLANG kernels ASAN kernels FILE test_mpi_histogram LAUNCH
  ${UNIHIST_MPIRUN_mpich} -n 2)

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
    INPUTS ${script_helpers} VERDICTS quarter mpi mpi mpi)
  row(${mpi}_command GCC ${tier} FILE test_command_mpi)
  if(mpi STREQUAL "openmpi") # MPICH's ranks take a core each while they wait, which they do in every iteration
    row(openmpi_command_meanshift GCC deep FILE test_command_mpi_meanshift)
  endif()
endforeach()

set(program "")
if("openmpi" IN_LIST UNIHIST_MPIS AND UNIHIST_BUILD_PERF)
  set(program $<TARGET_FILE:unihist_perf_mpi_openmpi>)
endif()
room(perf_mpi NEEDS UNIHIST_MPIRUN_openmpi UNIHIST_BUILD_PERF ENVIRONMENT ${mpi_environment}
  UNIHIST_MPIRUN=${UNIHIST_MPIRUN_openmpi} UNIHIST_PERF_MPI=${program} INPUTS ${script_helpers}
  VERDICTS quarter script script script)
row(test_perf_mpi)

room(cli NEEDS UNIHIST_BUILD_CLI LIBRARIES unihist_cli TSAN serial)
row(test_cli_bars test_cli_clusters test_cli_heat test_cli_input test_cli_input_csv test_cli_input_npy
  test_cli_number test_cli_output_atomic test_cli_plot test_cli_progress test_cli_rules)

room(command NEEDS UNIHIST_BUILD_CLI ENVIRONMENT ${command_environment}
  INPUTS ${script_helpers} api/cli/man VERDICTS fast asan third script)
row(test_command_bincount test_command_devices test_command_histo test_command_histogram test_command_merge
  test_command_outputs test_command_sample test_command_weights TSAN third)
row(test_command_bins test_command_errors)
row(test_command_completion GCC deep CLANG script ASAN script)
row(test_command_device GCC deep CLANG script ASAN script TSAN third)
row(test_command_device_faults CLANG script ASAN script TSAN third)
row(test_command_drivers test_command_interrupt CLANG script ASAN script)
row(test_command_integrate test_command_meanshift CLANG script)
row(test_command_help CLANG script ASAN script INPUTS api/cli api/include)

# What NumPy, Python's fractions or another program say of the library through its shared library or its command.
room(scripts NEEDS UNIHIST_BUILD_CLI ENVIRONMENT ${library_environment} INPUTS ${script_helpers}
  VERDICTS fast asan third script)
row(test_gpu_script GCC third CLANG script ASAN script INPUTS toolchain)
row(test_histogram_estimates test_input_numpy test_random_numpy)
row(test_meanshift_sklearn CLANG script ASAN script)
row(test_random_dieharder GCC eighth CLANG amount ASAN amount TSAN amount)
row(test_sample_distributions_exact test_sample_exact CLANG weekly ASAN script)
row(test_histogram_random GCC deep)
row(test_kernels_spirv CLANG kernels ASAN kernels TSAN kernels INPUTS kernels)
row(test_once CLANG sources ASAN sources TSAN sources INPUTS toolchain/once.py)
row(test_planted CLANG sources ASAN sources TSAN sources ARGS ${PROJECT_BINARY_DIR} INPUTS api kernels runtime tests
  perf toolchain)
row(test_readme INPUTS README.md api/docs api/examples perf/figures.py perf/results)

# The tests of devices once more where there is a GPU.
room(gpu NEEDS UNIHIST_BUILD_PERF ENVIRONMENT ${gpu_environment} INPUTS ${script_helpers})
row(test_gpu ON gpu)

room(perf NEEDS UNIHIST_BUILD_PERF ENVIRONMENT ${perf_environment} INPUTS ${script_helpers} perf
  VERDICTS third script script script)
row(test_perf test_perf_devices test_perf_isa_messages test_perf_model test_perf_papers test_perf_peers
  test_perf_runtime)
row(test_perf_goals CLANG weekly)
row(test_perf_isa GCC quarter CLANG intel ASAN intel TSAN intel INPUTS kernels)

# What is installed, seen from outside, and what a build does.
set(library_sources CMakeLists.txt api kernels runtime toolchain/cmake)
room(packaging NEEDS UNIHIST_INSTALLABLE ENVIRONMENT ${packaging_environment}
  INPUTS ${library_sources} perf tests/packaging_lib.sh tests/consumer VERDICTS quarter cmake package package)
row(packaging_cpu_only packaging_kernels packaging_native)
row(packaging_exports GCC deep CLANG weekly ARGS ${exports_arguments})
if(UNIHIST_MPIS)
  row(mpi_exports GCC deep CLANG weekly FILE packaging_exports ARGS ${mpi_exports_arguments})
endif()
row(packaging_install CLANG weekly ARGS ${install_arguments})
row(test_layers GCC fast CLANG sources ARGS ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} INPUTS api kernels perf runtime)
row(test_toy_operation ARGS ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER} INPUTS api kernels runtime
  tests perf toolchain CMakeLists.txt)

# The Python package, installed by pip: with the library of this build, and built from a copy of the sources.
set(python_gpu "")
if(UNIHIST_SOFT_GPU AND UNIHIST_HAS_LEVEL_ZERO)
  set(python_gpu ${UNIHIST_SOFT_GPU_ENVIRONMENT})
endif()
room(python NEEDS UNIHIST_INSTALLABLE ENVIRONMENT ${packaging_environment}
  INPUTS ${library_sources} tests/packaging_lib.sh tests/python_packages.txt toolchain/wheel README.md
  VERDICTS fast script package package)
row(packaging_python ARGS ${UNIHIST_TEST_PYTHON} ${PROJECT_BINARY_DIR}/python ${PROJECT_BINARY_DIR} ${python_gpu})
row(packaging_python_from_sources GCC eighth CLANG cmake FILE packaging_python ARGS ${UNIHIST_TEST_PYTHON})

# Each starts from tests/corpus/NAME, where there is one; what it finds new stays in the build folder.
room(fuzz NEEDS UNIHIST_BUILD_FUZZERS VERDICTS libfuzzer libfuzzer deep libfuzzer)
row(fuzz_axis fuzz_csv fuzz_npy fuzz_saved fuzz_spirv)

# Each test of the room "kernels" leaves a list of the kernels that have run: none of the library's has been left out.
# The lists of tests that are gone go first.
get_property(oclgrind_tests GLOBAL PROPERTY unihist_oclgrind_tests)
room(oclgrind_lists NEEDS UNIHIST_HAS_LEVEL_ZERO)
row(oclgrind_begin ON oclgrind_lists ALWAYS COMMAND ${oclgrind_kernels} --begin ${UNIHIST_OCLGRIND_LISTS}
  ${oclgrind_tests})
row(oclgrind_every_kernel ON oclgrind_lists GCC weekly ALWAYS COMMAND ${oclgrind_kernels} ${UNIHIST_OCLGRIND_LISTS}
  ${PROJECT_BINARY_DIR}/kernels/variants.txt)
row(oclgrind_misses_kernels ON oclgrind_lists ALWAYS COMMAND ${oclgrind_kernels} ${CMAKE_CURRENT_BINARY_DIR}/empty
  ${PROJECT_BINARY_DIR}/kernels/variants.txt)
row(every_kernel ON soft GCC quarter CLANG kernels ASAN kernels ALWAYS COMMAND ${UNIHIST_TEST_PYTHON}
  ${CMAKE_CURRENT_SOURCE_DIR}/soft_kernels.py $<TARGET_FILE:tests_kernels>
  ${PROJECT_BINARY_DIR}/kernels/variants.txt)

# The checks of toolchain/check. Those that build use half of the cores each, so that what one of them does in a single
# thread does not hold up all else.
set(check ${PROJECT_SOURCE_DIR}/toolchain/check)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR jobs "(${cores} + 1) / 2")
room(check NEEDS UNIHIST_CHECKS ENVIRONMENT UNIHIST_CHECK_JOBS=${jobs} VERDICTS deep sources sources sources)
row(check_format GCC fast COMMAND ${check} format INPUTS .clang-format kernels/common/.clang-format toolchain/check
  api runtime kernels tests perf)
row(check_scripts GCC fast COMMAND ${check} scripts INPUTS toolchain .ci tests)
row(check_levels GCC fast COMMAND ${check} levels INPUTS toolchain/check toolchain/levels.py tests/levels.txt
  kernels api/include)
row(test_levels GCC fast INPUTS toolchain/levels.py)
row(check_cppcheck COMMAND ${check} cppcheck INPUTS toolchain/check api runtime kernels tests perf)
row(check_clang ALWAYS COMMAND ${check} clang)
row(check_asan-ubsan ALWAYS COMMAND ${check} asan-ubsan)
row(check_tsan ALWAYS COMMAND ${check} tsan)
row(check_clang-tidy ALWAYS COMMAND ${check} clang-tidy)
row(check_valgrind COMMAND ${CMAKE_COMMAND} -E env "UNIHIST=$<TARGET_FILE:unihist_command>" ${check} valgrind INPUTS
  toolchain/valgrind.supp)
