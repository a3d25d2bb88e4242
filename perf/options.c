/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/options.h"

#include "perf/bench.h"
#include "tests/cases_histogram.h"

enum kind { FLAG, NUMBER, NUMBERS, WORDS, TEXT, NAMES };

struct option {
    const char *name;
    enum kind kind;
    size_t at;                           /* of what it sets in the options */
    const char *(*word)(unsigned index); /* of WORDS: the word of a bit; "" for none, NULL at the end */
};

static const char *method_word(unsigned index) { return uh_enum_name(UH_ENUM_METHOD, index); }

#define FIELD(member) offsetof(struct perf_options, member)

static const struct option table[] = {
    {"k", NUMBERS, FIELD(k), NULL},
    {"bins", WORDS, FIELD(bins), case_bins_name},
    {"h", NUMBERS, FIELD(h), NULL},
    {"data", WORDS, FIELD(data), case_data_name},
    {"dtype", WORDS, FIELD(dtypes), perf_dtype_word},
    {"methods", WORDS, FIELD(methods), method_word},
    {"calls", FLAG, FIELD(calls), NULL},
    {"plan", FLAG, FIELD(plan), NULL},
    {"jobs", WORDS, FIELD(jobs), perf_job_word},
    {"batch", NUMBER, FIELD(batch), NULL},
    {"operations", WORDS, FIELD(operations), perf_tune_operation},
    {"device", TEXT, FIELD(device), NULL},
    {"equal-integers", FLAG, FIELD(equal_integers), NULL},
    {"n", NUMBERS, FIELD(n), NULL},
    {"threads", NUMBERS, FIELD(threads), NULL},
    {"peer-folder", TEXT, FIELD(peers.folder), NULL},
    {"own-peers", FLAG, FIELD(peers.own), NULL},
    {"peers", NAMES, FIELD(peers), NULL},
    {"peer-timeout", NUMBER, FIELD(peers.timeout), NULL},
    {"goals", FLAG, FIELD(goals), NULL},
    {"min-time", NUMBER, FIELD(min_time), NULL},
    {"list", FLAG, FIELD(list), NULL},
    {"pulls", FLAG, FIELD(pulls), NULL},
    {"set", WORDS, FIELD(parts), perf_pulls_part},
    {"variants", WORDS, FIELD(variants), perf_pulls_variant},
    {"dims", NUMBERS, FIELD(dims), NULL},
    {"seeds", NUMBER, FIELD(seeds), NULL},
    {"tau", NUMBER, FIELD(tau), NULL},
};

/* The bit of a word, all bits for "all", 0 for another word. */
static unsigned bits_of(const struct option *row, const char *word) {
    unsigned bits = 0;
    for (unsigned i = 0; row->word(i); i++)
        bits |= *row->word(i) && (strcmp(word, "all") == 0 || strcmp(word, row->word(i)) == 0) ? 1U << i : 0;
    return bits;
}

static int take_list(const struct option *row, void *field, char *list) {
    struct perf_numbers *numbers = field;
    struct perf_peer_options *peers = field;
    char *rest = NULL;
    size_t count = 0;
    if (row->kind == NUMBERS)
        numbers->count = 0;
    else if (row->kind == WORDS)
        *(unsigned *)field = 0;
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (count++ == PERF_LIST_MAX || (row->kind == WORDS && !bits_of(row, word)))
            return 0;
        if (row->kind == WORDS)
            *(unsigned *)field |= bits_of(row, word);
        else if (row->kind == NUMBERS)
            numbers->value[numbers->count++] = strtod(word, NULL);
        else if (strcmp(word, "all") == 0)
            peers->all = 1;
        else
            snprintf(peers->name[peers->count++], PERF_PEER_NAME_MAX, "%s", word);
    }
    return 1;
}

/* Returns 0 for an option that is not known, or a value that it does not have. */
static int take(struct perf_options *options, const char *name, char *value) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct option *row = &table[i];
        void *field = (char *)options + row->at;
        if (strcmp(row->name, name) != 0)
            continue;
        switch (row->kind) {
        case FLAG: *(int *)field = 1; return 1;
        case NUMBER: *(double *)field = strtod(value, NULL); return 1;
        case TEXT: *(const char **)field = value; return 1;
        default: return take_list(row, field, value);
        }
    }
    return 0;
}

void perf_options_read(struct perf_options *options, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals)
            *equals = '\0';
        if (!take(options, argv[i], equals ? equals + 1 : argv[i]))
            perf_usage("--%s has '%s', which is not known", argv[i], equals ? equals + 1 : "");
    }
    options->measured = options->calls ? PERF_CALLS : options->plan ? PERF_PLAN : PERF_FILL;
}
