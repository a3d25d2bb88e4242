/* SPDX-License-Identifier: Apache-2.0 */
/* Within the libcuda without a card: its objects, log and failures. */
#pragma once

#include <stdbool.h>

#include "fake_cuda.h"

#define DECLARE(name, member, parameters) __attribute__((visibility("default"))) CUresult name parameters;
CUDA_FUNCTIONS(DECLARE)
#undef DECLARE

enum {
    INVALID_VALUE = 1,
    INVALID_PTX = 218,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    MAX_PARAMETERS = 16,
    MAX_KERNELS = 16
};

enum kind { DEVICE, HOST, REGISTERED, STREAM, MODULE };

struct kernel {
    char name[64];
    size_t sizes[MAX_PARAMETERS]; /* bytes per parameter */
    size_t count;
    int local_size, threads, dynamic;
};

struct object {
    struct object *next;
    enum kind kind;
    char *pointer, *bytes; /* of memory: as the program has it, and as it is accessed here */
    size_t size;
    struct kernel kernels[MAX_KERNELS];
    size_t nkernels;
};

struct object *fake_object_new(enum kind kind, char *pointer, size_t size);

/* Begins a call: takes the lock, and finds the failure asked for, or a missing context. */
CUresult fake_enter(const char *call, bool needs_context);
CUresult fake_leave(CUresult result);

void fake_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
CUresult fake_wrong(const char *call, const char *what);
CUresult fake_check_stream(const char *call, CUstream stream);

/* A whole call that frees an object; it is wrong, as `missing` says, without one. */
CUresult fake_destroy(const char *call, const void *of, enum kind kind, const char *missing);

/* Where bytes that a pointer means are accessed: in an allocation, or in the host's memory as it is. NULL if they leave
 * an allocation, or only the host has them although the device needs them. */
char *fake_access(CUdeviceptr at, size_t size, bool by_device);
