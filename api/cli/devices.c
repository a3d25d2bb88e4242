/* SPDX-License-Identifier: Apache-2.0 */
/* unihist devices: what there is to count on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <unihist/runtime.h>

#include "api/cli/options.h"
#include "api/cli/output/output.h"

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

static void print_json(const uh_device_properties *p) {
    const struct cli_fact facts[] = {
        CLI_TEXT("selector", p->selector),
        CLI_TEXT("name", p->name),
        CLI_TEXT("kind", kind_name(p->kind)),
        CLI_TEXT("backend", p->backend),
        CLI_TEXT("driver_version", p->driver_version),
        CLI_TEXT("isa", p->isa),
        CLI_INTEGER("cores", p->cores),
        CLI_INTEGER("threads", p->threads),
        CLI_INTEGER("sockets", p->sockets),
        CLI_INTEGER("numa_nodes", p->numa_nodes),
        CLI_INTEGER("memory", p->memory),
        CLI_INTEGER("cache_l1d", p->cache_l1d),
        CLI_INTEGER("cache_l2", p->cache_l2),
        CLI_INTEGER("cache_l3", p->cache_l3),
        CLI_INTEGER("local_memory", p->local_memory),
        CLI_INTEGER("max_group_size", p->max_group_size),
        CLI_INTEGER("timer_resolution", p->timer_resolution),
        CLI_INTEGER("max_allocation", p->max_allocation),
        CLI_INTEGER("platform", p->platform),
        CLI_INTEGER("vendor_id", p->vendor_id),
        CLI_INTEGER("device_id", p->device_id),
        CLI_INTEGER("clock_mhz", p->clock_mhz),
        CLI_TRUTH("fp64", p->fp64 != 0),
        CLI_TRUTH("fp_exact", p->fp_exact != 0),
        CLI_TRUTH("int64_atomics", p->int64_atomics != 0),
        CLI_TRUTH("unified_memory", p->unified_memory != 0),
    };
    cli_output_facts(stdout, "  {\n    ", ",\n    ", facts, sizeof facts / sizeof *facts);
    printf(",\n    \"sub_group_sizes\": [");
    for (size_t i = 0; i < sizeof p->sub_group_sizes / sizeof p->sub_group_sizes[0] && p->sub_group_sizes[i]; i++)
        printf("%s%" PRIu32, i ? ", " : "", p->sub_group_sizes[i]);
    printf("]\n  }");
}

/* Nothing is printed where one of them cannot be looked at. */
static int list_devices(int json, struct cli_error *error) {
    size_t count;
    if (uh_device_count(&count))
        return cli_fail_library(error);
    uh_device_properties *properties = calloc(count ? count : 1, sizeof *properties);
    int result = properties ? 0 : cli_fail(error, "out of memory");
    for (size_t i = 0; i < count && result == 0; i++) {
        uh_device *device;
        properties[i].struct_size = sizeof properties[i];
        if (uh_device_get(i, &device) || uh_device_get_properties(device, &properties[i]))
            result = cli_fail_library(error);
    }
    if (json && result == 0)
        printf("[\n");
    for (size_t i = 0; i < count && result == 0; i++) {
        (json ? print_json : print_text)(&properties[i]);
        if (json)
            printf(i + 1 < count ? ",\n" : "\n]\n");
    }
    free(properties);
    return result;
}

static int run(struct cli_arguments *arguments, struct cli_error *error) {
    if (arguments->npaths)
        return cli_usage(error, "unexpected argument '%.200s'; see 'unihist devices --help'", arguments->paths[0]);
    return list_devices(arguments->json, error);
}

const struct cli_command cli_devices_command = {
    CLI_DEVICES,
    "devices",
    "",
    "",
    "List the devices that can count",
    "The text before each name is what --device takes.\n",
    run,
};
