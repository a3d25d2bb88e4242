/* SPDX-License-Identifier: Apache-2.0 */
/* One description an operation: what is tried on it and what must come of it. The drivers test_described_*.c read it
 * for exactness, threads, x86-64 levels, devices, failing driver calls, failing allocations, Oclgrind and Intel's
 * driver without hardware. An operation has one in cases_<op>.c:
 *
 *     const struct description describe_<op> = {...};
 *
 * A case makes its inputs from a number of points and a seed, with what the oracle expects of them; it never asks the
 * library what is right. `run` is one whole use: it creates the operation's objects on use->queue, gives them inputs
 * that lie where the driver wants them, reads into outputs between guard words, and destroys the objects. It calls the
 * library through the functions of `struct use` below, which note the first failure and the first wrong result and
 * fail nothing themselves, so that one `run` serves drivers that want success and drivers that make calls fail. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/gpu.h>

/* Where inputs and outputs lie. */
enum place {
    PLACE_PLAIN = UH_MEMORY_UNKNOWN,
    PLACE_DEVICE = UH_MEMORY_DEVICE,
    PLACE_HOST = UH_MEMORY_HOST,
    PLACE_SHARED = UH_MEMORY_SHARED,
    PLACES
};

struct use; /* below */

/* What a whole use came to, for drivers that make it fail. */

struct outcome {
    uh_status status;  /* the first failure */
    char call[64];     /* of which call of the library */
    char message[512]; /* what it said */
    char wrong[300];   /* "", or the first result that is not as expected */
};

/* What a case is, and how many points each kind of driver takes of it: 0 where the case is nothing for it. */
struct tried {
    char name[96];
    int fp64;         /* a device without float64 must refuse it, naming what it lacks */
    size_t exact;     /* results: several pieces, threads and groups; other devices than the host take fewer */
    size_t few;       /* Oclgrind, which interprets some thousand points in a second */
    size_t in_faults; /* driver calls and allocations that fail, one in each use */
    size_t in_null;   /* Intel's driver without hardware: launches alone, so that results must not matter */
    size_t pieces;    /* results: more than the buffers between plain memory and a device hold at once */
};

struct description {
    const char *name; /* the operation's, of kernels/registry.def, or that of a part of one */
    /* Describes case `number`, all zeros before; -1 after the last one. */
    int (*describe)(size_t number, struct tried *tried);
    /* Inputs of n points, 0 included, and what is expected of them; NULL without memory. */
    void *(*make)(size_t number, size_t n, uint64_t seed);
    void (*run)(struct use *use, const void *made);
    void (*free)(void *made);
};

/* Memory of what `make` returns: zeroed, its first part of `size` bytes, then arrays that belong to it; case_free frees
 * them all. A test cannot go on without memory: these abort. */
void *case_new(size_t size);
void *case_array(void *made, size_t n, size_t element);
void case_free(void *made);

/* An array of n elements in such memory with a pitch of `stride` bytes, which may be negative; and its element i. */
uh_array case_strided(void *made, uh_dtype dtype, size_t n, ptrdiff_t stride);
char *case_element(const uh_array *array, size_t i);

/* All operations, in the order of kernels/registry.def, then parts, then NULL. */
extern const struct description *const descriptions[];

/* describe_<op> of tests/cases_<op>.c, for each operation, and for histograms over several axes. */
#define UH_OPERATION(op) extern const struct description describe_##op;
#include "kernels/registry.def"
#undef UH_OPERATION
extern const struct description describe_points;

/* ---- a use ------------------------------------------------------------------------------------------------------- */

enum { USE_GUARD = 64, USE_CANARY = 0x5a, USE_ARRAYS = 40 };

struct use_array {
    char *memory, *data; /* what was allocated, and what the case has */
    size_t size;
    enum place place;
};

struct use {
    uh_device *device;
    uh_queue *queue;
    enum place place;
    size_t step;  /* each further array in the use's place lies this many kinds of memory further, modulo the kinds */
    size_t shift; /* bytes after an aligned place at which inputs begin */
    int eager;    /* copies to that place are not waited for: a call must wait for earlier work of its queue */
    int computes; /* 0: the device takes calls and computes nothing, so that no result is compared */
    int faulty;   /* calls are made to fail */
    int small;    /* the device has so little memory that a case may be refused for that */
    struct outcome outcome;
    size_t compared; /* results */
    size_t placed;   /* arrays in the use's place */
    size_t narrays;
    struct use_array array[USE_ARRAYS];
};

/* Notes what a call returned: its name and, where it failed, the message. Returns 1 where it was successful. */
int use_call(struct use *use, const char *call, uh_status status);

/* The same of a call whose failure the data may decide: on a device that computes nothing it may refuse what it sees.
 */
int use_data_call(struct use *use, const char *call, uh_status status);

/* A call that must refuse its data, with a message that contains `text`, and leave its plain output alone; nothing else
 * may make it fail. */
void use_refused(struct use *use, const char *call, uh_status status, const void *out, const char *text);

/* A copy of an input in the use's place. NULL where that failed, which has been noted. */
void *use_input(struct use *use, const void *data, size_t size);

/* The same of all the memory that an array spans: returns the array that lies there, without data where that failed. */
uh_array use_array_input(struct use *use, uh_array array);

/* Room for an output of n elements between guard words, all canaries: in the use's place, some elements after an
 * aligned one, or in plain memory. NULL where that failed, which has been noted. */
void *use_output(struct use *use, size_t n, size_t element);
void *use_output_plain(struct use *use, size_t n, size_t element);

/* Plain memory for what the case works out, until the end of the use. */
void *use_scratch(struct use *use, size_t size);

/* Notes the call that was to write `out`, one of the two, and compares: it is `expected` where the call was successful
 * and else untouched. Of `torn` outputs, which are written in pieces, and of those that a device writes in place, a
 * failed call may have written some. */
enum torn { USE_WHOLE, USE_TORN };
int use_written(struct use *use, const char *call, uh_status status, const void *out, const void *expected,
                enum torn torn);

/* The same for float64, of which any NaN is as good as another. */
int use_written_f64(struct use *use, const char *call, uh_status status, const void *out, const double *expected);

/* Notes a wrong result unless the condition holds. */
void use_expect(struct use *use, int holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- for drivers ------------------------------------------------------------------------------------------------- */

/* Runs a case, then waits for the queue and frees what the case was given. */
void use_run(struct use *use, const struct description *description, const void *made);

/* Frees what a use was given. */
void use_end(struct use *use);

/* Makes n points of a case and runs it, on a device with float64 or without. Returns 0, or -1 with what is wrong: a
 * call has failed, a result is not the oracle's, nothing has been compared, or what the device lacks was not refused.
 */
int use_try(struct use *use, const struct description *description, size_t number, size_t n, uint64_t seed, int fp64,
            char *problem, size_t size);
