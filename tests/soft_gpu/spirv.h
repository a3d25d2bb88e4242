/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver must know of a SPIR-V module, and its translation for OpenCL. */
#ifndef SOFT_SPIRV_H
#define SOFT_SPIRV_H

#include <stdbool.h>

#include <level_zero/ze_api.h>

#include "runtime/spirv.h"

#define SOFT_SPIRV_ARGUMENTS 128 /* maximum per kernel */

struct soft_spirv {
    struct uhi_signature *kernels;
    size_t nkernels;
    bool fp64;
    uint64_t digest; /* of its bytes: FNV-1a */
};

/* Reads a module by the library's own reader, which has its own tests; false with the reason in `log` (malloc). */
bool soft_spirv_read(struct soft_spirv *spirv, const void *code, size_t size, char **log);
void soft_spirv_free(struct soft_spirv *spirv);

/* Gives constants of a valid module their values; false with `log` (malloc) if it lacks one. OpenCL's consumers of
 * SPIR-V are not used for this: PoCL 7.1 crashes. */
bool soft_spirv_specialize(uint32_t *code, size_t words, const ze_module_constants_t *constants, char **log);

/* Works around what PoCL 3.1 lacks, in a module that soft_spirv_read has accepted: atomics and vloadn and the like work
 * on pointers of their own address space instead of the generic one to which SPIR-V has cast them; memory fences are
 * removed, as the atomics of PoCL are sequentially consistent themselves. */
void soft_spirv_lower(uint32_t *code, size_t words);

/* LLVM bitcode for OpenCL (malloc), by llvm-spirv; NULL with the reason in `log` (malloc). */
void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log);
/* Checks a module by spirv-val, if that was found; false with `log` (malloc). */
bool soft_validate(const void *code, size_t size, char **log);

#endif
