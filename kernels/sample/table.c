/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/table.h"

#include <stdlib.h>

#include "runtime/status.h"

static uh_status make_method(const struct uhi_sample_work *work) {
    switch (work->table->method) {
    case UH_SAMPLE_ALIAS: return uhi_sample_alias(work);
    case UH_SAMPLE_BINARY: return UH_SUCCESS;
    default: return uhi_sample_guide(work);
    }
}

uh_status uhi_sample_table_create(uh_queue *queue, const char *call, const struct uhi_masses *masses,
                                  uh_sample_method method, struct uhi_sample_table **table) {
    const struct uhi_sample_work work = {queue, call, calloc(1, sizeof *work.table)};
    if (!work.table)
        return uhi_fail_memory(call, "no memory for the tables of %zu outcomes", masses->n);
    work.table->method = method == UH_SAMPLE_AUTO ? UH_SAMPLE_UNIHIST : method;
    work.table->size = (uint32_t)masses->n;
    uh_status status = uhi_sample_cumulative(&work, masses);
    if (!status)
        status = make_method(&work);
    if (status)
        uhi_sample_table_destroy(work.table);
    else
        *table = work.table;
    return status;
}

void uhi_sample_table_destroy(struct uhi_sample_table *table) {
    if (!table)
        return;
    free(table->top);
    free(table->low);
    free(table->map);
    free(table->cells);
    free(table->threshold);
    free(table->rest);
    free(table->alias);
    free(table);
}
