/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions for files written once for all compared types. Such a file (*.inc) is included with UHI_TYPE set to
 * f32, f64, i32, i64 or k64, the keys of float64 (keys.h), and UHI_FLOATS to 1 for the first two; T is the type, F
 * the float type of its maps, and NAME(x) is x_f32 and so on. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/plan/keys.h"
#include "kernels/registry.h"

#define NAME(x) UHI_JOIN(x, UHI_TYPE)
#define T       UHI_JOIN(uhi_t, UHI_TYPE)
#define F       UHI_JOIN(uhi_real, UHI_TYPE)

typedef float uhi_t_f32, uhi_real_f32, uhi_real_i32;
typedef double uhi_t_f64, uhi_real_f64, uhi_real_i64, uhi_real_k64;
typedef int32_t uhi_t_i32;
typedef int64_t uhi_t_i64, uhi_t_k64;
/* Differences of values. */
typedef float uhi_width_f32;
typedef double uhi_width_f64;
typedef uint64_t uhi_width_i32, uhi_width_i64, uhi_width_k64;

/* Padding after the cuts: no float reaches it; ranks of integers are limited. */
static inline float uhi_pad_f32(void) { return NAN; }
static inline double uhi_pad_f64(void) { return (double)NAN; }
static inline int32_t uhi_pad_i32(void) { return INT32_MAX; }
static inline int64_t uhi_pad_i64(void) { return INT64_MAX; }
static inline int64_t uhi_pad_k64(void) { return INT64_MAX; /* a NaN */ }

/* Returns the next smaller value, or the smallest one itself. Integer operations, which compilers vectorize. */
static inline float uhi_before_f32(float x) {
    int32_t bits, before;
    memcpy(&bits, &x, sizeof bits);
    before = bits - (bits >> 31 | 1);
    before += bits == (INT32_MIN | 0x7f800000) ? -1 : 0; /* -inf */
    before = (bits & INT32_MAX) == 0 ? INT32_MIN + 1 : before;
    memcpy(&x, &before, sizeof before);
    return x;
}
static inline double uhi_before_f64(double x) {
    int64_t bits, before;
    memcpy(&bits, &x, sizeof bits);
    before = bits - (bits >> 63 | 1);
    before = (bits & INT64_MAX) == 0 ? INT64_MIN + 1 : before;
    before = bits == (INT64_MIN | 0x7ff0000000000000) ? bits : before; /* -inf */
    memcpy(&x, &before, sizeof before);
    return x;
}
static inline int32_t uhi_before_i32(int32_t x) { return x > INT32_MIN ? x - 1 : x; }
static inline int64_t uhi_before_i64(int64_t x) { return x > INT64_MIN ? x - 1 : x; }
static inline int64_t uhi_before_k64(int64_t x) { return uhi_before_i64(x); }

/* The second level limits a cell index to this before limiting it to the node's cells, which a float may not hold. */
#define UHI_NODE_TOP 0x1p30

/* Returns the bits of a float as an integer in the same order (-0 just below +0; NaN at the ends). */
static inline int64_t uhi_ordered_f32(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}
static inline int64_t uhi_ordered_f64(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return uhi_key_of_bits(bits);
}
static inline double uhi_number_of_key(int64_t key) {
    const int64_t bits = uhi_key_of_bits(key);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns the key that the logarithmic map shifts: the bits of the value, or of its nearest float. Unsigned values,
 * flipped into the order of signed ones, are limited to the signed range and flipped back. */
static inline int64_t uhi_log_key_f32(float x, int64_t flip __attribute__((unused))) { return uhi_ordered_f32(x); }
static inline int64_t uhi_log_key_f64(double x, int64_t flip __attribute__((unused))) { return uhi_ordered_f64(x); }
static inline int64_t uhi_log_key_i32(int32_t x, int64_t flip) {
    return uhi_ordered_f32((float)((flip && x > -1 ? -1 : x) ^ (int32_t)flip));
}
static inline int64_t uhi_log_key_i64(int64_t x, int64_t flip) {
    return uhi_ordered_f64((double)((flip && x > -1 ? -1 : x) ^ flip));
}
static inline int64_t uhi_log_key_k64(int64_t x, int64_t flip __attribute__((unused))) { return x; }

/* Number that the linear map shifts, and its bits: integers themselves; for keys the positions, with `limit` from
 * uhi_linear_limit_* of the range, or the keys if `limit` is 0. The linear map of floats shifts none: their
 * functions are never called. */
static inline int64_t uhi_linear_key_f32(float x, int64_t limit __attribute__((unused))) { return (int64_t)x; }
static inline int64_t uhi_linear_key_f64(double x, int64_t limit __attribute__((unused))) { return (int64_t)x; }
static inline int64_t uhi_linear_key_i32(int32_t x, int64_t limit __attribute__((unused))) { return x; }
static inline int64_t uhi_linear_key_i64(int64_t x, int64_t limit __attribute__((unused))) { return x; }
static inline int64_t uhi_linear_key_k64(int64_t x, int64_t limit) {
    return limit ? uhi_position(uhi_key_of_bits(x), (uint32_t)limit) : x;
}
static inline int64_t uhi_linear_limit_i32(int32_t lo __attribute__((unused)), int32_t hi __attribute__((unused))) {
    return 0;
}
static inline int64_t uhi_linear_limit_i64(int64_t lo __attribute__((unused)), int64_t hi __attribute__((unused))) {
    return 0;
}
static inline int64_t uhi_linear_limit_k64(int64_t lo, int64_t hi) { return uhi_position_limit(lo, hi); }
enum { uhi_linear_bits_i32 = 32, uhi_linear_bits_i64 = 64, uhi_linear_bits_k64 = 32 };
enum { uhi_linear_bits_f32 = 32, uhi_linear_bits_f64 = 64 };

/* Number that a map shifts, and its bits; not for the linear map of floats. */
#define UHI_MAP_KEY(map, x, flip, limit)                                                                               \
    ((map) == UHI_MAP_LOGARITHM ? NAME(uhi_log_key)(x, flip) : NAME(uhi_linear_key)(x, limit))
#define UHI_MAP_BITS(map) (uint32_t)((map) == UHI_MAP_LOGARITHM ? 8 * sizeof(T) : (size_t)NAME(uhi_linear_bits))

/* Returns approximately the key of a position; positions -1 to 1, which hold all small values, give 0. */
static inline int64_t uhi_of_linear_key_k64(int64_t position, int64_t limit) {
    const double units = position > 1 || position < -1 ? (double)position : 0;
    return limit ? uhi_ordered_f64(ldexp(units, (int)(limit >> 20) - 1053)) : position;
}
static inline int64_t uhi_of_linear_key_i64(int64_t x, int64_t limit __attribute__((unused))) { return x; }
static inline int32_t uhi_of_linear_key_i32(int64_t x, int64_t limit __attribute__((unused))) { return (int32_t)x; }

/* Converts a compared value to a number, and back for numbers between two values. */
static inline double uhi_number_f32(float x, int64_t flip __attribute__((unused))) { return (double)x; }
static inline double uhi_number_f64(double x, int64_t flip __attribute__((unused))) { return x; }
static inline double uhi_number_i32(int32_t x, int64_t flip) {
    return flip ? (double)(uint32_t)(x ^ (int32_t)flip) : (double)x;
}
static inline double uhi_number_i64(int64_t x, int64_t flip) { return flip ? (double)(uint64_t)(x ^ flip) : (double)x; }
static inline double uhi_number_k64(int64_t x, int64_t flip __attribute__((unused))) { return uhi_number_of_key(x); }
static inline float uhi_of_number_f32(double x, int64_t flip __attribute__((unused))) { return (float)x; }
static inline double uhi_of_number_f64(double x, int64_t flip __attribute__((unused))) { return x; }
static inline int32_t uhi_of_number_i32(double x, int64_t flip) {
    return flip ? (int32_t)((uint32_t)x ^ (uint32_t)flip) : (int32_t)x;
}
static inline int64_t uhi_of_number_i64(double x, int64_t flip) {
    return flip ? (int64_t)((uint64_t)x ^ (uint64_t)flip) : (int64_t)x;
}
static inline int64_t uhi_of_number_k64(double x, int64_t flip __attribute__((unused))) { return uhi_ordered_f64(x); }

/* Returns the cell of a key, limited to lo to hi first. */
static inline uint64_t uhi_shift_cell(int64_t key, int64_t lo, int64_t hi, uint32_t shift) {
    key = key < lo ? lo : key > hi ? hi : key;
    return ((uint64_t)key - (uint64_t)lo) >> shift;
}

/* The same for a 32-bit type. */
static inline uint32_t uhi_shift_cell_32(int32_t key, int32_t lo, int32_t hi, uint32_t shift) {
    key = key < lo ? lo : key > hi ? hi : key;
    return ((uint32_t)key - (uint32_t)lo) >> shift;
}

/* Returns the cell of (x - lo) * scale, limited to [0, top], top below 2^31; NaN gives 0. The kernels' expression. */
static inline uint32_t uhi_linear_cell_f32(float x, float lo, float scale, float top) {
    float v = (x - lo) * scale;
    v = v > 0 ? v : 0;
    return (uint32_t)(int32_t)(v < top ? v : top);
}
static inline uint32_t uhi_linear_cell_f64(double x, double lo, double scale, double top) {
    double v = (x - lo) * scale;
    v = v > 0 ? v : 0;
    return (uint32_t)(int32_t)(v < top ? v : top);
}

/* Returns the cell of a value in a node of the mesh; NaN gives 0. */
static inline uint32_t uhi_mesh_cell_f32(float x, const struct uhi_mesh_node_f32 *node) {
    return uhi_linear_cell_f32(x * node->pre, node->lo, node->scale, node->top);
}
static inline uint32_t uhi_mesh_cell_f64(double x, const struct uhi_mesh_node_f64 *node) {
    return uhi_linear_cell_f64(x * node->pre, node->lo, node->scale, node->top);
}
static inline uint32_t uhi_mesh_cell_i64(int64_t x, const struct uhi_mesh_node_i64 *node) {
    return uhi_integer_cell(x, node->lo, node->shift, node->scale, node->top);
}
static inline uint32_t uhi_mesh_cell_i32(int32_t x, const struct uhi_mesh_node_i64 *node) {
    return uhi_integer_cell_32(x, (int32_t)node->lo, node->shift, node->scale, node->top);
}
static inline uint32_t uhi_mesh_cell_k64(int64_t x, const struct uhi_mesh_node_i64 *node) {
    return uhi_mesh_cell_i64(uhi_linear_key_k64(x, node->limit), node);
}
typedef struct uhi_mesh_node_f32 uhi_node_f32;
typedef struct uhi_mesh_node_f64 uhi_node_f64;
typedef struct uhi_mesh_node_i64 uhi_node_i32, uhi_node_i64, uhi_node_k64;
