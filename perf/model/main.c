/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the questions of unihist_model.py, a line of standard input each, by a line of JSON:
 *
 *     case FOLDER DEVICE OPERATION TYPE BINS DATA K H METHOD    FOLDER has isa-DEVICE.txt; METHOD as the library's
 *     banks load|atomic ADDRESS...                              cycles of local memory for a message */
#include "perf/model/banks.h"
#include "perf/model/bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 10 };

static int read_case(char **word, struct model_case *of, struct perf_error *error) {
    unsigned type, method;
    char *k_end, *h_end;
    *of = (struct model_case){.k = (size_t)strtoull(word[7], &k_end, 10), .h = strtod(word[8], &h_end)};
    if (model_operation_find(word[3], &of->operation) || uh_enum_from_name(UH_ENUM_DTYPE, word[4], &type) ||
        case_bins_from_name(word[5], &of->bins) || case_data_from_name(word[6], &of->data) || *k_end || *h_end ||
        uh_enum_from_name(UH_ENUM_METHOD, word[9], &method))
        return perf_fail(error, "%s %s %s %s %s %s %s is no case", word[3], word[4], word[5], word[6], word[7], word[8],
                         word[9]);
    of->type = (uh_dtype)type;
    of->method = (uh_method)method;
    return PERF_OK;
}

static void print_prediction(const struct model_device *device, const struct model_figures *figures,
                             const struct model_prediction *p) {
    printf("{\"what\": \"%s\", \"compiler\": \"%s\", \"kernel\": \"%s\", \"where\": \"%s\", \"copies\": %u, ",
           device->what, figures->compiler, p->launch.kernel, p->launch.where, p->launch.copies);
    printf("\"groups\": %u, \"threads\": %u, \"slots\": %.17g, \"messages\": %.17g, \"cycles\": %.17g, \"rates\": {",
           p->groups, p->threads, p->slots, p->local_messages, p->local_cycles);
    for (int i = 0; i < MODEL_BOUNDS; i++)
        printf(isinf(p->rate[i]) ? "%s\"%s\": null" : "%s\"%s\": %.17g", i ? ", " : "", model_bound_names[i],
               p->rate[i]);
    printf("}, \"binds\": \"%s\"}\n", model_bound_names[p->binds]);
}

static int answer_case(char **word, struct perf_error *error) {
    const struct model_device *device = model_device_find(word[2]);
    struct model_figures figures = {.count = 0};
    struct model_prediction prediction;
    struct model_case of;
    int status = device ? read_case(word, &of, error) : perf_fail(error, "there is no device %s", word[2]);
    if (status == PERF_OK)
        status = model_figures_of(&figures, word[1], device->code, error);
    if (status == PERF_OK)
        status = model_predict(device, &figures, &of, &prediction, error);
    if (status == PERF_OK)
        print_prediction(device, &figures, &prediction);
    model_figures_free(&figures);
    return status;
}

/* All devices have as many banks. */
static int answer_banks(char **word, size_t count, struct perf_error *error) {
    const int atomic = count > 1 && strcmp(word[1], "atomic") == 0, load = count > 1 && strcmp(word[1], "load") == 0;
    uint32_t address[MODEL_LANES];
    for (size_t i = 2; i < count; i++) {
        char *end;
        const unsigned long value = strtoul(word[i], &end, 10);
        if (i - 2 == MODEL_LANES || *end || value % 4 || value > UINT32_MAX)
            count = 0;
        else
            address[i - 2] = (uint32_t)value;
    }
    if (count < 3 || !(atomic || load))
        return perf_fail(error, "expected load or atomic, then 1 to %d multiples of 4: the addresses of lanes",
                         MODEL_LANES);
    printf("%u\n", model_bank_cycles(address, count - 2, 1, atomic, model_device_at(0)->banks));
    return PERF_OK;
}

static int answer(char *line, struct perf_error *error) {
    char *word[MODEL_LANES + 3], *rest = NULL;
    size_t count = 0;
    for (char *at = strtok_r(line, " \n", &rest); at && count < sizeof word / sizeof *word;
         at = strtok_r(NULL, " \n", &rest))
        word[count++] = at;
    if (count == WORDS && strcmp(word[0], "case") == 0)
        return answer_case(word, error);
    if (count > 0 && strcmp(word[0], "banks") == 0)
        return answer_banks(word, count, error);
    return perf_fail(error, "expected case or banks");
}

int main(void) {
    static char line[8192];
    struct perf_error error = {""};
    int status = PERF_OK;
    for (size_t number = 1; status == PERF_OK && fgets(line, sizeof line, stdin); number++) {
        status = answer(line, &error);
        if (status != PERF_OK)
            fprintf(stderr, "unihist-model: question %zu: %s\n", number, error.text);
    }
    return status;
}
