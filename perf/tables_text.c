/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/tables.h"

#include <string.h>

enum { COLUMNS = 2 * PAPER_HS, NAME_WIDTH = 21, CELL_WIDTH = 13 };

/* A row of the table: figures of ours and of the paper, 0 where there is none. */
struct row {
    const char *name;
    size_t k;
    int ratio; /* not 0: with two decimals */
    double cell[COLUMNS];
};

/* ---- one table of histograms ------------------------------------------------------------------------------------ */

static void print_number(FILE *file, double value, int decimals, int width) {
    char text[32];
    if (value > 0)
        snprintf(text, sizeof text, "%.*f", decimals, value);
    else
        snprintf(text, sizeof text, "-");
    fprintf(file, " %*s |", width, text);
}

/* The paper's rates are whole numbers. */
static void print_cell(FILE *file, double value, int ratio, int paper) {
    print_number(file, value, ratio ? 2 : value < 100 && !paper, CELL_WIDTH);
}

static void print_row(FILE *file, const struct row *row) {
    fprintf(file, "| %-*s | %4zu |", NAME_WIDTH, row->name, row->k);
    for (size_t i = 0; i < COLUMNS; i++)
        print_cell(file, row->cell[i], row->ratio, i >= PAPER_HS);
    fputc('\n', file);
}

static void print_head(FILE *file, const char *h) {
    static const char line[] = "--------------------------------";
    char text[32];
    fprintf(file, "| %-*s | %4s |", NAME_WIDTH, "variant", "k");
    for (size_t i = 0; i < COLUMNS; i++) {
        snprintf(text, sizeof text, "%s %g", i < PAPER_HS ? h : "paper:", paper_h[i % PAPER_HS]);
        fprintf(file, " %*s |", CELL_WIDTH, text);
    }
    fprintf(file, "\n|:%.*s|%.*s:|", NAME_WIDTH + 1, line, 5, line);
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(file, "%.*s:|", CELL_WIDTH + 1, line);
    fputc('\n', file);
}

/* Prints both rows of a variant of ours, unless there is nothing to show and it may be left out. */
static void print_ours(FILE *file, const struct tables_device *device, const struct paper_histogram *table,
                       enum tables_variant variant) {
    enum paper_variant beside = perf_tables_beside(variant);
    for (size_t k = 0; k < PAPER_KS; k++) {
        struct row row = {.name = perf_tables_variant(variant), .k = paper_k[k]};
        for (size_t h = 0; h < PAPER_HS; h++) {
            row.cell[h] = perf_tables_rate(device, &device->timing[table->bins][k][h][variant]);
            row.cell[PAPER_HS + h] = beside < PAPER_VARIANTS ? table->rate[beside][k][h] : 0;
        }
        if (variant != TABLES_LIMIT || row.cell[0] > 0)
            print_row(file, &row);
    }
}

static void print_cupy(FILE *file, const struct paper_histogram *table) {
    for (size_t k = 0; k < PAPER_KS && table->rate[PAPER_CUPY][k][0]; k++) {
        struct row row = {.name = paper_variants[PAPER_CUPY], .k = paper_k[k]};
        for (size_t h = 0; h < PAPER_HS; h++)
            row.cell[PAPER_HS + h] = table->rate[PAPER_CUPY][k][h];
        print_row(file, &row);
    }
}

static void print_ratios(FILE *file, const struct tables_device *device, const struct paper_histogram *table,
                         enum tables_variant variant) {
    for (size_t k = 0; k < PAPER_KS; k++) {
        struct row row = {
            .name = variant == TABLES_AUTO ? "AUTO / BINARY" : "UNIHIST / BINARY", .k = paper_k[k], .ratio = 1};
        for (size_t h = 0; h < PAPER_HS; h++) {
            row.cell[h] = perf_tables_ratio(device->timing[table->bins][k][h], variant);
            row.cell[PAPER_HS + h] = variant == TABLES_UNIHIST ? perf_tables_paper_ratio(table, k, h) : 0;
        }
        print_row(file, &row);
    }
}

static void print_histograms(const struct tables *tables, size_t index, FILE *file) {
    const struct paper_histogram *table = &paper_histograms[index];
    const struct paper_family *family = &paper_families[table->bins];
    const struct paper_device_text *paper = &paper_devices[table->device];
    fprintf(file, "\n## Table %s. %s. %s\n", paper_number(index), family->title, paper->name);
    for (size_t i = 0; i < tables->count; i++) {
        const struct tables_device *device = &tables->devices[i];
        fprintf(file, "\nHere: %s, n = %zu. The paper's: %s, n = %.0f.\n\n", device->properties.selector, device->n,
                paper->what, paper->n);
        print_head(file, family->h);
        print_ours(file, device, table, TABLES_NUMPY);
        print_cupy(file, table);
        for (int variant = TABLES_BINARY; variant < TABLES_VARIANTS; variant++)
            print_ours(file, device, table, (enum tables_variant)variant);
        print_ratios(file, device, table, TABLES_UNIHIST);
        print_ratios(file, device, table, TABLES_AUTO);
    }
}

/* ---- table XIII ------------------------------------------------------------------------------------------------- */

enum { PAPER_WIDTH = 17 };

/* A row with our figure; `paper` is an index of paper_samplings, or PAPER_SAMPLINGS. */
static void print_sampler(FILE *file, const char *name, double rate, size_t paper) {
    fprintf(file, "| %-*s |", NAME_WIDTH, name);
    print_number(file, rate, rate < 100, CELL_WIDTH);
    for (size_t i = 0; i < PAPER_DEVICES; i++)
        if (paper < PAPER_SAMPLINGS && paper_samplings[paper].instead[i])
            fprintf(file, " %*s |", PAPER_WIDTH, paper_samplings[paper].instead[i]);
        else
            print_number(file, paper < PAPER_SAMPLINGS ? paper_samplings[paper].rate[i] : 0, 0, PAPER_WIDTH);
    fputc('\n', file);
}

static void print_sampling_ratio(FILE *file, const char *name, const struct tables_device *device,
                                 enum tables_sampler below) {
    fprintf(file, "| %-*s |", NAME_WIDTH, name);
    print_number(file, perf_tables_sampling_ratio(device, below), 2, CELL_WIDTH);
    for (size_t i = 0; i < PAPER_DEVICES; i++)
        print_number(file, below == SAMPLER_NUMPY ? perf_tables_paper_sampling_ratio((enum paper_device)i) : 0, 2,
                     PAPER_WIDTH);
    fputc('\n', file);
}

static void print_sampling(const struct tables *tables, FILE *file) {
    fprintf(file, "\n## Table %s. RANDOM SAMPLING WITH REPLACEMENT\n", paper_number(PAPER_HISTOGRAMS));
    for (size_t i = 0; i < tables->count; i++) {
        const struct tables_device *device = &tables->devices[i];
        fprintf(file,
                "\nHere: %s, n = %zu. The paper's: n = %.0f (LAPTOP) and %.0f (SERVER). k = %d, p = 0.001 each.\n\n"
                "| %-*s | %*s |",
                device->properties.selector, device->samples, paper_devices[PAPER_LAPTOP_CPU].n,
                paper_devices[PAPER_SERVER_CPU].n, PAPER_SAMPLING_K, NAME_WIDTH, "variant", CELL_WIDTH, "here");
        for (size_t j = 0; j < PAPER_DEVICES; j++)
            fprintf(file, " paper: %s |", paper_devices[j].name);
        fputs("\n|:----------------------|--------------:|", file);
        for (size_t j = 0; j < PAPER_DEVICES; j++)
            fputs("------------------:|", file);
        fputc('\n', file);
        for (int sampler = 0; sampler < TABLES_SAMPLERS; sampler++)
            print_sampler(file, perf_tables_sampler((enum tables_sampler)sampler),
                          perf_tables_sampling_rate(device, (enum tables_sampler)sampler),
                          perf_tables_sampler_beside((enum tables_sampler)sampler));
        print_sampler(file, paper_samplings[PAPER_SAMPLING_CUPY].variant, 0, PAPER_SAMPLING_CUPY);
        print_sampling_ratio(file, "UNIHIST / NUMPY", device, SAMPLER_NUMPY);
        print_sampling_ratio(file, "UNIHIST / RANDOM", device, SAMPLER_WORDS);
    }
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

static void print_numpy(FILE *file, const char *call, const struct tables_device *device,
                        const struct tables_numpy *numpy) {
    if (*numpy->version)
        fprintf(file, "- NUMPY: %s %s, one thread\n", call, numpy->version);
    else
        fprintf(file, "- NUMPY on %s: left out, %s\n", device->properties.selector, numpy->why);
}

static void print_machine(const struct tables *tables, FILE *file) {
    const struct perf_machine *machine = &tables->machine;
    fprintf(file, "- %s, %ld CPUs, ISA %s, %s\n", machine->cpu, machine->cpus, machine->isa, machine->kernel);
    fprintf(file, "- libunihist %s, built by %s (%s), %s\n", machine->library, machine->compiler, machine->build,
            machine->date);
    if (machine->load[0] >= 0.5)
        fprintf(file, "- load average %.1f: other work ran on this machine, which the figures will show\n",
                machine->load[0]);
    for (size_t i = 0; i < tables->count; i++) {
        const struct tables_device *device = &tables->devices[i];
        fprintf(file, "- %s: %s, %s\n", device->properties.selector, device->properties.name, device->how);
        if (perf_tables_needs_histograms(tables->wanted)) {
            fprintf(file, "- n = %zu float32 values, uniform on (0, %g)\n", device->n, PAPER_RANGE);
            print_numpy(file, "numpy.histogram", device, &device->numpy);
        }
        if (perf_tables_needs_sampling(tables->wanted)) {
            fprintf(file, "- %zu samples of table XIII, stored as uint32\n", device->samples);
            print_numpy(file, "numpy.random.Generator.choice", device, &device->choice);
        }
    }
}

void perf_tables_text(const struct tables *tables, FILE *file) {
    fputs("# Tables of the UNIHIST paper\n\n"
          "Millions of values a second, the median of all repetitions. BINARY and UNIHIST here are the library's "
          "methods\n"
          "`binary` and `mesh`, AUTO is its planner's choice, LIMIT is reading the array once with as many threads.\n"
          "Every count was compared with one found without the library. Of samples UNIHIST, ALIAS and BINARY are the\n"
          "library's methods, RANDOM is as many random words, uh_random_u32. Columns marked `paper` are the figures "
          "and the\n"
          "ratios of the paper for its own devices.\n\n",
          file);
    print_machine(tables, file);
    if (tables->plotted)
        fprintf(file, "\n![Rates, and ratios beside the paper's](%s)\n", tables->plot);
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (tables->wanted[i])
            print_histograms(tables, i, file);
    if (tables->wanted[PAPER_HISTOGRAMS])
        print_sampling(tables, file);
}
