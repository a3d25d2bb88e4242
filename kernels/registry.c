/* SPDX-License-Identifier: Apache-2.0 */
/* For each operation of registry.def: picks the host table compiled for this CPU's x86-64 level, and finds the programs
 * for devices. */
#include "kernels/registry.h"
#include "runtime/cpu.h"

#define UH_OPERATION(op)                                                                                               \
    extern const struct uhi_##op##_host uhi_##op##_host_v2, uhi_##op##_host_v3, uhi_##op##_host_v4;                    \
    const struct uhi_##op##_host *uhi_##op##_host(void) {                                                              \
        switch (uhi_cpu_isa()) {                                                                                       \
        case UHI_ISA_V4: return &uhi_##op##_host_v4;                                                                   \
        case UHI_ISA_V3: return &uhi_##op##_host_v3;                                                                   \
        default: return &uhi_##op##_host_v2;                                                                           \
        }                                                                                                              \
    }
#include "kernels/registry.def"
#undef UH_OPERATION

/* The build defines UHI_HAS_PROGRAM_NAME as 1 or 0, for whether uhi_program_NAME is embedded, and
 * UHI_HAS_PROGRAM_NAME_f64 for uhi_program_NAME_f64. */
#define UHI_PROGRAM_1(function, program)                                                                               \
    extern const uh_program program;                                                                                   \
    const uh_program *function(void) {                                                                                 \
        return &program;                                                                                               \
    }
#define UHI_PROGRAM_0(function, program)                                                                               \
    const uh_program *function(void) {                                                                                 \
        return NULL;                                                                                                   \
    }
#define UHI_PROGRAM(has, function, program)          UHI_PROGRAM_EXPANDED(has, function, program)
#define UHI_PROGRAM_EXPANDED(has, function, program) UHI_PROGRAM_##has(function, program)

#define UH_OPERATION(op)                                                                                               \
    UHI_PROGRAM(UHI_HAS_PROGRAM_##op, uhi_##op##_program, uhi_program_##op)                                            \
    UHI_PROGRAM(UHI_HAS_PROGRAM_##op##_f64, uhi_##op##_f64_program, uhi_program_##op##_f64)
#include "kernels/registry.def"
#undef UH_OPERATION
