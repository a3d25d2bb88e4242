/* SPDX-License-Identifier: Apache-2.0 */
/* The tables a thread of the host adds to, and the functions that do it, compiled for each x86-64 level. */
#ifndef UHI_ACCUMULATE_TABLES_H
#define UHI_ACCUMULATE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/accumulate/accumulate.h"

/* What weights are. */
enum uhi_value_kind { UHI_VALUE_F32, UHI_VALUE_F64, UHI_VALUE_I32, UHI_VALUE_I64, UHI_VALUE_NONE };
enum { UHI_VALUE_KINDS = UHI_VALUE_NONE };

/* Integers in windows (accumulate.h): that of a slot in window w is at w * pitch + slot, and once more `apart` behind
 * it: neighbouring points are added to different ones, so that no addition waits for the store before it. */
struct uhi_window_table {
    int64_t *value;
    size_t apart;     /* 0: there is one table only */
    uint8_t *used;    /* a byte for each window: not 0 where the lowest digit of something has been added */
    uint32_t first;   /* the window's number H where w is 0 */
    uint32_t windows; /* how many */
    uint32_t digits;  /* of one number, each two windows above the last */
};

/* Sums of float32 weights as float64 while these are exact (doubles.h). */
struct uhi_double_table {
    double *value; /* NULL: there are none */
    size_t apart;  /* as of windows */
    struct uhi_double_bounds *bounds;
};

/* One thread's. */
struct uhi_store_tables {
    uint32_t cells;
    uint32_t pitch;  /* of all tables; at least cells + 1 */
    uint32_t *count; /* `replicas` tables */
    size_t replicas; /* 1, 2 or 4 */
    struct uhi_window_table sum, squares;
    struct uhi_double_table doubles;
    double *fast, *fast_squares;
    uint8_t *flags; /* the store's, shared */
};

/* Points of one block: w are n values of the type that the function's name says, aligned, side by side; cell[i] <=
 * cells. */
struct uhi_accumulate_host {
    void (*count)(const struct uhi_store_tables *t, const uint32_t *cell, size_t n);
    /* By uhi_value_kind. */
    void (*sum[4])(const struct uhi_store_tables *t, const void *w, const uint32_t *cell, size_t n);
    void (*squares[4])(const struct uhi_store_tables *t, const void *w, const uint32_t *cell, size_t n);
    void (*fast[4])(const struct uhi_store_tables *t, const void *w, const uint32_t *cell, size_t n);
    /* float32's bits without their signs: the smallest but 0, 0 where there is none, and the largest. */
    void (*span)(const uint32_t *w, size_t n, uint32_t *least, uint32_t *most);
    /* Float32 weights, of which the caller knows that no addition rounds. */
    void (*add_doubles)(const struct uhi_double_table *t, const void *w, const uint32_t *cell, size_t n);
    /* A bound of the sums' magnitudes in the first slots. */
    double (*largest)(const struct uhi_double_table *t, size_t slots);
};

/* Says that a cell has a weight that is no number. */
static inline void uhi_flag_cell(uint8_t *flags, uint32_t cell, uint32_t flag) {
    if (!(__atomic_load_n(flags + cell, __ATOMIC_RELAXED) & flag))
        __atomic_fetch_or(flags + cell, (uint8_t)flag, __ATOMIC_RELAXED);
}

#endif
