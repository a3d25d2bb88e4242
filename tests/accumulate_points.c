/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/accumulate_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "tests/support.h"

uh_queue *acc_queues[MOST_THREADS + 1];
static struct uhi_frame acc_frames[MOST_THREADS + 1];
static uh_device *device;
int acc_on_host;

/* ---- points ------------------------------------------------------------------------------------------------------ */

static void *on_device(const void *data, size_t size) {
    void *there = NULL;
    test_good(uh_malloc(device, UH_MEMORY_DEVICE, size ? size : 1, 0, &there));
    test_good(uh_memcpy(acc_queues[1], there, data, size, NULL, 0, NULL));
    test_good(uh_queue_wait(acc_queues[1]));
    return there;
}

static void find_on_host(const void *context, size_t part, size_t from, size_t n, uint32_t *cell) {
    (void)part;
    memcpy(cell, (const uint32_t *)context + from, n * sizeof *cell);
}

static uh_status find_on_device(void *context, const struct uhi_piece *piece, uint32_t *cell) {
    return uh_memcpy(acc_queues[1], cell, (const uint32_t *)context + piece->from, piece->n * sizeof *cell, NULL, 0,
                     NULL);
}

static uh_status add_values(struct uhi_store *store, uint32_t threads, uint32_t *cell, size_t n,
                            const uh_array *values) {
    struct uhi_frame *frame = &acc_frames[acc_on_host ? threads : 1];
    const struct uhi_cell_source source = {.on_host = find_on_host, .on_device = find_on_device, .context = cell};
    uh_status status = uhi_frame_begin(frame, "test", n);
    if (!status && values)
        status = uhi_frame_input(frame, "values", (struct uhi_values){values->data, n, values->stride},
                                 uh_dtype_size(values->dtype));
    if (!status)
        status = uhi_store_add(store, frame, &source, values ? values->dtype : UHI_NO_VALUES);
    return status;
}

void acc_add(struct uhi_store *store, const struct points *p, size_t from, size_t to, uint32_t threads) {
    const size_t size = uh_dtype_size(p->dtype), n = to - from;
    char *w = p->w ? (char *)p->w + from * size : NULL;
    uint32_t *cell = p->cell + from;
    if (n == 0)
        return;
    if (!acc_on_host) {
        cell = on_device(cell, n * sizeof *cell);
        w = w ? on_device(w, n * size) : NULL;
    }
    const uh_array values = uh_array_of(p->dtype, w, n);
    test_good(add_values(store, threads, cell, n, w ? &values : NULL));
    test_good(uhi_store_settle("test", store));
    test_good(uhi_store_settle("test", store)); /* nothing more */
    if (acc_on_host)
        return;
    test_good(uh_free(cell));
    test_good(uh_free(w));
}

struct uhi_store *acc_store(const struct points *p, uh_storage storage, uint32_t threads) {
    struct uhi_store *store = NULL;
    test_good(uhi_store_create("test", p->cells, storage, UH_SUM_EXACT, &store));
    acc_add(store, p, 0, p->n, threads);
    return store;
}

struct points acc_points(size_t n, size_t cells, uh_dtype dtype, uint64_t *seed) {
    struct points p = {n, cells, malloc(n * sizeof *p.cell), dtype, malloc(n * uh_dtype_size(dtype))};
    assert_true(p.cell && p.w);
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = test_random_u64(seed);
        p.cell[i] = r % 50 == 0 ? UHI_OUTSIDE : (uint32_t)((r >> 8) % cells);
    }
    return p;
}

void acc_points_free(struct points *p) {
    free(p->cell);
    free(p->w);
}

/* Weight i as a double, of float types, and exactly. */
static struct big weight(const struct points *p, size_t i) {
    switch (p->dtype) {
    case UH_F32: return big_double((double)((const float *)p->w)[i]);
    case UH_F64: return big_double(((const double *)p->w)[i]);
    case UH_I32: return big_i64(((const int32_t *)p->w)[i]);
    default: return big_i64(((const int64_t *)p->w)[i]);
    }
}

/* Weights of each kind: any finite bits, values of one size, denormals, what cancels, the ends of the range. */
void acc_set_weight(struct points *p, size_t i, int kind, uint64_t r) {
    double x = (double)(int64_t)(r >> 11) * 0x1p-52 - 1;
    uint32_t word = (uint32_t)(r >> 32);
    switch (kind) {
    case 0: break; /* any bits */
    case 1: x = fabs(x); break;
    case 2: x = ldexp(x, p->dtype == UH_F32 ? -130 : -1050); break;
    case 3:
        x = i % 2 ? 1 : -1;
        x = ldexp(x, (int)(r % 90));
        break;
    case 4: x = i % 3 ? 0.0 : -0.0; break;
    case 5: x = (r & 1 ? -1 : 1) * (p->dtype == UH_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023); break;
    default: x = 0x1.fffffffffffffp1023; break;
    }
    if (p->dtype == UH_F32) {
        float f = (float)(kind == 6 ? 0x1.fffffep127 : x);
        if ((word >> 23 & 0xff) == 0xff)
            word ^= 1u << 24;
        memcpy((float *)p->w + i, kind ? (void *)&f : (void *)&word, sizeof f);
    } else if (p->dtype == UH_F64) {
        if ((r >> 52 & 0x7ff) == 0x7ff)
            r ^= UINT64_C(1) << 53;
        memcpy((double *)p->w + i, kind ? (void *)&x : (void *)&r, sizeof x);
    } else if (p->dtype == UH_I32) {
        ((int32_t *)p->w)[i] = kind == 5 ? (r & 1 ? INT32_MAX : INT32_MIN) : kind == 6 ? INT32_MIN : (int32_t)word;
    } else {
        ((int64_t *)p->w)[i] = kind == 5 ? (r & 1 ? INT64_MAX : INT64_MIN) : kind == 6 ? INT64_MIN : (int64_t)r;
    }
}

const uh_dtype acc_dtypes[4] = {UH_F32, UH_F64, UH_I32, UH_I64};

void acc_shuffle(struct points *p, uint64_t *seed) {
    const size_t size = uh_dtype_size(p->dtype);
    for (size_t i = p->n - 1; i > 0; i--) {
        const size_t j = (size_t)(test_random_u64(seed) % (i + 1));
        char a[8];
        const uint32_t cell = p->cell[i];
        p->cell[i] = p->cell[j];
        p->cell[j] = cell;
        memcpy(a, (char *)p->w + i * size, size);
        memcpy((char *)p->w + i * size, (char *)p->w + j * size, size);
        memcpy((char *)p->w + j * size, a, size);
    }
}

/* ---- against the oracle ------------------------------------------------------------------------------------------ */

struct exact acc_exact(const struct points *p) {
    struct exact e = {calloc(p->cells + 1, sizeof *e.sum), calloc(p->cells + 1, sizeof *e.squares),
                      calloc(p->cells + 1, sizeof *e.count)};
    assert_true(e.sum && e.squares && e.count);
    for (size_t i = 0; i < p->n; i++) {
        const size_t slot = p->cell[i] < p->cells ? p->cell[i] : p->cells;
        const struct big w = weight(p, i), square = big_product(w, w);
        big_add(&e.sum[slot], &w);
        big_add(&e.squares[slot], &square);
        e.count[slot]++;
    }
    return e;
}

void acc_exact_free(struct exact *e) {
    free(e->sum);
    free(e->squares);
    free(e->count);
}

int acc_begin(void) {
    const char *name = getenv("UNIHIST_TEST_DEVICE");
    acc_on_host = !name;
    if (uh_device_select(name ? name : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    for (uint32_t threads = 1; threads <= (acc_on_host ? MOST_THREADS : 1); threads++) {
        const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
        if (uh_queue_create(device, &options, &acc_queues[threads])) {
            printf("%s\n", uh_last_error());
            return 1;
        }
        uhi_frame_open(&acc_frames[threads], acc_queues[threads], uhi_accumulate_variants());
    }
    return 0;
}

int acc_end(void) {
    int failed = 0;
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++) {
        uhi_frame_close(&acc_frames[threads]);
        failed |= uh_queue_destroy(acc_queues[threads]) != UH_SUCCESS;
    }
    return failed;
}
