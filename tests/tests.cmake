# SPDX-License-Identifier: Apache-2.0
# The table of tests: each test, where it runs, and for each build (gcc, clang, ASan+UBSan, TSan) whether it runs there.
# toolchain/cmake/UnihistTests.cmake reads it. A test on a rung is called TEST_RUNG (on the host: TEST) and has the names
# of its room and of the rung's driver as labels. Verdicts are those of the rung; on the host a room may have others, and
# a row names its exceptions. A test without a row fails the configuration.
#
# A verdict is the tier that runs the test in this build:
#   deep       toolchain/test --deep
#   fast       gcc's build alone: toolchain/test too; of x86-64 levels, the best that this CPU has
#   best       of x86-64 levels, runs if it is the best that this CPU has
#   half, third, quarter, eighth
#              takes long and seldom finds more: runs in every second, third, fourth or eighth turn of the deep tier
#   weekly     the weekly tier alone (toolchain/test --weekly), which runs all of these in this build
# or why no tier runs it there:
#   elsewhere  other tests of this build and this test in gcc's prove the same
#   cannot     it does not work there
set(UNIHIST_TEST_VERDICTS deep half third quarter eighth weekly elsewhere cannot)

# ---- the rungs, each a driver with settings: nothing but environment ----

rung(host UNNAMED)
rung(v4 ENVIRONMENT UNIHIST_ISA=v4)
rung(v3 ENVIRONMENT UNIHIST_ISA=v3)
# v2, which is made of the same text as the better levels, and v3 with each of its ways of loading entries alone are tried
# coarsely in the deep tier, too: of test_histogram_exact a quarter of points and axes, of a described case two turns.
set(coarse UNIHIST_TEST_COARSE=1)
rung(v3_gathers ENVIRONMENT UNIHIST_ISA=v3-gathers ${coarse})
rung(v3_loads ENVIRONMENT UNIHIST_ISA=v3-loads ${coarse})
if(UNIHIST_BEST_LEVEL STREQUAL "v2")
  set(coarse "")
endif()
rung(v2 ENVIRONMENT UNIHIST_ISA=v2 ${coarse})

# The soft driver's devices: the usual one; one with tiles whose clock wraps around five times per second; those where a
# histogram counts in each of its ways (histogram_shape.h), or has little memory. In the loader's place, and under a new
# loader, lists are in order and events are counters, as on new drivers; otherwise a chain of events keeps the order.
rung(soft DRIVER soft AS_LOADER)
rung(soft_other DRIVER soft
  ENVIRONMENT SOFT_GPU=in_order=0,devices=2,tiles=2,copy_engine=1,fill_pattern=4,fp64=0,unified=1,timer_bits=22,seed=7)
rung(soft_flat DRIVER soft ENVIRONMENT SOFT_GPU=devices=2,tiles=2,flat=1)
rung(soft_counts DRIVER soft AS_LOADER ENVIRONMENT SOFT_GPU=slm=4096,tiles=2,copy_engine=1,import=0)
rung(soft_private DRIVER soft ENVIRONMENT SOFT_GPU=slm=256,unified=1,fp64=0)
rung(soft_global DRIVER soft ENVIRONMENT SOFT_GPU=in_order=0,slm=64,eus=1,threads=1,group=64)
rung(soft_small DRIVER soft ENVIRONMENT SOFT_GPU=memory=67108864,fp64=0)
rung(soft_slow DRIVER soft ENVIRONMENT SOFT_GPU=slow=100,clock=13,eus=1,group=64) # as slow as its clock tells
# Where calls fail one by one, the uses are many and small: commands run in the thread that waits for them.
rung(soft_tiny DRIVER soft AS_LOADER ENVIRONMENT SOFT_GPU=workers=0,memory=8388608)
rung(soft_chain DRIVER soft ENVIRONMENT SOFT_GPU=in_order=0,workers=0,memory=33554432)
# Several as one: four, one of them three times as slow; two tiles of a card that are listed as devices, and the host.
rung(soft_several DRIVER soft AS_LOADER ENVIRONMENT SOFT_GPU=devices=4,slow=3/1 UNIHIST_TEST_DEVICE=level_zero:*)
rung(soft_all DRIVER soft ENVIRONMENT SOFT_GPU=tiles=2,flat=1 UNIHIST_TEST_DEVICE=all)
rung(soft_pair DRIVER soft ENVIRONMENT SOFT_GPU=devices=2,workers=0,memory=8388608 UNIHIST_TEST_DEVICE=all)
# Next to a driver without devices, for which a loader gives handles of its own.
rung(soft_second DRIVER soft ENVIRONMENT ${UNIHIST_SOFT_GPU_SECOND})
rung(soft_validated DRIVER soft VALIDATED)
# The same over Intel's OpenCL for CPUs, where that is installed: it takes SPIR-V as it is, and has sub-groups.
rung(soft_intel DRIVER soft_intel)
rung(driver DRIVER soft UNNAMED)
rung(driver_waits DRIVER soft ENVIRONMENT SOFT_GPU=workers=0)
rung(driver_cuda DRIVER soft UNNAMED ENVIRONMENT ${UNIHIST_FAKE_CUDA})

# The soft driver with kernels in Oclgrind, which reports races and wrong accesses: small devices, as it interprets, on
# which a histogram counts with all in local memory (even a table of all values of 16 bits), with as much there as on
# GPUs, with the counts alone there, and in global memory; and one of groups as large as integrals take.
rung(oclgrind_local DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=1048576)
rung(oclgrind_usual DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=65536)
rung(oclgrind_counts DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=2048)
rung(oclgrind_global DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=3,group=16,slm=64)
rung(oclgrind_wide DRIVER oclgrind ENVIRONMENT SOFT_GPU=eus=1,threads=16,group=256,slm=65536)
rung(driver_oclgrind DRIVER oclgrind UNNAMED)
rung(oclgrind_lists DRIVER lists LABEL oclgrind UNNAMED)
set(oclgrind oclgrind_local,oclgrind_counts,oclgrind_global)

# Intel's driver without hardware. Capturing, which would write a gigabyte per thousand launches, is off.
set(intel NEOReadDebugKeys=1 SetCommandStreamReceiver=1 AUBDumpSubCaptureMode=2 AUBDumpCaptureFileName=/dev/null
  UseAubStream=0 UNIHIST_SELF_TEST=off ZE_ENABLE_ALT_DRIVERS=libze_intel_gpu.so.1)
set(intel_tgllp ${intel} ProductFamilyOverride=tgllp HardwareInfoOverride=1x6x16)
set(intel_pvc ${intel} ProductFamilyOverride=pvc HardwareInfoOverride=1x4x8)
foreach(product tgllp pvc)
  rung(null_${product} DRIVER intel ENVIRONMENT ${intel_${product}})
  rung(null_${product}_validated DRIVER intel VALIDATED ENVIRONMENT ${intel_${product}})
endforeach()
set(null null_tgllp,null_pvc,null_tgllp_validated,null_pvc_validated)

# Real hardware, if present.
rung(gpu LABEL gpu UNNAMED)

# The kernels are the same bytes in every build, and the ASan build is clang's, too. The thread sanitizer sees nothing
# where one thread works. A sanitizer's runtime ends the process when Intel's libraries are opened (RTLD_DEEPBIND), and
# would see Oclgrind itself. The sanitizers' builds have the best level alone.
#        rungs                                                     gcc     clang     asan      tsan
verdicts(host,driver                                               fast    weekly    deep      deep)
verdicts(v4,v3,v2                                                  fast    best      best      best)
verdicts(v3_gathers,v3_loads                                       half    elsewhere cannot    cannot)
verdicts(soft,soft_flat,soft_second                                fast    weekly    deep      elsewhere)
verdicts(soft_slow                                                 fast    elsewhere deep      elsewhere)
verdicts(soft_tiny                                                 fast    elsewhere half      elsewhere)
verdicts(soft_other,soft_all                                       deep    elsewhere half      elsewhere)
verdicts(driver_cuda                                               fast    elsewhere half      elsewhere)
verdicts(soft_chain,driver_waits                                   deep    elsewhere deep      elsewhere)
verdicts(soft_counts,soft_private,soft_global,soft_small,soft_several deep elsewhere quarter   elsewhere)
verdicts(soft_pair                                                 half    elsewhere half      elsewhere)
verdicts(soft_validated                                            half    elsewhere elsewhere elsewhere)
verdicts(soft_intel                                                deep    elsewhere cannot    cannot)
verdicts(${oclgrind},oclgrind_usual,oclgrind_wide                  quarter elsewhere cannot    cannot)
verdicts(driver_oclgrind,oclgrind_lists                            deep    elsewhere cannot    cannot)
verdicts(${null}                                                   quarter cannot    cannot    cannot)
verdicts(gpu                                                       deep    weekly    cannot    cannot)

# ---- the tests: a room is a program, tests_ROOM, or a set of scripts ----
room(api VERDICTS fast weekly deep elsewhere)
row(test_axis test_axis_distribution test_overlap)
row(test_overlap ON soft,soft_all GCC fast)

# The description of each operation (tests/cases_OPERATION.c).
room(described SOURCES fault_run.c)
row(results_histogram ON v3_gathers,v3_loads GCC deep FILE test_described_exact ARGS histogram)
row(results_sample ON v3_gathers,v3_loads GCC deep FILE test_described_exact ARGS sample)
foreach(op IN LISTS described)
  row(results_${op} ON v4,v3,v2,soft FILE test_described_exact ARGS ${op})
  # The usual device has all cases, each other one a share: they differ in the place of counters and arrays, not in what
  # is computed. A case that a share of one leaves out, another one has nearly always.
  row(results_${op} ON soft_counts,soft_private,soft_global,soft_small GCC half FILE test_described_exact ARGS ${op} 2)
  row(results_${op} ON soft_other,soft_several,soft_all,soft_validated FILE test_described_exact ARGS ${op} 3)
  if(UNIHIST_INTEL_OPENCL_ENVIRONMENT)
    row(results_${op} ON soft_intel FILE test_described_exact ARGS ${op})
  endif()
  row(faults_${op} ON soft_pair,soft_tiny FILE test_described_faults ARGS ${op})
endforeach()
row(test_described_losses ON soft_several ASAN deep)
row(test_described_bounds ON soft_slow)
row(test_described_drivers ON soft)
row(faults_histogram ON soft_chain GCC half FILE test_described_faults ARGS histogram)

room(histogram)
row(test_cases_histogram test_histogram test_histogram_errors test_histogram_of test_histogram_places
  test_histogram_plan test_geometry test_shape test_shares)
row(test_histogram_many ASAN elsewhere TSAN elsewhere) # 10^8 values and more
row(test_histogram_categories ON v4,v3,v2,soft,soft_counts,soft_private,soft_global)
row(test_histogram_device ON soft,soft_counts,soft_private,soft_global,soft_small,soft_validated)
row(test_bins)
row(test_bins_fit)
row(test_bins_values ON host,soft)
row(test_base2 ON host,soft,soft_several)
row(test_histogram_data test_histogram_rows ON v4,v3,v2,soft)
row(test_histogram_every_float ON host,soft GCC deep CLANG elsewhere ASAN elsewhere TSAN elsewhere)
row(test_histogram_exact ON v4,v3,v2,v3_gathers,v3_loads,soft_counts,soft_private,soft_global)
row(test_histogram_exact ON soft GCC deep)

room(points)
row(test_points_launch ON soft,soft_other,soft_counts)
row(test_points ON v4,v3,v2,v3_gathers,v3_loads,soft,soft_counts,soft_private,soft_global)

room(accumulate)
row(test_accumulate ON v4,v3,v2,soft_counts,soft_private,soft_global)
row(test_accumulate ON soft GCC deep)
row(test_wide)

room(bincount)
row(test_bincount ON v4,v3,v2,soft,soft_other,soft_global,soft_small)

room(histo)
row(test_histo_geometry)
row(test_histo ON v4,v3,v2,soft_counts,soft_private)
row(test_histo ON soft_global GCC fast)
row(test_histo ON soft GCC deep)

room(random)
row(test_random ON v4,v3,v2,soft)

room(integrate KERNELS interpolate_f64.cl LIBRARIES ${gsl})
row(test_integrate test_integrate_calls test_integrate_cubature test_integrate_sequence test_integrate_tables
  test_integrate_values)
row(test_integrate_set test_integrate_steps ASAN elsewhere TSAN elsewhere)
row(test_integrate_device ON soft,soft_other,soft_global,soft_small,soft_validated)
row(test_integrate_cubature ON v4,v3,v2,soft,soft_other,soft_several,soft_all)
row(test_integrate_points ON host,soft,soft_other)
row(test_integrate_many ON host,soft,soft_other,soft_several,soft_all)
row(test_integrate_tables ON soft,soft_other GCC deep)
row(test_integrate_statistics GCC deep CLANG elsewhere ASAN elsewhere TSAN elsewhere)
row(test_interpolate ON host,soft)

room(meanshift)
row(test_meanshift ON host,soft,soft_other,soft_global,soft_small,soft_validated)
row(test_meanshift_clusters)
row(test_meanshift_density ON host,soft,soft_other,soft_global)
row(test_meanshift_errors ON host,soft_other)
row(test_long_call ON soft ASAN elsewhere)

room(sample)
row(test_sample_distributions test_sample_table)
row(test_sample ON v4,v3,v2,soft,soft_other,soft_global,soft_small)

room(save TSAN elsewhere)
row(test_save test_save_refused)
row(test_exchange ASAN third TSAN deep)

# Here the library's calls of the allocators can be made to fail (out_of_memory, out_of_memory_ze).
set(allocators malloc calloc realloc posix_memalign strdup)
set(module_kernels module_kernels.cl module_kernels_f64.cl)

room(out_of_memory SOURCES failing_malloc.c WRAP ${allocators} TSAN elsewhere)
foreach(op IN LISTS described)
  row(out_of_memory_${op} FILE test_described_out_of_memory ARGS ${op})
endforeach()
row(test_out_of_memory)

room(out_of_memory_ze NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES failing_malloc.c WRAP ${allocators} KERNELS ${module_kernels})
row(test_runtime_ze_out_of_memory ON soft,${null})

room(runtime TSAN deep)
row(test_names test_runtime_cpu test_runtime_device test_runtime_device_choice test_runtime_files test_runtime_launch
  test_runtime_launch_refused test_runtime_log test_runtime_memory test_runtime_module test_runtime_module_shared
  test_runtime_queue test_runtime_several test_runtime_status test_runtime_threads test_runtime_ze_devices)
row(test_runtime_moves ON host,soft,soft_other,soft_validated,${null})

room(runtime_ze NEEDS UNIHIST_HAS_LEVEL_ZERO SOURCES fault_run.c KERNELS ${module_kernels} TSAN deep)
row(test_runtime_module_cache)
row(test_runtime_ze_cards ON soft,soft_flat,soft_validated)
row(test_runtime_ze_events test_runtime_ze_launch test_runtime_ze_memory test_runtime_ze_queue ON
  soft,soft_other,soft_validated,${null})
row(test_runtime_ze_events ON soft_chain GCC fast TSAN elsewhere)
row(test_runtime_ze_failures test_runtime_ze_faults ON soft,soft_chain TSAN elsewhere)
# It forks while the driver's threads work, and the child goes on: a lock of a sanitizer's malloc may stay locked.
row(test_runtime_ze_fork ON soft,soft_chain ASAN cannot TSAN cannot)
row(test_runtime_ze_wait ON soft,soft_other)
row(test_self_test ON soft)
row(test_runtime_ze_module_cache test_runtime_ze_module ON soft,soft_validated,${null})
row(test_runtime_ze_several ON soft_other,soft_flat GCC fast CLANG weekly)
row(test_runtime_ze_several ON soft_validated,${null})

# Bare Level Zero next to the library.
room(interop NEEDS UNIHIST_HAS_LEVEL_ZERO UNIHIST_ZE_LOADER LIBRARIES ${UNIHIST_ZE_LOADER} TSAN deep)
row(test_ze_interop ON soft,soft_other,soft_validated,${null})

# Whole arrays of the host that the driver imports, or that go through buffers piece by piece; several devices at once.
room(pieces NEEDS UNIHIST_SOFT_GPU)
row(test_import ON soft,soft_second TSAN deep)
row(test_import ON soft_private ASAN deep TSAN deep)
row(test_pieces ON soft_small GCC fast CLANG weekly)
row(test_several_speed ON soft_several GCC fast ASAN elsewhere SERIAL)

room(soft_gpu NEEDS UNIHIST_SOFT_GPU UNIHIST_HAS_LEVEL_ZERO UNIHIST_ZE_LOADER FOLDER soft_gpu
  SOURCES soft_gpu/soft_fixture.c LIBRARIES ${UNIHIST_ZE_LOADER} KERNELS ${module_kernels} soft_gpu/wrong.cl)
row(test_soft_misuse test_soft_harsh ON driver,driver_waits)
row(test_soft_oclgrind ON driver_oclgrind)
row(test_soft_cuda ON driver_cuda)

# PTX of the kernels, for the executor on NVIDIA cards.
room(ptx NEEDS UNIHIST_SOFT_GPU UNIHIST_LIBCLC UNIHIST_BUILD_PERF VERDICTS deep elsewhere elsewhere elsewhere
  ENVIRONMENT ${perf_environment} UNIHIST_BUILD=${PROJECT_BINARY_DIR} INPUTS ${script_helpers} toolchain perf)
set(ptx ${CMAKE_CURRENT_SOURCE_DIR}/ptx.py ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/ptx)
row(ptx GCC fast COMMAND ${UNIHIST_TEST_PYTHON} ${ptx} INPUTS kernels perf tests)
row(ptx_assembled COMMAND ${UNIHIST_TEST_PYTHON} ${ptx} --assemble INPUTS kernels perf tests)
row(test_nvidia_script)

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
# The few cases in which a group's work-items would race.
row(races_bincount ON oclgrind_counts GCC fast FILE test_described_kernels ARGS bincount "of int32, 100")
row(races_histogram ON oclgrind_counts GCC fast FILE test_described_kernels
  ARGS histogram "float32 by packed on random 100")
row(races_meanshift ON oclgrind_local GCC fast FILE test_described_kernels ARGS meanshift "flat modes of")
row(kernels_integrate ON oclgrind_wide FILE test_described_kernels ARGS integrate)
row(test_kernels_passes ON oclgrind_wide GCC fast)
row(self_test_of_common ON oclgrind_local FILE test_kernels_self_test ARGS common)
# First of all, by all cores: what PoCL compiles here, other tests find compiled.
foreach(op IN LISTS operations ITEMS common)
  if(EXISTS ${PROJECT_SOURCE_DIR}/kernels/${op}/${op}_trial.c)
    row(self_test_of_${op} ON soft CLANG elsewhere ASAN elsewhere FILE test_kernels_self_test ARGS ${op})
  endif()
endforeach()

room(intel_null NEEDS UNIHIST_HAS_LEVEL_ZERO LIBRARIES ${CMAKE_DL_LIBS})
row(test_intel_null ON null_pvc,null_tgllp)

# The ranks of a program, by each MPI. A rank that waits gives its core to another one, which libraries of networks
# (UCX, libfabric) do not. MPICH and its UCX open no driver: they pass structures of no type, which soft_gpu refuses.
set(mpi_environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_pml=ob1 OMPI_MCA_btl=^openib,usnic,ofi,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none
  OMPI_MCA_odls_base_sigkill_timeout=0 MPIR_CVAR_ENABLE_GPU=0 UCX_MODULES=^ze OMP_NUM_THREADS=1)
set(mpis openmpi mpich ${UNIHIST_MPIS})
list(REMOVE_DUPLICATES mpis)
foreach(mpi IN LISTS mpis)
  room(${mpi} NEEDS UNIHIST_MPIRUN_${mpi} SOURCES mpi_fixture.c LIBRARIES unihist_mpi_${mpi}_static
    ENVIRONMENT ${mpi_environment} VERDICTS quarter elsewhere elsewhere elsewhere)
  set(all_ranks 1 2 3 4 7)
  if(mpi STREQUAL "mpich") # calls the same of our code, and its ranks wait busily if they are more than the cores
    set(all_ranks 1 2 3)
  endif()
  foreach(ranks IN LISTS all_ranks)
    set(tier quarter)
    set(asan elsewhere)
    if(mpi STREQUAL "openmpi" AND ranks EQUAL 4) # with three no stretch of a message wraps around
      set(tier fast)
    elseif(mpi STREQUAL "openmpi" AND ranks EQUAL 2) # both a rank that is first and one that is not
      set(asan third)
    endif()
    set(launch ${UNIHIST_MPIRUN_${mpi}} -n ${ranks})
    foreach(what bandwidth histogram meanshift parts)
      row(${mpi}_${what}_${ranks} GCC ${tier} ASAN ${asan} FILE test_mpi_${what} LAUNCH ${launch})
    endforeach()
    foreach(what integrate messages)
      row(${mpi}_${what}_${ranks} GCC ${tier} FILE test_mpi_${what} LAUNCH ${launch})
    endforeach()
    row(${mpi}_parts_${ranks} ON soft_other GCC quarter ASAN elsewhere FILE test_mpi_parts LAUNCH ${launch})
  endforeach()
  if(mpi STREQUAL "openmpi") # on few cores: what is sent does not depend on how long it takes
    row(openmpi_messages_64 GCC deep FILE test_mpi_messages LAUNCH ${UNIHIST_MPIRUN_openmpi} -n 64 TIMEOUT 900)
    set(tier fast)
  else() # it may itself be linked with the loader, in whose place the soft driver must not stand then
    row(${mpi}_histogram_2 ON soft_flat GCC deep CLANG elsewhere ASAN elsewhere FILE test_mpi_histogram
      LAUNCH ${UNIHIST_MPIRUN_${mpi}} -n 2)
    set(tier quarter)
  endif()
  if(mpi IN_LIST UNIHIST_MPIS AND UNIHIST_BUILD_CLI)
    set(command $<TARGET_FILE:unihist_mpi_command_${mpi}>)
  endif()
  room(${mpi}_command NEEDS UNIHIST_MPIRUN_${mpi} UNIHIST_BUILD_CLI ENVIRONMENT ${command_environment}
    ${mpi_environment} UNIHIST_MPIRUN=${UNIHIST_MPIRUN_${mpi}} UNIHIST_MPI_COMMAND=${command}
    INPUTS ${script_helpers} VERDICTS quarter elsewhere elsewhere elsewhere)
  row(${mpi}_command GCC ${tier} FILE test_command_mpi)
  if(mpi STREQUAL "openmpi") # MPICH's ranks take a core each while they wait, which they do in every iteration
    row(openmpi_command_meanshift GCC deep FILE test_command_mpi_meanshift INPUTS tests/test_command_mpi.py)
  endif()
endforeach()

set(program "")
if("openmpi" IN_LIST UNIHIST_MPIS AND UNIHIST_BUILD_PERF)
  set(program $<TARGET_FILE:unihist_perf_mpi_openmpi>)
endif()
room(perf_mpi NEEDS UNIHIST_MPIRUN_openmpi UNIHIST_BUILD_PERF ENVIRONMENT ${mpi_environment}
  UNIHIST_MPIRUN=${UNIHIST_MPIRUN_openmpi} UNIHIST_PERF_MPI=${program} INPUTS ${script_helpers}
  VERDICTS quarter elsewhere elsewhere elsewhere)
row(test_perf_mpi)

room(cli NEEDS UNIHIST_BUILD_CLI LIBRARIES unihist_cli TSAN elsewhere)
row(test_cli)

room(command NEEDS UNIHIST_BUILD_CLI ENVIRONMENT ${command_environment}
  INPUTS ${script_helpers} api/cli/man VERDICTS fast elsewhere third elsewhere)
row(test_command_bincount test_command_devices test_command_histo test_command_histogram test_command_merge
  test_command_outputs test_command_sample TSAN third)
row(test_command_bins test_command_columns test_command_errors test_command_integrate test_command_meanshift)
row(test_command_device_faults ASAN elsewhere TSAN third)
row(test_command_device GCC deep ASAN elsewhere TSAN third)
row(test_command_completion GCC deep ASAN elsewhere)
row(test_command_help test_command_interrupt ASAN elsewhere INPUTS api/cli api/include)

# The command compared with another program; checks of files.
room(scripts NEEDS UNIHIST_BUILD_CLI ENVIRONMENT ${library_environment} INPUTS ${script_helpers}
  VERDICTS fast elsewhere third elsewhere)
row(test_headers ASAN elsewhere INPUTS api/include)
row(test_input test_pictures ASAN deep)
row(test_display test_input_text test_input_dialects ASAN deep INPUTS tests/test_input.py tests/test_pictures.py)
row(test_gpu_script GCC third ASAN elsewhere INPUTS toolchain)
row(test_kernels_spirv ASAN elsewhere INPUTS kernels)
row(test_lattice GCC third ASAN elsewhere INPUTS kernels/common)
row(test_toolchain ASAN elsewhere ARGS ${PROJECT_BINARY_DIR} INPUTS api kernels runtime tests perf toolchain)
row(test_readme INPUTS README.md api/docs api/examples perf/figures.py perf/results)

# The tests of devices once more on a GPU.
room(gpu NEEDS UNIHIST_BUILD_PERF ENVIRONMENT ${gpu_environment} INPUTS ${script_helpers})
row(test_gpu ON gpu)

room(perf NEEDS UNIHIST_BUILD_PERF ENVIRONMENT ${perf_environment} UNIHIST_CLANG=${UNIHIST_CLANG}
  UNIHIST_LLVM_SPIRV=${UNIHIST_LLVM_SPIRV} INPUTS ${script_helpers} perf
  VERDICTS third elsewhere elsewhere elsewhere)
row(test_perf test_perf_devices test_perf_isa_messages test_perf_model test_perf_papers test_perf_peers
  test_perf_runtime)
row(test_perf_pulls INPUTS api/docs/integrators.svg)
row(test_perf_goals GCC fast)
row(test_perf_isa GCC quarter INPUTS kernels)

# The installed files, from outside, and builds.
set(library_sources CMakeLists.txt api kernels runtime toolchain/cmake)
room(packaging NEEDS UNIHIST_INSTALLABLE ENVIRONMENT ${packaging_environment}
  INPUTS ${library_sources} perf tests/packaging_lib.sh tests/consumer VERDICTS quarter elsewhere cannot cannot)
row(packaging_cpu_only packaging_kernels packaging_native)
row(packaging_exports GCC deep CLANG weekly ARGS ${exports_arguments})
if(UNIHIST_MPIS)
  row(mpi_exports GCC deep CLANG weekly FILE packaging_exports ARGS ${mpi_exports_arguments})
endif()
row(packaging_install CLANG weekly ARGS ${install_arguments})
row(test_layers GCC fast ARGS ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} INPUTS api kernels perf runtime)
row(test_toy_operation ARGS ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER} INPUTS api kernels runtime
  tests perf toolchain CMakeLists.txt)

# The Python package, installed by pip: with the library of this build, and built from a copy of the sources.
room(python NEEDS UNIHIST_INSTALLABLE ENVIRONMENT ${packaging_environment}
  INPUTS ${library_sources} tests/packaging_lib.sh toolchain/wheel README.md
  VERDICTS fast elsewhere cannot cannot)
row(packaging_python ARGS ${UNIHIST_TEST_PYTHON} ${PROJECT_BINARY_DIR}/python ${PROJECT_BINARY_DIR}
  ${installed_gpu})
row(packaging_python_from_sources GCC eighth FILE packaging_python ARGS ${UNIHIST_TEST_PYTHON} TIMEOUT 2400)

# Each starts from tests/corpus/NAME or seeds of fuzz_seeds.py; new findings stay in the build folder.
room(fuzz NEEDS UNIHIST_BUILD_FUZZERS VERDICTS cannot cannot deep cannot)
row(fuzz_csv fuzz_npy fuzz_saved fuzz_spirv)

# Each test of the room "kernels" leaves a list of the kernels that have run: all of the library's. Old lists go first.
get_property(oclgrind_tests GLOBAL PROPERTY unihist_oclgrind_tests)
room(oclgrind_lists NEEDS UNIHIST_HAS_LEVEL_ZERO)
row(oclgrind_begin ON oclgrind_lists ALWAYS COMMAND ${oclgrind_kernels} --begin ${UNIHIST_OCLGRIND_LISTS}
  ${oclgrind_tests})
row(oclgrind_every_kernel ON oclgrind_lists GCC weekly ALWAYS COMMAND ${oclgrind_kernels} ${UNIHIST_OCLGRIND_LISTS}
  ${PROJECT_BINARY_DIR}/kernels/variants.txt)
row(oclgrind_misses_kernels ON oclgrind_lists ALWAYS COMMAND ${oclgrind_kernels} ${CMAKE_CURRENT_BINARY_DIR}/empty
  ${PROJECT_BINARY_DIR}/kernels/variants.txt)
row(every_kernel ON soft GCC quarter CLANG elsewhere ASAN elsewhere ALWAYS COMMAND ${UNIHIST_TEST_PYTHON}
  ${CMAKE_CURRENT_SOURCE_DIR}/kernels_run.py --launch $<TARGET_FILE:tests_kernels>
  ${PROJECT_BINARY_DIR}/kernels/variants.txt)

# The checks of toolchain/check. Those that build use half of the cores each: one may have a long step of one thread.
set(check ${PROJECT_SOURCE_DIR}/toolchain/check)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR jobs "(${cores} + 1) / 2")
room(check NEEDS UNIHIST_CHECKS ENVIRONMENT UNIHIST_CHECK_JOBS=${jobs} VERDICTS deep elsewhere elsewhere elsewhere)
row(check_format GCC fast COMMAND ${check} format INPUTS .clang-format kernels/common/.clang-format toolchain/check
  api runtime kernels tests perf)
row(check_words GCC fast COMMAND ${check} words INPUTS README.md CONTRIBUTING.md CMakeLists.txt api kernels perf runtime
    tests toolchain)
row(check_scripts GCC fast COMMAND ${check} scripts INPUTS toolchain .ci tests)
row(check_levels GCC fast COMMAND ${check} levels INPUTS toolchain/check toolchain/levels.py tests/levels.txt
  kernels api/include)
row(check_cppcheck COMMAND ${check} cppcheck INPUTS toolchain/check api runtime kernels tests perf TIMEOUT 2400)
foreach(name clang asan-ubsan tsan clang-tidy)
  row(check_${name} ALWAYS COMMAND ${check} ${name} TIMEOUT 2400)
endforeach()
row(check_valgrind COMMAND ${CMAKE_COMMAND} -E env "UNIHIST=$<TARGET_FILE:unihist_command>" ${check} valgrind INPUTS
  toolchain/valgrind.supp TIMEOUT 2400)
