/* SPDX-License-Identifier: Apache-2.0 */
/* random_raw [--generator G] [--seed S] [--stream S] [--across-seeds N] [--across-streams N] u32|u64|f32|f64: writes
 * the library's random numbers to standard output without end, as raw words of 32 bits, for programs that judge
 * generators (dieharder -g 200). Of a float the bits that are random are written, one after the other: 24 of a float32,
 * 53 of a float64. With --across-seeds, number i is element i div N of seed S + i mod N; streams alike. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/random.h>

enum { BLOCK = 4096, MOST_ACROSS = 4096 };

enum kind { U32, U64, F32, F64, KINDS };
static const char *const kind_names[KINDS] = {"u32", "u64", "f32", "f64"};
static const uh_dtype dtypes[KINDS] = {UH_U32, UH_U64, UH_F32, UH_F64};
static const unsigned kind_bits[KINDS] = {32, 64, 24, 53};

struct source {
    uh_queue *queue;
    uh_generator generator;
    enum kind kind;
    uint64_t seed, stream;
    uint64_t seeds, streams; /* that are taken by turns */
};

static void check(uh_status status) {
    if (status != UH_SUCCESS) {
        fprintf(stderr, "random_raw: %s\n", uh_last_error());
        exit(1);
    }
}

/* Elements offset .. offset + BLOCK - 1 of one seed and stream, each in the low bits of an integer. */
static void make_numbers(const struct source *source, uint64_t seed, uint64_t stream, uint64_t offset, uint64_t *out) {
    static union {
        uint32_t u32[BLOCK];
        float f32[BLOCK];
        double f64[BLOCK];
    } made;
    void *to = source->kind == U64 ? (void *)out : &made;
    const uh_random_stream from = {source->generator, seed, stream, offset};
    check(uh_random(source->queue, &from, 0, dtypes[source->kind], to, BLOCK));
    if (source->kind == U64)
        return;
    for (size_t i = 0; i < BLOCK; i++)
        out[i] = source->kind == U32   ? made.u32[i]
                 : source->kind == F32 ? (uint64_t)(made.f32[i] * 0x1p24f)
                                       : (uint64_t)(made.f64[i] * 0x1p53);
}

/* Writes the low `bits` bits of each number; what is left of a word waits for the next call. */
static int write_bits(const uint64_t *numbers, size_t n, unsigned bits) {
    static uint32_t words[2 * BLOCK + 1];
    static uint64_t rest;
    static unsigned rest_bits; /* less than 32 */
    size_t filled = 0;
    for (size_t i = 0; i < n; i++) {
        for (unsigned done = 0; done < bits;) { /* pieces of up to 32 bits: with the rest they fit 64 */
            unsigned piece = bits - done < 32 ? bits - done : 32;
            rest |= (numbers[i] >> done & (((uint64_t)1 << piece) - 1)) << rest_bits;
            rest_bits += piece;
            done += piece;
            if (rest_bits >= 32) {
                words[filled++] = (uint32_t)rest;
                rest >>= 32;
                rest_bits -= 32;
            }
        }
    }
    return fwrite(words, sizeof *words, filled, stdout) == filled ? 0 : -1;
}

/* Until the reader has had enough. */
static void write_all(const struct source *source) {
    uint64_t across = source->seeds * source->streams;
    uint64_t *made = malloc(across * BLOCK * sizeof *made), *turns = malloc(BLOCK * sizeof *turns);
    int going = made && turns;
    for (uint64_t offset = 0; going; offset += BLOCK) {
        for (uint64_t k = 0; k < across; k++)
            make_numbers(source, source->seed + k % source->seeds, source->stream + k / source->seeds, offset,
                         made + k * BLOCK);
        for (uint64_t block = 0; going && block < across; block++) {
            for (uint64_t i = 0; i < BLOCK; i++) {
                uint64_t number = block * BLOCK + i;
                turns[i] = made[number % across * BLOCK + number / across];
            }
            going = write_bits(turns, BLOCK, kind_bits[source->kind]) == 0;
        }
    }
    free(turns);
    free(made);
}

/* Reads the command line; -1 where it is not one. */
static int read_arguments(int argc, char **argv, struct source *source) {
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--generator") == 0) {
            unsigned generator = source->generator;
            check(uh_enum_from_name(UH_ENUM_GENERATOR, value, &generator));
            source->generator = (uh_generator)generator;
        } else if (strcmp(argv[i], "--seed") == 0)
            source->seed = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--stream") == 0)
            source->stream = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--across-seeds") == 0)
            source->seeds = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--across-streams") == 0)
            source->streams = strtoull(value, NULL, 0);
        else
            return -1;
    }
    for (source->kind = U32; source->kind < KINDS && i + 1 == argc; source->kind++)
        if (strcmp(argv[i], kind_names[source->kind]) == 0)
            return source->seeds - 1 < MOST_ACROSS && source->streams - 1 < MOST_ACROSS / source->seeds ? 0 : -1;
    return -1;
}

int main(int argc, char **argv) {
    struct source source = {.seeds = 1, .streams = 1};
    uh_device *device;
    if (read_arguments(argc, argv, &source) != 0) {
        fprintf(stderr, "usage: random_raw [--generator G] [--seed S] [--stream S] [--across-seeds N] "
                        "[--across-streams N] u32|u64|f32|f64\n");
        return 2;
    }
    check(uh_device_select("host", &device));
    check(uh_queue_create(device, NULL, &source.queue));
    write_all(&source);
    uh_queue_destroy(source.queue);
    return 0;
}
