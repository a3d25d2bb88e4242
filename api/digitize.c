/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of values' bins. */
#include "api/histogram.h"
#include "kernels/histogram/tuning.h"
#include "kernels/registry.h"
#include "runtime/status.h"

/* ---- indices ---- */

/* Checks that a type holds numbers up to `last`. */
static uh_status check_dtype(const char *call, const char *argument, uh_dtype dtype, size_t last) {
    if (dtype != UH_U8 && dtype != UH_U16 && dtype != UH_I32 && dtype != UH_I64)
        return uhi_fail_argument(call, argument, "is %s, expected uint8, uint16, int32 or int64",
                                 uh_dtype_size(dtype) ? uh_enum_name(UH_ENUM_DTYPE, dtype) : "no uh_dtype");
    const size_t most = dtype == UH_U8 ? UINT8_MAX : dtype == UH_U16 ? UINT16_MAX : INT32_MAX;
    if (last > most)
        return uhi_fail_argument(call, argument, "is %s, which holds numbers up to %zu, expected one for %zu",
                                 uh_enum_name(UH_ENUM_DTYPE, dtype), most, last);
    return UH_SUCCESS;
}

static uh_status check_index(const char *call, const uh_array *x, uh_dtype dtype, const void *index, size_t last) {
    UHI_TRY(check_dtype(call, "dtype", dtype, last));
    if (index || x->count == 0)
        return uhi_check_disjoint(call, "index", index, x->count, uh_dtype_size(dtype), "x->data", x);
    return uhi_fail_argument(call, "index", "is NULL, expected where to store %zu", x->count);
}

uh_status uh_histogram_digitize(uh_histogram *histogram, const uh_array *x, uh_dtype dtype, void *index) {
    const struct uhi_index to = {index, dtype, 0};
    const struct uhi_histogram_plan *plan = NULL;
    UHI_NEED(__func__, histogram, "a histogram");
    UHI_TRY(uhi_check_array(__func__, "x", UH_NO_INDEX, x));
    UHI_TRY(uhi_histogram_check_one_axis(__func__, histogram));
    UHI_TRY(check_index(__func__, x, dtype, index, histogram->cells + 1));
    if (x->count == 0)
        return UH_SUCCESS;
    if (histogram->shares)
        return uhi_histogram_index_shared(__func__, histogram, x, to);
    uh_status status = uhi_histogram_get_plan(__func__, histogram, 0, x->dtype, &plan);
    return status ? status : uhi_histogram_index(&histogram->run, __func__, plan, uhi_array_values(x), to);
}

/* Makes the plan of one look-up. Tables pay off only if there are more values than edges. */
static uh_status make_plan(const char *call, uh_queue *queue, const struct uhi_edges *edges, const uh_array *x,
                           struct uhi_histogram_plan **plan) {
    const size_t bins = uhi_edges_bins(edges);
    struct uhi_plan_options options = {.lookup = x->count > bins + 1 ? UHI_LOOKUP_AUTO : UHI_LOOKUP_SEARCH,
                                       .leaf_bins = 1,
                                       .table_bytes = uhi_default_table_bytes(bins + 1)};
    uhi_plan_aim(&options, queue, bins + 3, 1, uhi_is_shared(queue));
    return uhi_plan_create(call, edges, x->dtype, &options, plan);
}

uh_status uh_digitize(uh_queue *queue, const uh_array *x, const uh_array *edges, int right, uh_dtype dtype,
                      void *index) {
    const struct uhi_index to = {index, dtype, 0};
    uh_axis *axis = NULL;
    struct uhi_histogram_plan *plan = NULL;
    struct uhi_histogram_run run;
    UHI_TRY(uhi_check_call(__func__, queue, x));
    UHI_TRY(uhi_check_contiguous(__func__, "edges", edges));
    UHI_TRY(check_index(__func__, x, dtype, index, edges->count));
    UHI_TRY(uhi_axis_make(__func__, "edges", edges->dtype, edges->data, edges->count, 1,
                          right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT, &axis));
    uh_status status = make_plan(__func__, queue, &axis->edges, x, &plan);
    if (!status && x->count > 0 && uhi_is_shared(queue)) {
        status = uhi_index_shared(__func__, queue, plan, x, to);
    } else if (!status && x->count > 0) {
        uhi_histogram_open(&run, queue);
        status = uhi_histogram_index(&run, __func__, plan, uhi_array_values(x), to);
        uhi_histogram_close(&run);
    }
    uhi_plan_destroy(plan);
    uh_axis_destroy(axis);
    return status;
}

/* ---- tables of columns ---- */

/* Bytes of a block of rows, values and codes of all columns: they stay in a second-level cache. */
enum { BLOCK_BYTES = 1 << 18, MIN_ROWS = 64, MAX_ROWS = 2048 };

struct column {
    struct uhi_histogram_plan *plan;
};

struct coding {
    uh_queue *queue;
    const uh_array *columns;
    struct column *of;     /* each of them */
    size_t ncolumns, rows; /* rows per block */
    const uh_codes *codes;
};

static uh_status check_columns(const uh_queue *queue, const uh_array *columns, uh_axis *const *axes, size_t ncolumns,
                               const uh_codes *codes) {
    static const char call[] = "uh_digitize_columns";
    UHI_NEED(call, queue, "a queue");
    UHI_NEED(call, columns, "one array per column");
    UHI_NEED(call, axes, "one axis per column");
    UHI_NEED(call, codes, "where to store codes");
    UHI_TRY(uhi_check_between(call, "ncolumns", UH_NO_INDEX, ncolumns, 1, UINT32_MAX));
    for (size_t c = 0; c < ncolumns; c++) {
        UHI_TRY(uhi_check_array(call, "columns", c, &columns[c]));
        if (columns[c].count != columns->count)
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, "columns", c, "count",
                                   "is %zu, expected %zu, as of columns[0]", columns[c].count, columns->count);
        if (!axes[c] || uhi_axis_grows(axes[c]) || axes[c]->edges.order)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "axes", c, "is %s, expected one with edges",
                               !axes[c]               ? "NULL"
                               : axes[c]->edges.order ? "an axis of categories"
                                                      : "an axis that grows");
        UHI_TRY(check_dtype(call, "codes->dtype", codes->dtype, uhi_axis_bins(axes[c])));
    }
    if (columns->count == 0)
        return UH_SUCCESS;
    if (!codes->data)
        return uhi_fail_argument(call, "codes->data", "is NULL, expected where to store %zu rows", columns->count);
    const ptrdiff_t last_row = (ptrdiff_t)(columns->count - 1) * codes->row_stride,
                    last_column = (ptrdiff_t)(ncolumns - 1) * codes->column_stride;
    const char *const first = (char *)codes->data + (last_row < 0 ? last_row : 0) + (last_column < 0 ? last_column : 0);
    const size_t bytes = (size_t)(last_row < 0 ? -last_row : last_row) +
                         (size_t)(last_column < 0 ? -last_column : last_column) + uh_dtype_size(codes->dtype);
    for (size_t c = 0; c < ncolumns; c++)
        UHI_TRY(uhi_check_disjoint(call, "codes->data", first, bytes, 1, "columns", &columns[c]));
    return UH_SUCCESS;
}

static char *code_at(const uh_codes *codes, size_t row, size_t column) {
    return (char *)codes->data + (ptrdiff_t)row * codes->row_stride + (ptrdiff_t)column * codes->column_stride;
}

static void code_rows(const void *context, size_t part, size_t parts) {
    const struct coding *coding = context;
    const size_t all = coding->columns->count;
    const size_t from = uhi_part_start(all, parts, part), to = uhi_part_start(all, parts, part + 1);
    uint32_t slot[MAX_ROWS], less[2];
    for (size_t i = from, n; i < to; i += n) {
        n = to - i < coding->rows ? to - i : coding->rows;
        for (size_t c = 0; c < coding->ncolumns; c++) {
            const struct uhi_histogram_tables *tables = &coding->of[c].plan->tables;
            uhi_index_numbers(tables->bins, 1, less);
            uhi_histogram_host()->lookup(tables, uhi_values_part(uhi_array_values(&coding->columns[c]), i, n), slot);
            uhi_index_store(slot, n, less, coding->codes->dtype, code_at(coding->codes, i, c),
                            coding->codes->row_stride);
        }
    }
}

static uh_status code_on_host(struct coding *coding) {
    static const char call[] = "uh_digitize_columns";
    const uh_codes *codes = coding->codes;
    const size_t n = coding->columns->count, size = uh_dtype_size(codes->dtype);
    size_t row_bytes = coding->ncolumns * size;
    for (size_t c = 0; c < coding->ncolumns; c++) {
        const uh_array *x = &coding->columns[c];
        row_bytes += uh_dtype_size(x->dtype);
        UHI_TRY(uhi_check_host_memory(coding->queue, call, "columns", x->data, uh_dtype_size(x->dtype)));
        UHI_TRY(uhi_check_host_memory(coding->queue, call, "codes->data", code_at(codes, 0, c), size));
    }
    coding->rows = BLOCK_BYTES / row_bytes;
    coding->rows = coding->rows < MIN_ROWS ? MIN_ROWS : coding->rows > MAX_ROWS ? MAX_ROWS : coding->rows;
    const size_t parts = uhi_parts_for(coding->queue, n * coding->ncolumns, UHI_VALUES_A_THREAD);
    uhi_host_parallel(coding->queue, "histogram: digitize", code_rows, coding, parts < n ? parts : n);
    return UH_SUCCESS;
}

/* One column after the other; codes of a column that do not lie densely are copied there by the host. */
static uh_status code_columns(const struct coding *coding, struct uhi_histogram_run *run) {
    static const char call[] = "uh_digitize_columns";
    const uh_codes *codes = coding->codes;
    const size_t n = coding->columns->count, size = uh_dtype_size(codes->dtype);
    const int is_dense = codes->row_stride == (ptrdiff_t)size;
    char *column = is_dense ? NULL : malloc(n * size);
    uh_status status = is_dense || column ? UH_SUCCESS : uhi_fail_memory(call, "no memory for %zu codes", n);
    for (size_t c = 0; c < coding->ncolumns && !status; c++) {
        const struct uhi_index to = {is_dense ? code_at(codes, 0, c) : column, codes->dtype, 1};
        status = run ? uhi_histogram_index(run, call, coding->of[c].plan, uhi_array_values(&coding->columns[c]), to)
                     : uhi_index_shared(call, coding->queue, coding->of[c].plan, &coding->columns[c], to);
        if (!status && !is_dense)
            status = uhi_check_host_memory(coding->queue, call, "codes->data", code_at(codes, 0, c), size);
        for (size_t i = 0; i < n && !status && !is_dense; i++)
            memcpy(code_at(codes, i, c), column + i * size, size);
    }
    free(column);
    return status;
}

uh_status uh_digitize_columns(uh_queue *queue, const uh_array *columns, uh_axis *const *axes, size_t ncolumns,
                              const uh_codes *codes) {
    UHI_TRY(check_columns(queue, columns, axes, ncolumns, codes));
    struct coding coding = {.queue = queue, .columns = columns, .ncolumns = ncolumns, .codes = codes};
    struct uhi_histogram_run run;
    uh_status status = UH_SUCCESS;
    if (columns->count == 0)
        return UH_SUCCESS;
    coding.of = calloc(ncolumns, sizeof *coding.of);
    if (!coding.of)
        return uhi_fail_memory(__func__, "no memory for the plans of %zu columns", ncolumns);
    for (size_t c = 0; c < ncolumns && !status; c++)
        status = make_plan(__func__, queue, &axes[c]->edges, &columns[c], &coding.of[c].plan);
    if (!status && uhi_body_of(queue) == UHI_BODY_HOST) {
        status = code_on_host(&coding);
    } else if (!status && uhi_is_shared(queue)) {
        status = code_columns(&coding, NULL);
    } else if (!status) {
        uhi_histogram_open(&run, queue);
        status = code_columns(&coding, &run);
        uhi_histogram_close(&run);
    }
    for (size_t c = 0; c < ncolumns; c++)
        uhi_plan_destroy(coding.of[c].plan);
    free(coding.of);
    return status;
}
