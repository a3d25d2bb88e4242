/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the host device, from hwloc, CPUID and OpenMP. */
#include <cpuid.h>
#include <hwloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cpu.h"
#include "runtime/device_list.h"
#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/status.h"

/* Local memory per work-group if the size of the L2 cache, which it should fit in, is unknown. */
enum { LOCAL_MEMORY_DEFAULT = 256 * 1024 };

/* Finds the hardware threads that this process may use. OMP_PROC_BIND may have bound the calling thread, and so a
 * single-threaded process, to one place; the process may still use the other places. */
static int find_allowed(hwloc_topology_t topology, hwloc_cpuset_t allowed) {
    if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(topology));
    for (int place = 0; place < omp_get_num_places(); place++) {
        int count = omp_get_place_num_procs(place);
        int *ids = count > 0 ? malloc((size_t)count * sizeof *ids) : NULL;
        if (count > 0 && !ids)
            return -1;
        if (count > 0)
            omp_get_place_proc_ids(place, ids);
        for (int i = 0; i < count; i++)
            hwloc_bitmap_set(allowed, (unsigned)ids[i]);
        free(ids);
    }
    return hwloc_bitmap_and(allowed, allowed, hwloc_topology_get_allowed_cpuset(topology));
}

/* Returns the number of objects of a type that have an allowed hardware thread. */
static uint32_t count_objects(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t allowed) {
    uint32_t count = 0;
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o)) != NULL;)
        count += o->cpuset && hwloc_bitmap_intersects(o->cpuset, allowed) ? 1u : 0u;
    return count;
}

/* Returns the size of one cache of a type that serves an allowed hardware thread, 0 if unknown. */
static uint64_t find_cache(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t allowed) {
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, type, o)) != NULL;)
        if (o->cpuset && hwloc_bitmap_intersects(o->cpuset, allowed))
            return o->attr->cache.size;
    return 0;
}

static void find_name(hwloc_topology_t topology, char *name, size_t size) {
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    if (model)
        model += strspn(model, " ");
    snprintf(name, size, "%s", model && *model ? model : "x86-64 CPU");
    for (size_t length = strlen(name); length && name[length - 1] == ' '; length--)
        name[length - 1] = '\0';
}

/* Returns the memory that this process may use. hwloc adds up the nodes' current sizes, which are too small while a
 * virtual machine's host has reclaimed memory; if all nodes are allowed, the system's total is better. */
static uint64_t find_memory(hwloc_topology_t topology) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(topology);
    if (pages > 0 && page > 0 && hwloc_bitmap_isincluded(hwloc_topology_get_complete_nodeset(topology), allowed))
        return (uint64_t)pages * (uint64_t)page;
    return hwloc_get_root_obj(topology)->total_memory;
}

static void fill_in_topology(hwloc_topology_t topology, hwloc_const_cpuset_t allowed, uh_device_properties *p) {
    find_name(topology, p->name, sizeof p->name);
    p->threads = count_objects(topology, HWLOC_OBJ_PU, allowed);
    p->cores = count_objects(topology, HWLOC_OBJ_CORE, allowed);
    p->sockets = count_objects(topology, HWLOC_OBJ_PACKAGE, allowed);
    p->numa_nodes = count_objects(topology, HWLOC_OBJ_NUMANODE, allowed);
    p->memory = find_memory(topology);
    p->cache_l1d = find_cache(topology, HWLOC_OBJ_L1CACHE, allowed);
    p->cache_l2 = find_cache(topology, HWLOC_OBJ_L2CACHE, allowed);
    p->cache_l3 = find_cache(topology, HWLOC_OBJ_L3CACHE, allowed);
}

/* Returns the first number after `key` in a line of a file, 0 without one. */
static unsigned long number_in(const char *path, const char *key) {
    unsigned long number = 0;
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (number == 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            number = strtoul(line + strlen(key) + strspn(line + strlen(key), " \t:"), NULL, 10);
    fclose(file);
    return number;
}

/* Returns the CPU maker's PCI vendor id, 0 if unknown. */
static uint32_t find_vendor(void) {
    static const struct {
        const char *name;
        uint32_t id;
    } vendors[] = {{"GenuineIntel", 0x8086}, {"AuthenticAMD", 0x1022}};
    unsigned eax, ebx, ecx, edx;
    char name[12];
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
        return 0;
    memcpy(name, &ebx, 4);
    memcpy(name + 4, &edx, 4);
    memcpy(name + 8, &ecx, 4);
    for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++)
        if (memcmp(name, vendors[i].name, sizeof name) == 0)
            return vendors[i].id;
    return 0;
}

/* Sets the properties of every host, the vendor, and the clock: the maximum if known, otherwise the current one. */
static void fill_in_constants(uh_device_properties *p) {
    unsigned long khz = number_in("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "");
    p->clock_mhz = (uint32_t)(khz ? khz / 1000 : number_in("/proc/cpuinfo", "cpu MHz"));
    p->vendor_id = find_vendor();
    p->fp64 = 1;
    p->fp_exact = 1;
    p->int64_atomics = 1;
    p->unified_memory = 1;
    p->sub_group_sizes[0] = 1;
    p->max_allocation = SIZE_MAX;
}

/* Leaves properties unknown to hwloc unchanged. */
static uh_status read_topology(const char *call, uh_device_properties *p) {
    uh_status status = UH_SUCCESS;
    hwloc_topology_t topology;
    hwloc_cpuset_t allowed = hwloc_bitmap_alloc();
    if (!allowed || hwloc_topology_init(&topology) != 0) {
        hwloc_bitmap_free(allowed);
        return uhi_fail_memory(call, "out of memory for the host's topology");
    }
#if HWLOC_API_VERSION >= 0x00020500
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
#endif
    if (hwloc_topology_load(topology) != 0)
        uhi_log(UH_LOG_WARN, "hwloc cannot read this machine's topology");
    else if (find_allowed(topology, allowed) != 0)
        status = uhi_fail_memory(call, "out of memory for the host's topology");
    else
        fill_in_topology(topology, allowed, p);
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(allowed);
    return status;
}

uh_status uhi_host_list_devices(struct uhi_device_list *list) {
    uh_device device = {.tile = -1, .root_tile = -1};
    uh_device_properties *p = &device.properties;
    p->kind = UH_DEVICE_CPU;
    snprintf(p->name, sizeof p->name, "x86-64 CPU");
    snprintf(p->driver_version, sizeof p->driver_version, "OpenMP %d", _OPENMP);
    snprintf(p->isa, sizeof p->isa, "%s", uhi_cpu_isa_name(uhi_cpu_isa()));
    UHI_TRY(read_topology(list->call, p));
    p->threads = p->threads ? p->threads : (uint32_t)omp_get_num_procs();
    p->cores = p->cores ? p->cores : p->threads;
    p->sockets = p->sockets ? p->sockets : 1;
    p->numa_nodes = p->numa_nodes ? p->numa_nodes : 1;
    p->local_memory = p->cache_l2 ? p->cache_l2 : LOCAL_MEMORY_DEFAULT;
    /* A host function loops over its work-group itself, so any size works. */
    p->max_group_size = SIZE_MAX;
    fill_in_constants(p);
    struct timespec resolution;
    p->timer_resolution = 1;
    if (clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0 && resolution.tv_nsec > 1)
        p->timer_resolution = (uint64_t)resolution.tv_nsec;
    return uhi_device_list_add(list, &device);
}

uh_status uhi_host_free_memory(__attribute__((unused)) uh_device *device, uint64_t *bytes) {
    *bytes = (uint64_t)number_in("/proc/meminfo", "MemAvailable:") * 1024;
    return UH_SUCCESS;
}

uint32_t uhi_host_default_threads(const uh_device *device) {
    const char *text = getenv("OMP_NUM_THREADS");
    int requested = omp_get_max_threads();
    uint32_t threads = requested > 0 ? (uint32_t)requested : 1;
    /* Neither the variable nor omp_set_num_threads is set: OpenMP's default is one per hardware thread. */
    if (!(text && *text) && requested == omp_get_num_procs())
        threads = device->properties.cores;
    return threads < device->properties.threads ? threads : device->properties.threads;
}
