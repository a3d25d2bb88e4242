/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on a device with double: float64 values, and the paper's mesh over integers, whose cells are of double. */
#include "kernels/histogram/histogram_device.inc"

static inline uint linear_cell_f64(double x, double lo, double scale, double top) {
    double v = (x - lo) * scale;
    v = v > 0 ? v : 0;
    return (uint)(v < top ? v : top);
}

/* The difference is exact. */
static inline uint mesh_cell_i64(long x, long lo, double scale, double top) {
    const double v = x > lo ? (double)((ulong)x - (ulong)lo) * scale : 0;
    return (uint)(v < top ? v : top);
}

/* ---- float64 ---- */

#define WITH_MAPS                  1
#define WITH_MESH                  1
#define TYPE                       f64
#define T                          double
#define U                          ulong
#define S                          long
#define FLOATS                     1
#define NODE                       struct uhi_mesh_node_f64
#define MESH_CELL(x, node)         linear_cell_f64((x) * (node)->pre, (node)->lo, (node)->scale, (node)->top)
#define LINEAR_CELL(x, lo, s, top) linear_cell_f64(x, lo, s, top)
#define LOG_KEY(x, flip)           ordered_bits_f64(as_long(x))
#define FROM_BITS(bits)            as_double(bits)
#define FLIP
#define VECTOR       double2
#define WIDTH        2
#define EACH_ELEMENT EACH_2
#include "kernels/histogram/histogram_type.inc"
#undef TYPE
#undef T
#undef FLOATS
#undef NODE
#undef MESH_CELL
#undef LINEAR_CELL
#undef LOG_KEY
#undef FROM_BITS
#undef FLIP
#undef VECTOR

/* ---- int64 and uint64: the mesh alone, the rest is in histogram.cl ---- */

#undef WITH_MAPS
#define WITH_MAPS          0
#define TYPE               i64
#define T                  long
#define FLOATS             0
#define NODE               struct uhi_mesh_node_i64
#define MESH_CELL(x, node) mesh_cell_i64(x, (node)->lo, (node)->scale, (node)->top)
#define LOG_KEY(x, flip)   log_key_i64(x, flip)
#define FROM_BITS(bits)    ((long)(bits))
#define FLIP               ^ (long)params.flip
#define VECTOR             long2
#include "kernels/histogram/histogram_type.inc"
#undef TYPE
#undef T
#undef U
#undef S
#undef LOG_KEY
#undef FROM_BITS
#undef FLIP
#undef VECTOR
#undef WIDTH
#undef EACH_ELEMENT

/* ---- int32 and uint32: the mesh alone ---- */

#define TYPE             i32
#define T                int
#define U                uint
#define S                int
#define LOG_KEY(x, flip) log_key_i32(x, flip)
#define FROM_BITS(bits)  ((int)(bits))
#define FLIP             ^ (int)params.flip
#define VECTOR           int4
#define WIDTH            4
#define EACH_ELEMENT     EACH_4
#include "kernels/histogram/histogram_type.inc"
