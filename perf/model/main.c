/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions of unihist_model.py, a line each: FIGURES DEVICE... OPERATION TYPE BINS DATA K H METHOD, by one
 * line of JSON. FIGURES is isa-NAME.txt, which has the kernels' lanes; DEVICE... are the numbers of struct
 * model_device. */
#include "perf/model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 5, DEVICE_WORDS = 10, WORDS = 1 + DEVICE_WORDS + 7 };

static const struct model_operation *const operations[OPERATIONS] = {&model_histogram, &model_pair, &model_sum,
                                                                     &model_integers, &model_draw};

static struct model_device read_device(char **word) {
    uint64_t number[DEVICE_WORDS];
    for (int i = 0; i < DEVICE_WORDS; i++)
        number[i] = strtoull(word[i], NULL, 10);
    return (struct model_device){(uint32_t)number[0], (uint32_t)number[1], (uint32_t)number[2], (uint32_t)number[3],
                                 (uint32_t)number[4], (uint32_t)number[5], (uint32_t)number[6], (uint32_t)number[7],
                                 number[8],           (int)number[9]};
}

static const struct model_operation *operation_of(const char *name) {
    for (size_t i = 0; i < OPERATIONS; i++)
        if (strcmp(operations[i]->name, name) == 0)
            return operations[i];
    return NULL;
}

static void read_case(char **word, struct model_case *of) {
    const int bins = case_bins_named(word[2]), data = case_data_named(word[3]);
    unsigned type, method;
    char *k_end, *h_end;
    *of = (struct model_case){.k = (size_t)strtoull(word[4], &k_end, 10), .h = strtod(word[5], &h_end)};
    if (!operation_of(word[0]) || uh_enum_from_name(UH_ENUM_DTYPE, word[1], &type) || bins < 0 || data < 0 || *k_end ||
        *h_end || uh_enum_from_name(UH_ENUM_METHOD, word[6], &method))
        perf_fail("%s %s %s %s %s %s %s is no case", word[0], word[1], word[2], word[3], word[4], word[5], word[6]);
    of->bins = (enum case_bins)bins;
    of->data = (enum case_data)data;
    of->type = (uh_dtype)type;
    of->method = (uh_method)method;
}

/* Lanes of a kernel's sub-groups, 0 if the file does not have it. */
static uint32_t read_lanes(const char *path, const char *kernel) {
    FILE *file = fopen(path, "r");
    char name[64];
    unsigned lanes = 0, found = 0;
    while (file && !found && fscanf(file, "%63s", name) == 1) {
        char number[16] = "";
        if (fscanf(file, "%15s%*[^\n]", number) == 1 && strcmp(name, kernel) == 0)
            lanes = (unsigned)strtoul(number, NULL, 10);
        found = lanes <= MODEL_LANES ? lanes : 0;
    }
    if (file)
        fclose(file);
    return found;
}

static void print_simulation(const struct model_launch *launch, uint32_t value_bytes, const struct model_sums *sums) {
    printf("{\"kernel\": \"%s\", \"additions\": \"%s\", \"where\": \"%s\", \"copies\": %u, \"group_size\": %zu, "
           "\"groups\": %zu, \"local_bytes\": %u, \"width\": %u, \"read\": %u, \"written\": %u, ",
           launch->kernel, launch->additions, launch->where, launch->copies, launch->group_size, launch->groups,
           launch->local_bytes, launch->width, launch->arrays * value_bytes, launch->written);
    printf("\"points\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"atomics\": %" PRIu64 ", \"local_messages\": %" PRIu64
           ", \"local_cycles\": %" PRIu64 ", \"lines\": %" PRIu64 ", \"atomic_cycles\": %" PRIu64 "}\n",
           sums->points, sums->messages, sums->atomics, sums->local_messages, sums->local_cycles, sums->lines,
           sums->atomic_cycles);
}

/* Simulates all points, and compares each with the right result. */
static void answer_case(char **word) {
    const struct model_device device = read_device(word + 1);
    struct model_launch launch = {.copies = 1};
    struct model_sums sums = {.points = 0};
    struct model_case of;
    read_case(word + 1 + DEVICE_WORDS, &of);
    const struct model_operation *operation = operation_of(word[1 + DEVICE_WORDS]);
    void *work = operation->open(&device, &of, &launch);
    const struct model_walk walk = {.device = &device,
                                    .launch = &launch,
                                    .lanes = read_lanes(word[0], launch.kernel),
                                    .value_bytes = (uint32_t)uh_dtype_size(of.type),
                                    .operation = operation,
                                    .work = work};
    if (!walk.lanes)
        perf_fail("there are no figures of %s", launch.kernel);
    model_simulate(&walk, &sums);
    operation->check(work);
    print_simulation(&launch, walk.value_bytes, &sums);
    operation->close(work);
    free(work);
}

static void answer(char *line) {
    char *word[WORDS + 1], *rest = NULL;
    size_t count = 0;
    for (char *at = strtok_r(line, " \n", &rest); at && count <= WORDS; at = strtok_r(NULL, " \n", &rest))
        word[count++] = at;
    if (count != WORDS)
        perf_fail("a question has %zu words, expected %d", count, WORDS);
    answer_case(word);
}

int main(void) {
    static char line[8192], name[64];
    perf_program = name;
    for (size_t number = 1; fgets(line, sizeof line, stdin); number++) {
        snprintf(name, sizeof name, "unihist-model: question %zu", number);
        answer(line);
    }
    return 0;
}
