/* SPDX-License-Identifier: Apache-2.0 */
/* How wide operations run fastest on a device: each with groups of several sizes and several numbers of them, and the
 * file of the user's cache that the library reads (kernels/common/geometry.h). */
#include "perf/histogram.h"

#include "kernels/common/geometry.h"
#include "runtime/atomic_file.h"
#include "runtime/cache_folder.h"

#include <errno.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* A geometry that is faster by less than this is not worth a change: medians differ by as much. */
#define WORTH 1.02

enum { MIN_SIZE = 64, USUAL_LANES = 16, MAX_FILE = 1 << 20 };

/* What each operation is measured by: a row of its table, and who works on it. Of histograms there is no table. */
static const struct tuned {
    const struct perf_operation *operation;
    const char *row, *subject;
} tuned[] = {{&uhi_perf_histogram, NULL, "auto"},
             {&uhi_perf_accumulate, "k:1000/f32", "exact"},
             {&uhi_perf_bincount, "i32/k:1000", "found"},
             {&uhi_perf_histo, "256x4096/eye", "eye"},
             {&uhi_perf_random, "u32/memory", "library"},
             {&uhi_perf_sample, "f32/k:1000/random", "unihist"},
             {&uhi_perf_integrate, "f64/d:6/gaussian", "mcubes"},
             {&uhi_perf_meanshift, "f32/d:2/blurring", "tiles"}};
enum { TUNED = sizeof tuned / sizeof *tuned };

/* ---- geometries ------------------------------------------------------------------------------------------------- */

/* Groups of that many items that fill the device once. */
static uint64_t groups_to_fill(const uh_device_properties *device, uint32_t group_size) {
    uint32_t lanes = 0;
    for (size_t i = 0; i < sizeof device->sub_group_sizes / sizeof *device->sub_group_sizes; i++)
        lanes = device->sub_group_sizes[i] > lanes ? device->sub_group_sizes[i] : lanes;
    return ((uint64_t)device->threads * (lanes > 1 ? lanes : USUAL_LANES) + group_size - 1) / group_size;
}

int perf_tune_width(const uh_device_properties *device, size_t index, uint32_t *group_size, uint32_t *groups) {
    static const double fills[] = {0.5, 1, 2}; /* of the device, with each size */
    enum { FILLS = sizeof fills / sizeof *fills };
    *group_size = *groups = 0;
    if (index == 0)
        return 1;
    const uint64_t size = (uint64_t)MIN_SIZE << (index - 1) / FILLS;
    if (size > UHI_MAX_GROUP_SIZE || (size > device->max_group_size && size > MIN_SIZE))
        return 0;
    const double wanted = fills[(index - 1) % FILLS] * (double)groups_to_fill(device, (uint32_t)size);
    *group_size = size > device->max_group_size ? 0 : (uint32_t)size;
    *groups = wanted < 1 ? 1 : wanted > UHI_MAX_GROUPS ? UHI_MAX_GROUPS : (uint32_t)wanted;
    return 1;
}

const char *perf_tune_operation(unsigned index) { return index < TUNED ? tuned[index].operation->name : NULL; }

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static void add_histogram(struct perf_bench *bench) {
    const size_t before = bench->case_count;
    const struct histogram_rows rows = {.measured = PERF_FILL,
                                        .bins = 1 << CASE_RANDOM,
                                        .data = 1 << CASE_UNIFORM,
                                        .dtypes = 1 << UH_F32,
                                        .k = {1, {1000}},
                                        .h = {1, {0.01}},
                                        .n = {1, {bench->options.n.count ? bench->options.n.value[0] : PERF_N_LARGE}},
                                        .threads = {1, {1}}};
    histogram_add_cases(bench, &rows);
    for (size_t i = before; i < bench->case_count; i++)
        bench->cases[i].tuned = "auto";
}

static void add_tuned(struct perf_bench *bench, const struct tuned *of) {
    const struct perf_operation *operation = of->operation;
    size_t i = 0;
    if (!of->row) {
        add_histogram(bench);
        return;
    }
    while (i < operation->row_count && strcmp(operation->rows[i].what, of->row) != 0)
        i++;
    if (i == operation->row_count)
        perf_fail("there is no case %s of %s", of->row, operation->name);
    struct perf_case what = perf_case_of_row(bench, operation, &operation->rows[i], PERF_USUAL);
    what.tuned = of->subject;
    perf_add_case(bench, &what);
}

/* Writes the whole file or nothing; `text` of NULL only finds out whether it could. Nobody else may write to it: the
 * library would not read it. */
static void write_file(const char *path, const char *text) {
    struct uhi_atomic_file file;
    const mode_t mask = umask(077);
    int failed = uhi_atomic_name(&file, path) || uhi_atomic_create(&file);
    if (!failed && text && uhi_write_all(file.fd, text, strlen(text))) {
        snprintf(file.why, sizeof file.why, "%s", strerror(errno));
        failed = 1;
    }
    if (failed || !text)
        uhi_atomic_abort(&file);
    else
        failed = uhi_atomic_commit(&file, 0);
    umask(mask);
    if (failed)
        perf_fail("cannot write %s: %s", path, file.why);
}

/* The path of the file. Fails before anything is measured if it cannot be written. */
static void find_file(char path[UHI_CACHE_PATH + sizeof "/" UHI_TUNING_FILE]) {
    char folder[UHI_CACHE_PATH];
    const char *why, *cache = getenv("UNIHIST_CACHE");
    if (cache && strcasecmp(cache, "off") == 0)
        perf_usage("UNIHIST_CACHE is off, so that the library would not read what is to be written");
    if (!uhi_cache_folder_path(folder))
        perf_fail("neither XDG_CACHE_HOME nor HOME names a folder for the file %s", UHI_TUNING_FILE);
    const int at = uhi_cache_folder_open(folder, 1, &why);
    if (at < 0)
        perf_fail("%s cannot be used: %s", folder, why ? why : "it is not there");
    close(at);
    snprintf(path, UHI_CACHE_PATH + sizeof "/" UHI_TUNING_FILE, "%s/%s", folder, UHI_TUNING_FILE);
    write_file(path, NULL);
}

void perf_tune_list(struct perf_bench *bench) {
    char path[UHI_CACHE_PATH + sizeof "/" UHI_TUNING_FILE];
    if (!bench->options.list)
        find_file(path);
    for (size_t i = 0; i < TUNED; i++)
        if (!bench->device.host && (bench->options.operations >> i & 1))
            add_tuned(bench, &tuned[i]);
    if (bench->case_count == 0)
        perf_usage("--device: there is no GPU, expected a device that runs kernels");
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* What is in the file now; NULL if it is missing, or is not to be kept, which a line says. The caller frees it. */
static char *read_file(const char *path) {
    struct uhi_tuning tuning;
    char *text = perf_memory(1, MAX_FILE);
    FILE *file = fopen(path, "r");
    const size_t got = file ? fread(text, 1, MAX_FILE - 1, file) : 0;
    const int bad =
        file && (ferror(file) || !feof(file) || strlen(text) != got || uhi_tuning_read(text, "", &tuning) != 0);
    if (bad)
        printf("# %s is no such file, and is replaced\n", path);
    if (file)
        fclose(file);
    if (file && !bad)
        return text;
    free(text);
    return NULL;
}

/* ---- what came of it -------------------------------------------------------------------------------------------- */

/* Prints the fastest geometry of a case, and adds it to those that are kept if it is worth that. */
static void choose(const struct perf_case *what, struct uhi_tuning *kept) {
    const double ratio = what->best_rate / what->usual_rate;
    if (!(what->usual_rate > 0))
        return;
    printf("%-12s %12.1f %12.1f %7.2fx ", what->operation->name, 1e-6 * what->usual_rate, 1e-6 * what->best_rate,
           ratio);
    if (!(ratio > WORTH)) {
        printf("as now\n");
        return;
    }
    printf("%u groups of %u\n", (unsigned)what->best_groups, (unsigned)what->best_size);
    struct uhi_tuning_row *row = &kept->rows[kept->count++];
    snprintf(row->operation, sizeof row->operation, "%s", what->operation->name);
    row->geometry = (struct uhi_geometry){what->best_size, what->best_groups};
}

void perf_tune_show(struct perf_bench *bench) {
    char path[UHI_CACHE_PATH + sizeof "/" UHI_TUNING_FILE], head[UHI_TUNING_HEAD];
    struct uhi_tuning kept = {.count = 0};
    find_file(path);
    printf("\n%-12s %12s %12s %8s best\n", "tune", "now Mpts/s", "best Mpts/s", "ratio");
    for (size_t i = 0; i < bench->case_count; i++)
        choose(&bench->cases[i], &kept);
    uhi_tuning_head(&bench->device.properties, uh_version(), head);
    char *before = read_file(path), *text = uhi_tuning_write(before, head, &kept);
    if (!text)
        perf_fail("out of memory for %s", path);
    write_file(path, text);
    free(before);
    free(text);
    printf("# %s: written to %s\n", head, path);
}
