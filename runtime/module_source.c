/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of module sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/module_wide.h"
#include "runtime/status.h"

/* A source with everything it points to, in one block. */
struct kept {
    struct uhi_module_source source;
    uh_constant constants[];
};

uh_status uhi_module_keep_source(const char *call, uh_module *module, const struct uhi_module_source *source) {
    if (source->wide || source->is_native || !module->device->plain_allocation)
        return UH_SUCCESS;
    const char *option = module->device->backend->wide_option;
    const size_t name = strlen(source->name) + 1, options = strlen(source->build_options) + 1 + strlen(option) + 1;
    const size_t constants = source->nconstants * (sizeof(uh_constant) + sizeof(uint64_t));
    struct kept *kept = calloc(1, sizeof *kept + constants + source->size + name + options);
    if (!kept)
        return uhi_fail_memory(call, "out of memory for a copy of %s", source->name);
    char *to = (char *)&kept->constants[source->nconstants];
    for (size_t i = 0; i < source->nconstants; i++, to += sizeof(uint64_t)) {
        kept->constants[i] = source->constants[i];
        kept->constants[i].value = memcpy(to, source->constants[i].value, source->constants[i].size);
    }
    kept->source = (struct uhi_module_source){.code = memcpy(to, source->code, source->size),
                                              .size = source->size,
                                              .constants = kept->constants,
                                              .nconstants = source->nconstants,
                                              .wide = 1};
    kept->source.name = memcpy(to + source->size, source->name, name);
    kept->source.build_options = to + source->size + name;
    snprintf(to + source->size + name, options, "%s %s", source->build_options, option);
    module->source = &kept->source;
    return UH_SUCCESS;
}
