/* SPDX-License-Identifier: Apache-2.0 */
/* Specialization constants and kernel parameters, read from a SPIR-V program. Drivers check little of either. */
#pragma once

#include <unihist/gpu.h>

enum uhi_parameter_kind {
    UHI_PARAMETER_OTHER = 0, /* an image, a sampler, or a type unknown to this reader: not checked */
    UHI_PARAMETER_VALUE = 1,
    UHI_PARAMETER_POINTER = 2, /* to global or constant memory */
    UHI_PARAMETER_LOCAL = 3
};

struct uhi_parameter {
    enum uhi_parameter_kind kind;
    size_t size; /* VALUE: bytes, 0 if unknown */
};

/* The parameters of a kernel. */
struct uhi_signature {
    char *name;
    size_t count;
    struct uhi_parameter *parameters;
};

/* Checks that `code` has SPIR-V's header and consists of whole instructions, and that it declares each of the constants
 * with its size. Stores the signatures of its kernels; the caller frees them with uhi_signatures_free.
 * UH_ERROR_INVALID_ARGUMENT with a message that names `call`, UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_spirv_read(const char *call, const void *code, size_t size, const uh_constant *constants,
                         size_t nconstants, struct uhi_signature **signatures, size_t *count);

/* Features that programs declare and devices may lack. */
enum uhi_feature {
    UHI_FEATURE_FLOAT64 = 1,
    UHI_FEATURE_FLOAT16 = 2,
    UHI_FEATURE_INT64_ATOMICS = 4,
    UHI_FEATURE_SUB_GROUPS = 8
};

/* Returns the name of the first capability, declared by a program that uhi_spirv_read has accepted, that needs a
 * feature missing from `features`; NULL if none is found. */
const char *uhi_spirv_find_missing(const void *code, size_t size, unsigned features);

/* Returns whether such a program uses only operations with a single correct result: it calls no mathematical functions
 * except those that round or choose. */
int uhi_spirv_is_exact(const void *code, size_t size);

/* Frees signatures; NULL is allowed. */
void uhi_signatures_free(struct uhi_signature *signatures, size_t count);
