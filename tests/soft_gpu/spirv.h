/* SPDX-License-Identifier: Apache-2.0 */
/* What a driver must know of a SPIR-V module, and its translation for OpenCL. */
#ifndef SOFT_SPIRV_H
#define SOFT_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_api.h>

#define SOFT_SPIRV_ARGUMENTS 128

enum soft_argument_kind { SOFT_ARGUMENT_VALUE, SOFT_ARGUMENT_POINTER, SOFT_ARGUMENT_LOCAL, SOFT_ARGUMENT_OTHER };

struct soft_spirv_kernel {
    char *name;
    uint32_t narguments;
    struct {
        enum soft_argument_kind kind;
        uint32_t size; /* of a value */
    } arguments[SOFT_SPIRV_ARGUMENTS];
    uint32_t required[3]; /* group size, 0 for any */
    uint32_t subgroup;    /* required size, 0 for any */
    uint64_t local_size;  /* bytes of its own local memory */
};

struct soft_spirv_constant {
    uint32_t id;   /* SpecId */
    uint32_t size; /* bytes of its value */
    size_t at;     /* the word at which its instruction begins */
};

struct soft_spirv {
    struct soft_spirv_kernel *kernels;
    size_t nkernels;
    struct soft_spirv_constant *constants;
    size_t nconstants;
    bool fp64;
    uint64_t digest; /* of its bytes: FNV-1a */
};

/* Reads a module; false with `log` (malloc) saying what is wrong with it. */
bool soft_spirv_read(struct soft_spirv *spirv, const void *code, size_t size, char **log);
void soft_spirv_free(struct soft_spirv *spirv);

/* Gives constants their values, in words of the module that was read; false with `log` (malloc) where it has no such
 * constant. OpenCL's consumers of SPIR-V are not asked to: PoCL 7.1 crashes. */
bool soft_spirv_specialize(const struct soft_spirv *spirv, const ze_module_constants_t *constants, uint32_t *code,
                           char **log);

/* Works around what PoCL 3.1 lacks, in a module that soft_spirv_read has accepted: atomics and vloadn and the like work
 * on pointers of their own address space where SPIR-V has cast them to the generic one; memory fences go, as the
 * atomics of PoCL are sequentially consistent themselves. */
void soft_spirv_lower(uint32_t *code, size_t words);

/* LLVM bitcode for OpenCL (malloc), by llvm-spirv; NULL with `log` (malloc) saying why. */
void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log);
/* Checks a module by spirv-val, if that was found; false with `log` (malloc). */
bool soft_validate(const void *code, size_t size, char **log);

#endif
