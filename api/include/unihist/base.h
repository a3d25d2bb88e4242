/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file base.h
 * What every other header of Unihist needs: the version, the status codes, the last error and the element types.
 *
 * These hold in all headers, where a text does not say otherwise:
 * - NULL where the text does not allow it is UH_ERROR_INVALID_ARGUMENT. Functions of type uh_status leave their outputs
 *   untouched on failure.
 * - What a call reads may overlap; one object, array or string may be given for several arguments. What it writes may
 *   overlap what it reads: all is read before, or the call refuses it, where its text says so, with
 *   UH_ERROR_INVALID_ARGUMENT. Outputs must not overlap each other.
 * - `_create` makes an object for the caller to destroy; `_destroy` allows NULL and always returns UH_SUCCESS; `_get`
 *   and `_select` lend.
 * - `_name` returns the name of a value, a static text, and NULL for a value that is none. `_from_name` finds a value
 *   by its name: UH_ERROR_NOT_FOUND for any other text; the message lists the names. `_get_properties` stores what an
 *   object is. Any thread may call these, and all functions of this header.
 * - A call that is given a queue, or a histogram or sampler that was made with one, belongs to the thread that owns the
 *   queue (runtime.h). No two threads destroy an object at once, or one while another uses it.
 * - Every call may return UH_ERROR_OUT_OF_MEMORY, and one that needs a device UH_ERROR_DEVICE_LOST and UH_ERROR_DRIVER,
 *   which is any failure of Level Zero that has no status of its own; the message names the call and its result.
 *
 * Structures that begin with `struct_size` may have more members in later versions. The caller sets it to the size of
 * the structure as it was compiled. A call takes every size that a version has had: members that the caller's does not
 * have count as zero, or are not filled in. Any other size is UH_ERROR_INVALID_ARGUMENT.
 */
#ifndef UNIHIST_BASE_H
#define UNIHIST_BASE_H

#include <stddef.h>
#include <stdint.h>

#define UNIHIST_VERSION_MAJOR 0
#define UNIHIST_VERSION_MINOR 1
#define UNIHIST_VERSION_PATCH 0

/** Marks what the shared library exports; everything else in it is hidden. */
#if defined(__GNUC__)
#define UH_API __attribute__((visibility("default")))
#else
#define UH_API
#endif

/** Between these, declarations have C linkage in C++, too. */
#ifdef __cplusplus
#define UH_BEGIN_C extern "C" {
#define UH_END_C   }
#else
#define UH_BEGIN_C
#define UH_END_C
#endif

UH_BEGIN_C

/**
 * The one list of status codes: X(name, value, text). Values never change meaning; new ones are added at the end.
 */
#define UH_STATUS_LIST(X)                                                                                              \
    X(UH_SUCCESS, 0, "success")                                                                                        \
    X(UH_ERROR_INVALID_ARGUMENT, 1, "invalid argument")                                                                \
    X(UH_ERROR_OUT_OF_MEMORY, 2, "out of host memory")                                                                 \
    X(UH_ERROR_OUT_OF_DEVICE_MEMORY, 3, "out of device memory")                                                        \
    X(UH_ERROR_NOT_FOUND, 4, "not found")                                                                              \
    X(UH_ERROR_UNSUPPORTED, 5, "not supported")                                                                        \
    X(UH_ERROR_IN_USE, 6, "still in use")                                                                              \
    X(UH_ERROR_INCOMPATIBLE, 7, "incompatible objects")                                                                \
    X(UH_ERROR_OVERFLOW, 8, "overflow")                                                                                \
    X(UH_ERROR_TIMEOUT, 9, "timed out")                                                                                \
    X(UH_ERROR_DEVICE_LOST, 10, "device lost")                                                                         \
    X(UH_ERROR_DRIVER, 11, "driver error")                                                                             \
    X(UH_ERROR_BUILD, 12, "kernel build failed")                                                                       \
    X(UH_ERROR_IO, 13, "input or output failed")                                                                       \
    X(UH_ERROR_INTERNAL, 14, "internal error")                                                                         \
    X(UH_ERROR_CANCELLED, 15, "cancelled")

/** What a call that can fail returns. 0 is success; on any other value the call left its outputs untouched. */
typedef enum uh_status {
#define UH_STATUS_ENUM(name, value, text) name = value,
    UH_STATUS_LIST(UH_STATUS_ENUM)
#undef UH_STATUS_ENUM
} uh_status;

/** Returns the name of a status, such as "UH_ERROR_NOT_FOUND"; "UH_ERROR_UNKNOWN" for a value that is none. Static. */
UH_API const char *uh_status_name(uh_status status);

/**
 * Returns a short English text for a status, such as "not found"; "unknown status" for a value that is none. Static.
 */
UH_API const char *uh_status_text(uh_status status);

/**
 * Returns the message of the calling thread's last failed call: which call, ": ", which argument, its value and what
 * was expected, and what the driver said. It is "" before any failure, and a successful call does not clear it. A
 * message of more than 4095 bytes is cut and ends in "...". The string is owned by the library and valid until the same
 * thread's next failure.
 */
UH_API const char *uh_last_error(void);

/** Where uh_error_info.index is of no element. */
#define UH_NO_INDEX SIZE_MAX

/** A failed call, for programs that do more with it than print it. No text is NULL. */
typedef struct uh_error_info {
    uh_status status;     /**< what the call returned */
    const char *call;     /**< the public call that was made, such as "uh_histogram_create" */
    const char *argument; /**< the argument at fault, such as "edges", "options->sum" or "arrays[0].data"; where a
                             member of element `index` is, "arrays[].count"; "" where the failure is of none */
    size_t index;         /**< of the element at fault, or UH_NO_INDEX */
    const char *text;     /**< the message without the call and ": ": it begins with the argument and its index, as in
                               "edges[3] is NaN" and "arrays[2].count is 0" */
} uh_error_info;

/**
 * Returns the calling thread's last failed call, never NULL; before any failure its status is UH_SUCCESS and its texts
 * are "". It lasts as the text of uh_last_error does.
 */
UH_API const uh_error_info *uh_last_error_info(void);

/**
 * Makes the calling thread's last failed call what `failed` says, for libraries that are built on this one and fail in
 * its manner, and returns failed->status. The texts are copied, but `call`, which has to last: a literal or __func__;
 * an `argument` of more than 63 bytes is cut, and `text` as above. NULL texts count as "". Nothing is done where the
 * status is UH_SUCCESS.
 */
UH_API uh_status uh_set_last_error(const uh_error_info *failed);

/** Returns the version of the library that runs, such as "0.1.0". Static. */
UH_API const char *uh_version(void);

/**
 * The one list of element types: X(name, value, text, size in bytes). The texts are those of NumPy.
 */
#define UH_DTYPE_LIST(X)                                                                                               \
    X(UH_F32, 0, "float32", 4)                                                                                         \
    X(UH_F64, 1, "float64", 8)                                                                                         \
    X(UH_I8, 2, "int8", 1)                                                                                             \
    X(UH_I16, 3, "int16", 2)                                                                                           \
    X(UH_I32, 4, "int32", 4)                                                                                           \
    X(UH_I64, 5, "int64", 8)                                                                                           \
    X(UH_U8, 6, "uint8", 1)                                                                                            \
    X(UH_U16, 7, "uint16", 2)                                                                                          \
    X(UH_U32, 8, "uint32", 4)                                                                                          \
    X(UH_U64, 9, "uint64", 8)

/** The type of an array's elements, in the machine's byte order. */
typedef enum uh_dtype {
#define UH_DTYPE_ENUM(name, value, text, size) name = value,
    UH_DTYPE_LIST(UH_DTYPE_ENUM)
#undef UH_DTYPE_ENUM
} uh_dtype;

/** How many element types there are. */
#define UH_DTYPE_COUNT 10

/** Returns the size of one element in bytes, 0 for a value that is no dtype. */
UH_API size_t uh_dtype_size(uh_dtype dtype);

/**
 * Names are NumPy's, such as "float32". A dtype is also found by the short one ("f32", "u8") or NumPy's code ("f4",
 * "u1"). The two texts that could be either, "i8" and "u8", are the 8-bit types; the 64-bit ones are "i64" and "u64".
 */
UH_API const char *uh_dtype_name(uh_dtype dtype);
UH_API uh_status uh_dtype_from_name(const char *name, uh_dtype *dtype);

UH_END_C

#endif
