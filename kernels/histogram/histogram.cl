/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on a device: values of every type but float64, and what comes before and after the counting. */
#include "kernels/histogram/histogram_device.inc"

/* ---- float32 ---- */

static inline uint linear_cell_f32(float x, float lo, float scale, float top) {
    float v = (x - lo) * scale;
    v = v > 0 ? v : 0;
    return (uint)(v < top ? v : top);
}

#define TYPE                       f32
#define T                          float
#define U                          uint
#define S                          int
#define FLOATS                     1
#define WITH_MAPS                  1
#define WITH_MESH                  1
#define NODE                       struct uhi_mesh_node_f32
#define MESH_CELL(x, node)         linear_cell_f32((x) * (node)->pre, (node)->lo, (node)->scale, (node)->top)
#define LINEAR_CELL(x, lo, s, top) linear_cell_f32(x, lo, s, top)
#define LOG_KEY(x, flip)           ordered_f32(x)
#define FROM_BITS(bits)            as_float((uint)(bits))
#define FLIP
#define VECTOR       float4
#define WIDTH        4
#define EACH_ELEMENT EACH_4
#include "kernels/histogram/histogram_type.inc"
#undef TYPE
#undef T
#undef FLOATS
#undef WITH_MESH
#undef NODE
#undef MESH_CELL
#undef LINEAR_CELL
#undef LOG_KEY
#undef FROM_BITS
#undef FLIP
#undef VECTOR

/* ---- int32 and uint32 ---- */

#define TYPE               i32
#define T                  int
#define FLOATS             0
#define WITH_MESH          0
#define LOG_KEY(x, flip)   log_key_i32(x, flip)
#define FROM_BITS(bits)    ((int)(bits))
#define FLIP               ^ (int)params.flip
#define VECTOR             int4
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

/* ---- int64 and uint64 ---- */

#define TYPE             i64
#define T                long
#define U                ulong
#define S                long
#define LOG_KEY(x, flip) log_key_i64(x, flip)
#define FROM_BITS(bits)  ((long)(bits))
#define FLIP             ^ (long)params.flip
#define VECTOR           long2
#define WIDTH            2
#define EACH_ELEMENT     EACH_2
#include "kernels/histogram/histogram_type.inc"
#undef TYPE
#undef T
#undef U
#undef S
#undef FLOATS
#undef WITH_MAPS
#undef WITH_MESH
#undef LOG_KEY
#undef FROM_BITS
#undef FLIP
#undef VECTOR
#undef WIDTH
#undef EACH_ELEMENT

/* ---- 8 and 16 bits: the slot of every value there is ---- */

#define TYPE         d8
#define T            uchar
#define VECTOR       uchar16
#define WIDTH        16
#define EACH_ELEMENT EACH_16
#include "kernels/histogram/histogram_direct.inc"
#undef TYPE
#undef T
#undef VECTOR
#undef WIDTH
#undef EACH_ELEMENT
#define TYPE         d16
#define T            ushort
#define VECTOR       ushort8
#define WIDTH        8
#define EACH_ELEMENT EACH_8
#include "kernels/histogram/histogram_direct.inc"

/* ---- before and after ---- */

/* Brings the counts of all slabs into the first, and zero into the others. */
__kernel void add_slabs(__global uint *counts, uint slots, uint slabs) {
    for (uint slot = get_global_id(0); slot < slots; slot += get_global_size(0)) {
        uint sum = 0;
        for (uint slab = 0; slab < slabs; slab++) {
            sum += counts[(ulong)slab * slots + slot];
            counts[(ulong)slab * slots + slot] = 0;
        }
        counts[slot] = sum;
    }
}

#include "kernels/common/pack.inc"
