/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file base.h
 * Base of all other headers of Unihist: version, status codes, last error and element types.
 *
 * The following holds in all headers unless stated otherwise:
 * - NULL where it is not explicitly allowed is UH_ERROR_INVALID_ARGUMENT. Functions that return uh_status leave their
 *   outputs untouched on failure.
 * - Inputs may overlap; one object, array or string may be passed for several arguments. An output may overlap an
 *   input: all input is read first, or the call rejects it, if documented, with UH_ERROR_INVALID_ARGUMENT. Outputs must
 *   not overlap each other.
 * - `_create` makes an object that the caller destroys; `_destroy` accepts NULL and always returns UH_SUCCESS; the
 *   caller must not destroy what `_get` and `_select` return.
 * - `_name` returns the name of a value as a static string, NULL for an invalid value. `_from_name` finds a value by
 *   its name: UH_ERROR_NOT_FOUND for any other text; the message lists the names. `_get_properties` stores an object's
 *   properties. Any thread may call these functions and all functions of this header.
 * - A call that takes a queue, or a histogram or sampler made with one, belongs to the thread that owns the queue
 *   (runtime.h). Two threads must not destroy the same object, nor one destroy an object while another uses it.
 * - Every call may return UH_ERROR_OUT_OF_MEMORY. Calls that need a device may return UH_ERROR_DEVICE_LOST and
 *   UH_ERROR_DRIVER, which is any failure of Level Zero without its own status; the message names the Level Zero call
 *   and its result.
 *
 * Structures that begin with `struct_size` may gain members in later versions. The caller sets it to the size of the
 * structure at compile time. Calls accept the size of every version: members that the caller's version lacks count as
 * zero, or are not filled in. Any other size is UH_ERROR_INVALID_ARGUMENT.
 */
#ifndef UNIHIST_BASE_H
#define UNIHIST_BASE_H

#include <stddef.h>
#include <stdint.h>

#define UNIHIST_VERSION_MAJOR 0
#define UNIHIST_VERSION_MINOR 1
#define UNIHIST_VERSION_PATCH 0

/** Marks symbols that the shared library exports; all others are hidden. */
#if defined(__GNUC__)
#define UH_API __attribute__((visibility("default")))
#else
#define UH_API
#endif

/** Encloses declarations that have C linkage in C++ too. */
#ifdef __cplusplus
#define UH_BEGIN_C extern "C" {
#define UH_END_C   }
#else
#define UH_BEGIN_C
#define UH_END_C
#endif

UH_BEGIN_C

/** The list of status codes: X(name, value, text). Values never change meaning; new ones are added at the end. */
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

/** Status of a call. 0 is success; on any other value the call left its outputs untouched. */
typedef enum uh_status {
#define UH_STATUS_ENUM(name, value, text) name = value,
    UH_STATUS_LIST(UH_STATUS_ENUM)
#undef UH_STATUS_ENUM
} uh_status;

/** Returns the name of a status, such as "UH_ERROR_NOT_FOUND"; "UH_ERROR_UNKNOWN" if it is invalid. Static. */
UH_API const char *uh_status_name(uh_status status);

/** Returns a short English text for a status, such as "not found"; "unknown status" if it is invalid. Static. */
UH_API const char *uh_status_text(uh_status status);

/**
 * Returns the message of the calling thread's last failed call: the call, ": ", the argument, its value, the expected
 * value, and the driver's message. It is "" before any failure; a successful call does not clear it. A message of more
 * than 4095 bytes is cut and ends in "...". The library owns the string; it is valid until the thread's next failure.
 */
UH_API const char *uh_last_error(void);

/** Value of uh_error_info.index if no element is at fault. */
#define UH_NO_INDEX SIZE_MAX

/** A failed call, for programs that do more than print it. No string is NULL. */
typedef struct uh_error_info {
    uh_status status;     /**< status that the call returned */
    const char *call;     /**< name of the public call, such as "uh_histogram_create" */
    const char *argument; /**< argument at fault, such as "edges", "options->sum" or "arrays[0].data"; "arrays[].count"
                               for a member of element `index`; "" if no argument is at fault */
    size_t index;         /**< index of the element at fault, or UH_NO_INDEX */
    const char *text;     /**< message without the call and ": "; begins with the argument and its index, as in
                               "edges[3] is NaN" and "arrays[2].count is 0" */
} uh_error_info;

/**
 * Returns the calling thread's last failed call, never NULL; before any failure its status is UH_SUCCESS and its
 * strings are "". It is valid as long as the string of uh_last_error.
 */
UH_API const uh_error_info *uh_last_error_info(void);

/**
 * Sets the calling thread's last failed call to `failed`, for libraries that are built on this one and fail in the same
 * way; returns failed->status. Strings are copied, except `call`, which must stay valid: a literal or __func__; an
 * `argument` of more than 63 bytes is cut, and `text` as above. NULL strings count as "". Does nothing if the status is
 * UH_SUCCESS.
 */
UH_API uh_status uh_set_last_error(const uh_error_info *failed);

/** Returns the version of the running library, such as "0.1.0". Static. */
UH_API const char *uh_version(void);

/** The list of element types: X(name, value, text, size in bytes). Texts are NumPy's names. */
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

/** Type of an array's elements, in native byte order. */
typedef enum uh_dtype {
#define UH_DTYPE_ENUM(name, value, text, size) name = value,
    UH_DTYPE_LIST(UH_DTYPE_ENUM)
#undef UH_DTYPE_ENUM
} uh_dtype;

/** Number of element types. */
#define UH_DTYPE_COUNT 10

/** Returns the size of one element in bytes, 0 for an invalid dtype. */
UH_API size_t uh_dtype_size(uh_dtype dtype);

/**
 * Names are NumPy's, such as "float32". uh_dtype_from_name also accepts short names ("f32", "u8") and NumPy's codes
 * ("f4", "u1"). The two ambiguous texts, "i8" and "u8", are the 8-bit types; the 64-bit ones are "i64" and "u64".
 */
UH_API const char *uh_dtype_name(uh_dtype dtype);
UH_API uh_status uh_dtype_from_name(const char *name, uh_dtype *dtype);

UH_END_C

#endif
