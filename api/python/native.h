/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file native.h
 * All that the Python package calls through cffi: the public headers, and what native.c adds.
 */
#ifndef UNIHIST_PYTHON_NATIVE_H
#define UNIHIST_PYTHON_NATIVE_H

#include <unihist/unihist.h>

/** What at_once.c computes. */
typedef enum uhpy_kind {
    UHPY_CELLS,    /**< numpy.histogram and histogramdd of given edges, without the edges */
    UHPY_INTEGERS, /**< numpy.bincount */
    UHPY_EQUAL,    /**< numpy.histogram of a number of bins */
    UHPY_LEFT,     /**< numpy.digitize */
    UHPY_RIGHT     /**< the same with right=True */
} uhpy_kind;

/* ---- arrays of other packages ------------------------------------------------------------------------------------ */

/** Apache Arrow's C data and C stream interfaces: https://arrow.apache.org/docs/format/CDataInterface.html */
typedef struct uhpy_arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct uhpy_arrow_schema **children, *dictionary;
    void (*release)(struct uhpy_arrow_schema *);
    void *private_data;
} uhpy_arrow_schema;

typedef struct uhpy_arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct uhpy_arrow_array **children, *dictionary;
    void (*release)(struct uhpy_arrow_array *);
    void *private_data;
} uhpy_arrow_array;

typedef struct uhpy_arrow_stream {
    int (*get_schema)(struct uhpy_arrow_stream *, uhpy_arrow_schema *out);
    int (*get_next)(struct uhpy_arrow_stream *, uhpy_arrow_array *out);
    const char *(*get_last_error)(struct uhpy_arrow_stream *);
    void (*release)(struct uhpy_arrow_stream *);
    void *private_data;
} uhpy_arrow_stream;

enum { UHPY_NOT_DONE = -1 /**< instead of a status: nothing was counted */ };

/** uh_histogram_fill of the columns at some places of a chunk, -1 for itself, whose types and strides arrays have. What
 * is missing counts as NaN on an only axis; UHPY_NOT_DONE if other axes lack something. */
int uhpy_fill_chunk(uh_histogram *histogram, const uhpy_arrow_array *chunk, size_t count, const int *places,
                    uh_array *arrays);

/** The tensor of a DLPack capsule "dltensor": https://dmlc.github.io/dlpack/latest/c_api.html */
typedef struct uhpy_tensor {
    char *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    const int64_t *shape, *strides; /**< strides count elements; NULL for C order */
    uint64_t byte_offset;
} uhpy_tensor;

/* ---- the log ----------------------------------------------------------------------------------------------------- */

/** A message of the library. */
typedef struct uhpy_message {
    uh_log_level level;
    double time;     /**< seconds since 1970 */
    uint64_t thread; /**< as threading.get_ident() returns it */
    uint64_t lost;   /**< number of messages before this one that were discarded */
    const char *text;
} uhpy_message;

/** Starts keeping messages up to a level for uhpy_log_take. */
uh_status uhpy_log_begin(uh_log_level level);

/** Ends it, once the messages kept so far have been taken. */
void uhpy_log_end(void);

/** Waits for the next message, which uhpy_log_drop frees. Returns NULL at the end. */
uhpy_message *uhpy_log_take(void);

void uhpy_log_drop(uhpy_message *message);

#endif
