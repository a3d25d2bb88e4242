/* SPDX-License-Identifier: Apache-2.0 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/clusters.h"
#include "api/cli/display/display.h"
#include "api/cli/group.h"
#include "api/cli/options.h"
#include "api/cli/output/output.h"

static void write_names(FILE *file, const struct cli_clusters *clusters, const char *end) {
    for (size_t a = 0; a < clusters->found->dims; a++) {
        const char *name = clusters->points->names[a];
        const int plain = strcspn(name, ",;\t\"\n") == strlen(name);
        fprintf(file, "%s%s", a ? "," : "", plain ? name : "");
        if (!plain)
            fprintf(file, "x%zu", a);
    }
    fputs(end, file);
}

/* Writes the fewest digits that read back as the same float32. */
static void write_float(FILE *file, float value) {
    char text[32];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    fputs(text, file);
}

struct rows_file {
    FILE *file;
    int text, single; /* `single`: float32 */
    size_t width;
};

static int write_rows(void *context, const void *rows, size_t n) {
    const struct rows_file *to = context;
    char number[CLI_OUTPUT_NUMBER_SIZE];
    if (!to->text)
        fwrite(rows, to->width * (to->single ? sizeof(float) : sizeof(double)), n, to->file);
    for (size_t i = 0; i < n * to->width && to->text && !ferror(to->file); i++) {
        if (to->single)
            write_float(to->file, ((const float *)rows)[i]);
        else {
            cli_output_number(number, ((const double *)rows)[i]);
            fputs(number, to->file);
        }
        fputc((i + 1) % to->width == 0 ? '\n' : ',', to->file);
    }
    return 0;
}

static int write_centroids(FILE *file, const char *path, const struct cli_clusters *clusters) {
    const uh_clusters_properties *found = clusters->found;
    const size_t dims = found->dims, shape[] = {found->clusters, dims + 1};
    struct rows_file to = {
        .file = file, .text = cli_output_format(path, NULL, CLI_CLUSTERS_TABLES) == 1, .width = dims + 1};
    double row[UH_MEAN_SHIFT_MAX_DIMS + 1];
    if (!file)
        return 0;
    if (to.text)
        write_names(file, clusters, ",count\n");
    else
        cli_output_npy_header(file, NULL, "'<f8'", shape, 2);
    for (size_t i = 0; i < found->clusters; i++) {
        memcpy(row, found->centroids + i * dims, dims * sizeof *row);
        row[dims] = (double)found->counts[i];
        write_rows(&to, row, 1);
    }
    return 0;
}

static int write_shifted(FILE *file, const char *path, const struct cli_clusters *clusters) {
    const uh_clusters_properties *found = clusters->found;
    struct rows_file to = {.file = file,
                           .text = cli_output_format(path, NULL, CLI_CLUSTERS_TABLES) == 1,
                           .single = found->dtype == UH_F32,
                           .width = found->dims};
    const size_t shape[] = {(size_t)clusters->moved, found->dims};
    if (file && to.text)
        write_names(file, clusters, "\n");
    else if (file)
        cli_output_npy_header(file, NULL, to.single ? "'<f4'" : "'<f8'", shape, 2);
    if (file)
        write_rows(&to, found->shifted, found->moved);
    return cli_group_collect(found->shifted, found->moved, found->dims * uh_dtype_size(found->dtype), write_rows, &to);
}

static int write_picture(FILE *file, const char *path, const struct cli_clusters *clusters) {
    struct cli_cloud cloud;
    int result = cli_cloud_make(&cloud, clusters);
    if (result == 0 && file)
        result = cli_display_clusters(file, path, &cloud);
    free(cloud.dot);
    return result;
}

/* Labels are last because they may go to standard output. */
struct outputs {
    struct cli_atomic file[3];
    size_t files;
    struct cli_output_integers labels;
};

static int begin(struct outputs *outputs, const char *path,
                 int (*write)(FILE *file, const char *path, const struct cli_clusters *clusters),
                 const struct cli_clusters *clusters) {
    struct cli_atomic *atomic = &outputs->file[outputs->files++];
    if (!path)
        return 0;
    if (!cli_group_is_first()) /* this process contributes its part */
        return write(NULL, path, clusters);
    if (cli_atomic_open(atomic, path) || (write(atomic->file, path, clusters) && !ferror(atomic->file)))
        return -1;
    return fflush(atomic->file) || ferror(atomic->file) ? cli_atomic_fail(atomic) : 0;
}

static int append_labels(void *context, const void *labels, size_t n) {
    return cli_output_integers_append(context, labels, n);
}

static int begin_labels(struct cli_output_integers *labels, const struct cli_arguments *arguments,
                        const struct cli_clusters *clusters) {
    const uh_clusters_properties *found = clusters->found;
    const struct cli_share all = {.all = clusters->points->all};
    if (!arguments->output)
        return 0;
    if (cli_group_is_first() && (cli_output_integers_open(labels, arguments->output, arguments->format, UH_U32, &all) ||
                                 append_labels(labels, found->labels, found->n)))
        return -1;
    return cli_group_collect(found->labels, found->n, sizeof *found->labels, append_labels, labels);
}

int cli_clusters_write(const struct cli_arguments *arguments, const struct cli_clusters *clusters) {
    struct outputs outputs = {.files = 0};
    int result = begin(&outputs, arguments->centroids, write_centroids, clusters) ||
                         begin(&outputs, arguments->shifted, write_shifted, clusters) ||
                         begin(&outputs, arguments->plot, write_picture, clusters) ||
                         begin_labels(&outputs.labels, arguments, clusters) || cli_group_agree(0)
                     ? -1
                     : 0;
    for (size_t i = 0; i < outputs.files && result == 0; i++)
        result = outputs.file[i].file ? cli_atomic_commit(&outputs.file[i]) : 0;
    if (result == 0 && outputs.labels.atomic.file)
        result = cli_output_integers_commit(&outputs.labels);
    for (size_t i = 0; i < outputs.files; i++)
        cli_atomic_abort(&outputs.file[i]);
    cli_atomic_abort(&outputs.labels.atomic);
    return result;
}

static void write_options(FILE *file, const struct cli_clusters *clusters) {
    const uh_mean_shift_options *options = clusters->options;
    const uh_clusters_properties *found = clusters->found;
    const int gaussian = options->kernel == UH_KERNEL_GAUSSIAN;
    const struct cli_fact facts[] = {
        CLI_TEXT("algorithm", uh_enum_name(UH_ENUM_MEAN_SHIFT_ALGORITHM, options->algorithm)),
        CLI_TEXT("kernel", uh_enum_name(UH_ENUM_DENSITY_KERNEL, options->kernel)),
        CLI_TEXT("method", uh_enum_name(UH_ENUM_MEAN_SHIFT_METHOD, options->method)),
        CLI_TEXT("reduction", uh_enum_name(UH_ENUM_MEAN_SHIFT_REDUCTION, options->reduction)),
        CLI_NUMBER("radius", found->radius),
        gaussian ? CLI_NUMBER("sigma", found->sigma) : CLI_TEXT("sigma", NULL),
        CLI_NUMBER("delta", found->delta),
        clusters->quantile > 0 ? CLI_NUMBER("quantile", clusters->quantile) : CLI_TEXT("quantile", NULL),
        options->eps < 0 ? CLI_NUMBER("eps", 0)
                         : CLI_NUMBER("eps", options->eps > 0 ? options->eps : found->radius / 1000),
        CLI_INTEGER("iterations", options->iterations == SIZE_MAX ? 0 : options->iterations),
        CLI_NUMBER("seed_bins", options->seed_bins),
        CLI_INTEGER("seed_points", options->seed_points),
    };
    cli_output_object(file, ",\n  \"options\": ", CLI_FACTS(facts));
}

static void write_iterations(FILE *file, const struct cli_clusters *clusters) {
    fputs(",\n  \"iterations\": [", file);
    for (size_t i = 0; i < clusters->found->iterations; i++) {
        const uh_mean_shift_iteration *one = &clusters->iteration[i];
        const struct cli_fact facts[] = {
            CLI_INTEGER("moved", one->moved), CLI_INTEGER("moving", one->moving), CLI_NUMBER("largest", one->largest),
            CLI_INTEGER("interactions", one->interactions), CLI_NUMBER("seconds", (double)one->total_ns / 1e9)};
        cli_output_object(file, i ? ",\n    " : "\n    ", CLI_FACTS(facts));
    }
    fputs("\n  ]", file);
}

static void write_clusters(FILE *file, const uh_clusters_properties *found) {
    fputs(",\n  \"clusters\": [", file);
    for (size_t i = 0; i < found->clusters && !ferror(file); i++) {
        fprintf(file, "%s\n    {\"count\": %" PRIu64 ", \"centroid\": ", i ? "," : "", found->counts[i]);
        cli_output_list(file, found->centroids + i * found->dims, found->dims);
        fputc('}', file);
    }
    fputs("\n  ]\n}\n", file);
}

void cli_clusters_json(FILE *file, const struct cli_clusters *clusters) {
    static const char *const ends[] = {"converged", "iterations", "stopped"};
    const uh_clusters_properties *found = clusters->found;
    const struct cli_fact facts[] = {
        CLI_TEXT("input", clusters->title),
        CLI_INTEGER("points", clusters->points->all),
        CLI_INTEGER("dims", found->dims),
        CLI_TEXT("dtype", uh_enum_name(UH_ENUM_DTYPE, found->dtype)),
        CLI_TRUTH("converged", found->end == UH_MEAN_SHIFT_CONVERGED),
        CLI_TEXT("end", ends[found->end]),
        CLI_INTEGER("moved", clusters->moved),
        CLI_TEXT("method", uh_enum_name(UH_ENUM_MEAN_SHIFT_METHOD, found->method)),
        CLI_TEXT("plan", clusters->found->plan),
        CLI_TEXT("device", clusters->device),
        CLI_INTEGER("interactions", found->interactions),
        CLI_NUMBER("kernel_seconds", (double)found->kernel_ns / 1e9),
        CLI_NUMBER("total_seconds", (double)found->total_ns / 1e9),
        CLI_NUMBER("seconds", clusters->seconds),
    };
    cli_output_facts(file, "{\n  ", ",\n  ", CLI_FACTS(facts));
    write_options(file, clusters);
    for (size_t a = 0; a < found->dims; a++) {
        fputs(a ? ", " : ",\n  \"columns\": [", file);
        cli_output_text(file, clusters->points->names[a]);
    }
    fputc(']', file);
    write_iterations(file, clusters);
    write_clusters(file, found);
}
