/* SPDX-License-Identifier: Apache-2.0 */
/** @file base.h
 * Base of all other headers of Unihist: version, status codes, last error, element types, arrays and log.
 *
 * The following holds in all headers unless stated otherwise:
 * - NULL where it is not explicitly allowed is UH_ERROR_INVALID_ARGUMENT. Functions that return uh_status leave their
 *   outputs untouched on failure.
 * - Inputs may overlap; one object, array or string may be passed for several arguments. An output may overlap an
 *   input: all input is read first, or the call rejects it, if documented, with UH_ERROR_INVALID_ARGUMENT. Outputs must
 *   not overlap each other.
 * - `_create` makes an object that the caller destroys; `_destroy` accepts NULL and cannot fail; the caller must not
 *   destroy what `_get` and `_select` return.
 * - `_get_properties` stores an object's properties. Any thread may call these functions and all functions of this
 *   header.
 * - A call that takes a queue, or a histogram or sampler made with one, belongs to the thread that owns the queue
 *   (device.h). Two threads must not destroy the same object, nor one destroy an object while another uses it.
 * - Every call may return UH_ERROR_OUT_OF_MEMORY. Calls that need a device may return UH_ERROR_DEVICE_LOST and
 *   UH_ERROR_DRIVER, which is any failure of Level Zero without its own status; the message names the Level Zero call
 *   and its result.
 *
 * Structures that begin with `struct_size` may gain members in later versions. The caller sets it to the size of the
 * structure at compile time. Calls accept the size of every version: members that the caller's version lacks count as
 * zero, or are not filled in. Any other size is UH_ERROR_INVALID_ARGUMENT. */
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

/** Encloses declarations that have C linkage in C++ too; a cast that both languages accept without warnings. */
#ifdef __cplusplus
#define UH_CAST(type, value) static_cast<type>(value)
#define UH_BEGIN_C           extern "C" {
#define UH_END_C             }
#else
#define UH_CAST(type, value) ((type)(value))
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

/** Returns the message of the calling thread's last failed call: the call, ": ", the argument, its value, the expected
 * value, and the driver's message. It is "" before any failure; a successful call does not clear it. A message of more
 * than 4095 bytes is cut and ends in "...". The library owns the string; it is valid until the thread's next
 * failure. */
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

/** Returns the calling thread's last failed call, never NULL; before any failure its status is UH_SUCCESS and its
 * strings are "". It is valid as long as the string of uh_last_error. */
UH_API const uh_error_info *uh_last_error_info(void);

/** Sets the calling thread's last failed call to `failed`, for libraries that are built on this one and fail in the
 * same way; returns failed->status. Strings are copied, except `call`, which must stay valid: a literal or __func__; an
 * `argument` of more than 63 bytes is cut, and `text` as above. NULL strings count as "". Does nothing if the status is
 * UH_SUCCESS. */
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

/** Enumerations whose values have names; the values are stable. */
typedef enum uh_enum {
    UH_ENUM_DTYPE = 0,             /**< uh_dtype: NumPy's names, such as float32. uh_enum_from_name also accepts short
                                        ones ("f32", "u8") and NumPy's codes ("f4", "u1"). The two ambiguous texts,
                                        "i8" and "u8", are the 8-bit types; the 64-bit ones are "i64" and "u64" */
    UH_ENUM_METHOD = 1,            /**< uh_method: auto, mesh, binary, cdf */
    UH_ENUM_STORAGE = 2,           /**< uh_storage: count, sum, weighted, mean, u8, u16 */
    UH_ENUM_SUM = 3,               /**< uh_sum: exact, fast */
    UH_ENUM_FLOW_BINS = 4,         /**< uh_flow_bins: none, below, above, both */
    UH_ENUM_LOG_LEVEL = 5,         /**< uh_log_level: off, error, warn, info, trace */
    UH_ENUM_GENERATOR = 6,         /**< uh_generator: philox4x32, philox4x64 */
    UH_ENUM_SAMPLE_METHOD = 7,     /**< uh_sample_method: auto, unihist, alias, binary */
    UH_ENUM_INTEGRATE_VARIANT = 8, /**< uh_integrate_variant: auto, mcubes, mcubes1d, vegas_plus, plain, sobol,
                                        lattice, cubature */
    UH_ENUM_MEAN_SHIFT_ALGORITHM = 9,  /**< uh_mean_shift_algorithm: modes, blurring */
    UH_ENUM_DENSITY_KERNEL = 10,       /**< uh_density_kernel: gaussian, flat, epanechnikov */
    UH_ENUM_MEAN_SHIFT_METHOD = 11,    /**< uh_mean_shift_method: auto, cells, tiles, naive */
    UH_ENUM_MEAN_SHIFT_REDUCTION = 12, /**< uh_mean_shift_reduction: components, greedy, densest */
    UH_ENUM_SCRAMBLE = 13,             /**< uh_scramble: owen, shift, none */
    UH_ENUM_PERIODISE = 14,            /**< uh_periodise: baker, none, korobov */
    UH_ENUM_INTEGRATE_END = 15,        /**< uh_integrate_end: converged, iterations, time, stopped */
    UH_ENUM_INTEGRATE_WARNING = 16,    /**< uh_integrate_warning: none, all_zero, heavy_tails, several_peaks */
    UH_ENUM_INTEGRATE_CHOICE = 17,     /**< uh_integrate_choice: given, smooth, rough, unseen, many_axes, refused */
    UH_ENUM_RULE = 18 /**< uh_rule: auto, sqrt, sturges, rice, doane, scott, fd, stone, knuth, shimazaki,
                           nice, quantile, blocks, clusters, denby_mallows, equal_probability */
} uh_enum;

/** Returns the name of a value of an enumeration, a static string; NULL if either is invalid. */
UH_API const char *uh_enum_name(uh_enum kind, unsigned value);

/** Stores the value that has a name. UH_ERROR_NOT_FOUND for any other text, and the message lists the names;
 * UH_ERROR_INVALID_ARGUMENT for an invalid `kind`. */
UH_API uh_status uh_enum_from_name(uh_enum kind, const char *name, unsigned *value);

/* ---- arrays, contents and sums ----------------------------------------------------------------------------------- */

/** Content of each bin, or cell. */
typedef enum uh_storage {
    UH_STORAGE_COUNT = 0,    /**< number of points, as uint64 */
    UH_STORAGE_SUM = 1,      /**< the sum of their weights w */
    UH_STORAGE_WEIGHTED = 2, /**< the sum of w and the sum of w^2 */
    UH_STORAGE_MEAN = 3,     /**< of a sampled value: number, mean, sum of squared deviations from the mean */
    UH_STORAGE_U8 = 4,       /**< min(number of points, 255) in one byte */
    UH_STORAGE_U16 = 5       /**< min(number of points, 65535) in two bytes */
} uh_storage;

/** How weights are added. */
typedef enum uh_sum {
    /** The sum of the real numbers, in a superaccumulator (U. Kulisch, Computer Arithmetic and Validity, 2008), rounded
     * once to the nearest float64 (ties to even) when it is read: the same bits on every device, for every number of
     * threads, division into fills, and order. Infinite weights and NaN give the mathematical result: +inf and -inf in
     * one bin, or NaN in it, make it NaN. A sum beyond the largest float64 reads as infinity; a sum of nothing, or of
     * zeros of any sign, as +0, and a negative one that rounds to zero, which only float32 has, as -0. */
    UH_SUM_EXACT = 0,
    /** float64 additions in any order, mostly faster: bits may differ from run to run, and sums cancel or overflow as
     * those of float64 do. For sums of weights and of their squares on the host; sums on a GPU, and means, are always
     * exact. */
    UH_SUM_FAST = 1
} uh_sum;

/** An array of `count` elements of one type: element i is at (const char *)data + i * stride. `stride` is in bytes, may
 * be negative (backwards from `data`) or 0 (the same element again and again), and need not be a multiple of the
 * element's size; elements need not be aligned. So a column of a table is an array too. `data` may be NULL if `count`
 * is 0. Elements may be in plain host memory, which may be written again when a call returns, or in USM of its queue's
 * device, which is read after the earlier work of the queue; the library detects which. The caller owns them. */
typedef struct uh_array {
    uh_dtype dtype;
    const void *data;
    ptrdiff_t stride;
    size_t count;
} uh_array;

/** Returns an array of contiguous elements. */
static inline uh_array uh_array_of(uh_dtype dtype, const void *data, size_t count) {
    const uh_array array = {dtype, data, UH_CAST(ptrdiff_t, uh_dtype_size(dtype)), count};
    return array;
}

/** Stores the `columns` arrays of a table of `count` contiguous rows. */
static inline void uh_arrays_of_rows(uh_dtype dtype, const void *rows, size_t count, size_t columns, uh_array *arrays) {
    const size_t size = uh_dtype_size(dtype);
    for (size_t column = 0; column < columns; column++) {
        const uh_array array = {dtype, rows ? UH_CAST(const char *, rows) + column * size : NULL,
                                UH_CAST(ptrdiff_t, columns * size), count};
        arrays[column] = array;
    }
}

/* ---- log ----------------------------------------------------------------------------------------------------------
 * Messages of the library, in addition to the results of its calls. They go to standard error if the environment
 * variable UNIHIST_LOG is set, otherwise nowhere; or to a function of the program. */

/** Level of a message; the values are stable. A level includes those before it. */
typedef enum uh_log_level {
    UH_LOG_OFF = 0,   /**< no messages */
    UH_LOG_ERROR = 1, /**< a call has failed: the message of uh_last_error */
    UH_LOG_WARN = 2,  /**< work goes on, but not as requested */
    UH_LOG_INFO = 3,  /**< devices, queues and modules; look-ups that end in UH_ERROR_NOT_FOUND */
    UH_LOG_TRACE = 4  /**< each submission, and each call of Level Zero with its result and nanoseconds */
} uh_log_level;

/** Receives a message, a string without a newline, valid until the function returns. It is called by the thread that
 * logs, by several at once, in the middle of the library's work: it must not call the library, nor wait for a thread
 * that may be in a call of the library. */
typedef void (*uh_log_function)(uh_log_level level, const char *message, void *context);

/** Sends messages to a function, regardless of UNIHIST_LOG, in the whole process. On return no thread is in the
 * previous function, and none will be: its context may be freed. Any thread may call this, but not from within a log
 * function.
 *
 * @param level     messages of this level and those before it
 * @param function  receives them; NULL: standard error according to UNIHIST_LOG, the initial state, for any `level`
 * @param context   passed to the function; must stay valid until another function is set
 * @return UH_ERROR_INVALID_ARGUMENT for an invalid level */
UH_API uh_status uh_set_log(uh_log_level level, uh_log_function function, void *context);

UH_END_C

#endif
