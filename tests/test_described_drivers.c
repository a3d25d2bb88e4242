/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of descriptions find what they are there for: each is given an operation with a planted fault, and must
 * name it. On the driver of tests/soft_gpu. */
#include "tests/support.h"

#include "tests/fault_run.h"

enum { SIZE = 1000 };

/* An operation that copies bytes, and what is wrong with it. */
static enum planted {
    NOTHING,
    WRONG_RESULT,      /* the oracle expects another byte */
    WRITES_OUTSIDE,    /* one byte after the output */
    WRITES_ON_FAILURE, /* although it then fails */
    HIDES_FAILURES,    /* and gives no result */
    WRONG_STATUS,
    WRONG_MESSAGE,
    WRONG_CALL,
    LEAKS,
    STAYS_BROKEN, /* once a call has failed */
    COMPARES_NOTHING,
    NEEDS_FLOAT64, /* and does not say so */
} planted;

static uh_device *device;
static int broken;
static void *leaked[64];
static size_t nleaked;

static int describe(size_t number, struct tried *tried) {
    tried->exact = tried->in_faults = SIZE;
    tried->fp64 = planted == NEEDS_FLOAT64;
    return number < 2 ? 0 : -1;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    unsigned char *bytes = malloc(SIZE);
    for (size_t i = 0; bytes && i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 7 + seed);
    return bytes;
}

static uh_status copy(struct use *use, void *out, const void *in) {
    if (planted == STAYS_BROKEN && broken)
        return UH_ERROR_DRIVER;
    static unsigned char landed[SIZE + 1]; /* a copy may go on where the wait for it has failed */
    uh_status status = uh_memcpy(use->queue, landed, in, SIZE, NULL);
    if (!status)
        status = uh_queue_wait(use->queue);
    if (!status)
        memcpy(out, landed, SIZE + (planted == WRITES_OUTSIDE));
    if (status && planted == WRITES_ON_FAILURE)
        memset(out, 1, SIZE);
    if (status && planted == LEAKS && nleaked < 64)
        (void)uh_malloc(use->device, UH_MEMORY_HOST, 1, 0, &leaked[nleaked++]);
    if (status && planted == WRONG_MESSAGE)
        (void)uh_device_select("no such device", &device);
    broken |= status != UH_SUCCESS;
    return planted == HIDES_FAILURES ? UH_SUCCESS : status && planted == WRONG_STATUS ? UH_ERROR_IO : status;
}

static void run(struct use *use, const void *made) {
    if (planted == COMPARES_NOTHING)
        return;
    unsigned char *expected = use_scratch(use, SIZE);
    const void *in = use_input(use, made, SIZE);
    void *out = use_output_plain(use, SIZE, 1);
    if (!in || !out)
        return;
    memcpy(expected, made, SIZE);
    expected[SIZE / 2] = (unsigned char)(expected[SIZE / 2] + (planted == WRONG_RESULT));
    (void)use_written(use, planted == WRONG_CALL ? "uh_free" : "copy", copy(use, out, in), out, expected, USE_WHOLE);
}

static const struct description copying = {"copying", describe, make, run, free};

static int try_result(enum planted fault, char *problem, size_t size) {
    struct use use = {.device = device, .computes = 1};
    planted = fault;
    assert_int_equal(uh_queue_create(device, NULL, &use.queue), UH_SUCCESS);
    const int result = use_try(&use, &copying, 0, SIZE, 1, 0, problem, size);
    uh_queue_destroy(use.queue);
    return result;
}

UNIT_TEST(wrong_results_are_found) {
    static const struct {
        enum planted fault;
        const char *says;
    } rows[] = {{WRONG_RESULT, "byte 500 of 1000"},
                {WRITES_OUTSIDE, "wrote outside"},
                {COMPARES_NOTHING, "compared nothing"},
                {NEEDS_FLOAT64, "not refused"}};
    char problem[1024];
    if (try_result(NOTHING, problem, sizeof problem))
        fail_msg("%s", problem);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(try_result(rows[i].fault, problem, sizeof problem), -1);
        if (!strstr(problem, rows[i].says))
            fail_msg("planted %d: %s", (int)rows[i].fault, problem);
    }
}

static void use_copying(const void *context, struct outcome *outcome) {
    const void *const *inputs = context;
    struct use use = {.device = device, .computes = 1};
    if (use_call(&use, "uh_queue_create", uh_queue_create(device, NULL, &use.queue)))
        for (size_t i = 0; i < 2; i++)
            use_run(&use, &copying, inputs[i]);
    uh_queue_destroy(use.queue);
    *outcome = use.outcome;
}

UNIT_TEST(faults_in_handling_failures_are_found) {
    static const struct {
        enum planted fault;
        const char *says;
    } rows[] = {{WRONG_RESULT, "without a fault"},
                {WRITES_ON_FAILURE, "failed and wrote"},
                {HIDES_FAILURES, "byte "},
                {WRONG_STATUS, "UH_ERROR_IO"},
                {WRONG_MESSAGE, "message \"uh_device_select"},
                {LEAKS, "handles are alive"},
                {WRONG_CALL, "uh_free gives"},
                {STAYS_BROKEN, "next use fails"}};
    void *inputs[2] = {make(0, SIZE, 1), make(1, SIZE, 2)};
    const struct fault_run fault_run = {.use = use_copying, .context = inputs, .step = 1, .next = 1};
    struct fault_report report;
    planted = NOTHING;
    if (fault_every_call(&fault_run, &report))
        fail_msg("%s", report.problem);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        planted = rows[i].fault;
        broken = 0;
        assert_int_equal(fault_every_call(&fault_run, &report), -1);
        if (!strstr(report.problem, rows[i].says))
            fail_msg("planted %d: %s", (int)planted, report.problem);
        while (nleaked > 0)
            assert_int_equal(uh_free(leaked[--nleaked]), UH_SUCCESS);
    }
    free(inputs[0]);
    free(inputs[1]);
}

TEST_MAIN(test_described_drivers) {
    if (fault_find() || uh_device_select("level_zero", &device))
        return 77;
    return test_run_units(NULL, NULL);
}
