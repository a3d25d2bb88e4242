/* SPDX-License-Identifier: Apache-2.0 */
/* unihist devices: what there is to count on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>
#include <unihist/runtime.h>

#include "api/cli/options.h"

static const enum cli_option_id options[] = {CLI_OPTION_JSON, CLI_OPTION_HELP, CLI_OPTION_END};

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    (void)value;
    (void)error;
    if (id == CLI_OPTION_JSON)
        *(int *)context = 1;
    return 0;
}

static const char *kind_name(uh_device_kind kind) {
    return kind == UH_DEVICE_CPU ? "cpu" : kind == UH_DEVICE_GPU ? "gpu" : "accelerator";
}

/* "32 KiB", "15.6 GiB", or "unknown" for 0. */
static const char *size_text(uint64_t bytes, char *text, size_t size) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    if (bytes)
        snprintf(text, size, "%.4g %s", value, units[unit]);
    else
        snprintf(text, size, "unknown");
    return text;
}

static void print_text(const uh_device_properties *p) {
    char memory[32], l1[32], l2[32], l3[32], local[32];
    printf("%s  %s\n", p->selector, p->name);
    printf("    %-8s %s, backend %s, driver %s\n", "kind", kind_name(p->kind), p->backend, p->driver_version);
    if (p->isa[0]) {
        printf("    %-8s %" PRIu32 " cores, %" PRIu32 " threads, %" PRIu32 " sockets, %" PRIu32
               " NUMA nodes, x86-64-%s\n",
               "compute", p->cores, p->threads, p->sockets, p->numa_nodes, p->isa);
        printf("    %-8s L1d %s and L2 %s a core, L3 %s\n", "caches", size_text(p->cache_l1d, l1, sizeof l1),
               size_text(p->cache_l2, l2, sizeof l2), size_text(p->cache_l3, l3, sizeof l3));
        printf("    %-8s %s\n", "memory", size_text(p->memory, memory, sizeof memory));
    } else {
        printf("    %-8s %" PRIu32 " compute units, %" PRIu32 " threads, %" PRIu32 " tile%s", "compute", p->cores,
               p->threads, p->sockets, p->sockets == 1 ? "" : "s");
        if (p->clock_mhz)
            printf(", %" PRIu32 " MHz", p->clock_mhz);
        printf(", %s\n", p->fp64 ? "float64" : "no float64");
        printf("    %-8s %s%s, %s local to a work-group\n", "memory", size_text(p->memory, memory, sizeof memory),
               p->unified_memory ? " shared with the host" : "", size_text(p->local_memory, local, sizeof local));
    }
}

/* A number of up to 64 bits, with all its digits. */
static void add_number(cJSON *object, const char *name, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    cJSON_AddRawToObject(object, name, text);
}

static void add_device(cJSON *list, const uh_device_properties *p) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    cJSON_AddStringToObject(object, "selector", p->selector);
    cJSON_AddStringToObject(object, "name", p->name);
    cJSON_AddStringToObject(object, "kind", kind_name(p->kind));
    cJSON_AddStringToObject(object, "backend", p->backend);
    cJSON_AddStringToObject(object, "driver_version", p->driver_version);
    cJSON_AddStringToObject(object, "isa", p->isa);
    add_number(object, "cores", p->cores);
    add_number(object, "threads", p->threads);
    add_number(object, "sockets", p->sockets);
    add_number(object, "numa_nodes", p->numa_nodes);
    add_number(object, "memory", p->memory);
    add_number(object, "cache_l1d", p->cache_l1d);
    add_number(object, "cache_l2", p->cache_l2);
    add_number(object, "cache_l3", p->cache_l3);
    add_number(object, "local_memory", p->local_memory);
    add_number(object, "max_group_size", p->max_group_size);
    add_number(object, "timer_resolution", p->timer_resolution);
    add_number(object, "max_allocation", p->max_allocation);
    add_number(object, "platform", p->platform);
    add_number(object, "vendor_id", p->vendor_id);
    add_number(object, "device_id", p->device_id);
    add_number(object, "clock_mhz", p->clock_mhz);
    cJSON_AddBoolToObject(object, "fp64", p->fp64 != 0);
    cJSON_AddBoolToObject(object, "fp_exact", p->fp_exact != 0);
    cJSON_AddBoolToObject(object, "int64_atomics", p->int64_atomics != 0);
    cJSON_AddBoolToObject(object, "unified_memory", p->unified_memory != 0);
    cJSON *sizes = cJSON_AddArrayToObject(object, "sub_group_sizes");
    for (size_t i = 0; i < sizeof p->sub_group_sizes / sizeof p->sub_group_sizes[0] && p->sub_group_sizes[i]; i++)
        cJSON_AddItemToArray(sizes, cJSON_CreateNumber(p->sub_group_sizes[i]));
}

static int list_devices(cJSON *list, struct cli_error *error) {
    size_t count;
    if (uh_device_count(&count))
        return cli_fail_library(error);
    for (size_t i = 0; i < count; i++) {
        uh_device *device;
        uh_device_properties properties = {.struct_size = sizeof properties};
        if (uh_device_get(i, &device) || uh_device_get_properties(device, &properties))
            return cli_fail_library(error);
        if (list)
            add_device(list, &properties);
        else
            print_text(&properties);
    }
    return 0;
}

static int run(int argc, char **argv, struct cli_error *error) {
    int json = 0, first, result = cli_options_parse(&cli_devices_command, argc, argv, set_option, &json, &first, error);
    if (result)
        return result;
    if (first < argc)
        return cli_usage(error, "unexpected argument '%.200s'; see 'unihist devices --help'", argv[first]);
    if (!json)
        return list_devices(NULL, error);
    cJSON *list = cJSON_CreateArray();
    result = list ? list_devices(list, error) : cli_fail(error, "out of memory");
    char *text = result == 0 ? cJSON_Print(list) : NULL;
    if (text)
        printf("%s\n", text);
    else if (result == 0)
        result = cli_fail(error, "out of memory");
    cJSON_free(text);
    cJSON_Delete(list);
    return result;
}

const struct cli_command cli_devices_command = {
    "devices", "",  NULL, "List the devices that can count", "The text before each name is what --device takes.\n",
    options,   run,
};
