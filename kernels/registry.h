/* SPDX-License-Identifier: Apache-2.0 */
/* For each operation NAME of registry.def:
 * uhi_NAME_host()      its table of host functions for this CPU
 * uhi_NAME_variants()  its kernels for devices; none in a build for the host alone
 * and uhi_common_variants(), the kernels that operations share. */
#pragma once

#include <unihist/gpu.h>

/* A kernel, in a program of its own: a driver compiles what is used. */
struct uhi_variant {
    const char *name;
    const uh_program *program;
    int fp64;  /* only for devices with double */
    int given; /* the program is a caller's, which may change or go when the call ends */
};

struct uhi_trial;

#define UHI_JOIN_(a, b) a##_##b
#define UHI_JOIN(a, b)  UHI_JOIN_(a, b)

/* Defines an operation's host table in a file compiled for the level UH_ISA; its value follows. */
#define UHI_HOST_TABLE(op)                                                                                             \
    extern const struct uhi_##op##_host UHI_JOIN(uhi_##op##_host, UH_ISA);                                             \
    const struct uhi_##op##_host UHI_JOIN(uhi_##op##_host, UH_ISA)

/* What NAME.variants lists. */
struct uhi_variants {
    const struct uhi_variant *variant;
    size_t count;
    const char *operation;
    /* Tries the kernels, see kernels/common/trial.h; NULL without NAME_trial.c. */
    uh_status (*trial)(uh_queue *queue, struct uhi_trial *trial);
    void *context; /* of the trial; NULL for none */
};

const struct uhi_variants *uhi_common_variants(void);

/* The variant of this name, or NULL. */
const struct uhi_variant *uhi_find_variant(const struct uhi_variants *variants, const char *name);

#define UH_OPERATION(op)                                                                                               \
    struct uhi_##op##_host;                                                                                            \
    const struct uhi_##op##_host *uhi_##op##_host(void);                                                               \
    const struct uhi_variants *uhi_##op##_variants(void);
#include "kernels/registry.def"
#undef UH_OPERATION
