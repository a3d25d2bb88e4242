/* SPDX-License-Identifier: Apache-2.0 */
/* unihist devices: lists the devices that can count. */
#include <inttypes.h>
#include <stdlib.h>

#include "api/cli/options.h"
#include "api/cli/output/output.h"

static const char *kind_name(uh_device_kind kind) {
    return kind == UH_DEVICE_CPU ? "cpu" : kind == UH_DEVICE_GPU ? "gpu" : "accelerator";
}

/* Formats a size: "32 KiB", "15.6 GiB", or "unknown" for 0. */
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

enum { MAX_PARTS = 32 }; /* maximum of a combined device */

struct listed {
    uh_device_properties properties;
    uint64_t free_memory;
    size_t nparts;
    uh_device_properties parts[MAX_PARTS];
};

/* Formats "4 GiB, 3.5 GiB free, 3277 GB/s"; only the first part is always known. */
static const char *memory_text(const struct listed *device, char *text, size_t size) {
    const uh_device_properties *p = &device->properties;
    char memory[32], free_memory[32], left[48] = "", bandwidth[48] = "";
    if (device->free_memory)
        snprintf(left, sizeof left, ", %s free", size_text(device->free_memory, free_memory, sizeof free_memory));
    if (p->memory_bandwidth)
        snprintf(bandwidth, sizeof bandwidth, ", %.4g GB/s", (double)p->memory_bandwidth / 1e9);
    snprintf(text, size, "%s%s%s", size_text(p->memory, memory, sizeof memory), left, bandwidth);
    return text;
}

static void print_host(const uh_device_properties *p, const char *memory) {
    char l1[32], l2[32], l3[32];
    printf("    %-8s %" PRIu32 " cores, %" PRIu32 " threads, %" PRIu32 " sockets, %" PRIu32 " NUMA nodes, x86-64-%s\n",
           "compute", p->cores, p->threads, p->sockets, p->numa_nodes, p->isa);
    printf("    %-8s L1d %s and L2 %s a core, L3 %s\n", "caches", size_text(p->cache_l1d, l1, sizeof l1),
           size_text(p->cache_l2, l2, sizeof l2), size_text(p->cache_l3, l3, sizeof l3));
    printf("    %-8s %s\n", "memory", memory);
}

static void print_gpu(const uh_device_properties *p, const char *memory) {
    char local[32];
    printf("    %-8s %" PRIu32 " compute units, %" PRIu32 " threads, %" PRIu32 " tile%s", "compute", p->cores,
           p->threads, p->sockets, p->sockets == 1 ? "" : "s");
    if (p->clock_mhz)
        printf(", %" PRIu32 " MHz", p->clock_mhz);
    printf(", %s\n", p->fp64 ? "float64" : "no float64");
    printf("    %-8s %s%s, %s local to a work-group\n", "memory", memory,
           p->unified_memory ? ", shared with the host" : "", size_text(p->local_memory, local, sizeof local));
}

static void print_text(const struct listed *device) {
    const uh_device_properties *p = &device->properties;
    char memory[128];
    printf("%s  %s\n", p->selector, p->name);
    printf("    %-8s %s, backend %s, driver %s%s%s\n", "kind", kind_name(p->kind), p->backend, p->driver_version,
           p->pci_address[0] ? ", PCI " : "", p->pci_address);
    (p->isa[0] ? print_host : print_gpu)(p, memory_text(device, memory, sizeof memory));
    for (size_t i = 0; i < device->nparts; i++)
        printf("%s%s%s", i ? ", " : "    made of  ", device->parts[i].selector, i + 1 < device->nparts ? "" : "\n");
}

/* Writes hexadecimal digits; "" if all bytes are 0. */
static void uuid_text(const uint8_t *uuid, size_t size, char *text) {
    unsigned any = 0;
    for (size_t i = 0; i < size; i++) {
        any |= uuid[i];
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
    }
    if (!any)
        text[0] = '\0';
}

static void print_json(const struct listed *device) {
    const uh_device_properties *p = &device->properties;
    char uuid[2 * sizeof p->uuid + 1];
    uuid_text(p->uuid, sizeof p->uuid, uuid);
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
        CLI_TEXT("uuid", uuid),
        CLI_TEXT("pci_address", p->pci_address),
        CLI_INTEGER("memory_bandwidth", p->memory_bandwidth),
        CLI_INTEGER("free_memory", device->free_memory),
    };
    cli_output_facts(stdout, "  {\n    ", ",\n    ", CLI_FACTS(facts));
    printf(",\n    \"sub_group_sizes\": [");
    for (size_t i = 0; i < sizeof p->sub_group_sizes / sizeof p->sub_group_sizes[0] && p->sub_group_sizes[i]; i++)
        printf("%s%" PRIu32, i ? ", " : "", p->sub_group_sizes[i]);
    printf("],\n    \"parts\": [");
    for (size_t i = 0; i < device->nparts; i++)
        printf("%s\"%s\"", i ? ", " : "", device->parts[i].selector);
    printf("]\n  }");
}

static int look_at(size_t index, struct listed *listed) {
    uh_device *device, *parts[MAX_PARTS];
    listed->properties.struct_size = sizeof listed->properties;
    if (uh_device_get(index, &device) || uh_device_get_properties(device, &listed->properties) ||
        uh_device_parts(device, parts, MAX_PARTS, &listed->nparts))
        return cli_fail_library();
    for (size_t i = 0; i < listed->nparts; i++) {
        listed->parts[i].struct_size = sizeof listed->parts[i];
        if (uh_device_get_properties(parts[i], &listed->parts[i]))
            return cli_fail_library();
    }
    /* A device that cannot report its free memory is listed nevertheless. */
    if (uh_device_free_memory(device, &listed->free_memory))
        listed->free_memory = 0;
    return 0;
}

/* Prints nothing if the query of any device fails. */
static int list_devices(int json) {
    size_t count;
    uh_device *gpu;
    if (uh_device_count(&count))
        return cli_fail_library();
    struct listed *devices = cli_have(calloc(count ? count : 1, sizeof *devices));
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = look_at(i, &devices[i]);
    if (json && result == 0)
        printf("[\n");
    for (size_t i = 0; i < count && result == 0; i++) {
        (json ? print_json : print_text)(&devices[i]);
        if (json)
            printf(i + 1 < count ? ",\n" : "\n]\n");
    }
    free(devices);
    if (result == 0 && uh_device_select("gpu", &gpu) == UH_ERROR_DRIVER)
        cli_warn("%s", uh_last_error_info()->text);
    return result;
}

static int run_devices(struct cli_arguments *arguments) {
    if (arguments->npaths)
        return cli_usage("unexpected argument '%.200s'; see 'unihist devices --help'", arguments->paths[0]);
    return list_devices(arguments->json);
}

const struct cli_command cli_devices_command = {
    CLI_DEVICES,
    "devices",
    "",
    "",
    "List the devices that can count",
    "The text before each name is the value for --device.\n",
    run_devices,
};
