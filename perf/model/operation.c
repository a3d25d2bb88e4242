/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/operation.h"

#include <string.h>

static const struct model_operation *const operations[MODEL_OPERATIONS] = {[MODEL_HISTOGRAM] = &model_histogram,
                                                                           [MODEL_PAIR] = &model_pair,
                                                                           [MODEL_SUM] = &model_sum,
                                                                           [MODEL_BINCOUNT] = &model_bincount,
                                                                           [MODEL_DRAW] = &model_draw};

const struct model_operation *model_operation_of(enum model_operation_number number) {
    return operations[number];
}

int model_operation_find(const char *name, enum model_operation_number *number) {
    for (int i = 0; i < MODEL_OPERATIONS; i++)
        if (strcmp(operations[i]->name, name) == 0) {
            *number = (enum model_operation_number)i;
            return 0;
        }
    return -1;
}
