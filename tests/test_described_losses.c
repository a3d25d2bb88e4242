/* SPDX-License-Identifier: Apache-2.0 */
/* One of several devices that share the work is lost in the middle of it: the others do what it has not, with the
 * oracle's results, and the queue and later ones work on without it. Devices of the soft driver's, each in turn, the
 * lead too. "test_described_losses OPERATION" tries that one, without an argument all. */
#include "tests/tested.h"

#include "runtime/backend.h"
#include "runtime/ze.h"
#include "tests/described.h"

enum { MAX_PARTS = 8 };

static struct soft_gpu gpu;
static uh_device *parts[MAX_PARTS];
static size_t nparts;

/* The devices are there again, and the library knows it. */
static void recover(void) {
    gpu.recover();
    for (size_t i = 0; i < nparts; i++)
        atomic_store(&uhi_ze_device(parts[i])->lost, 0);
}

static size_t count_lost(void) {
    size_t lost = 0;
    for (size_t i = 0; i < nparts; i++)
        lost += uhi_device_is_lost(parts[i]) ? 1 : 0;
    return lost;
}

/* What is used again and again: a case, and whether its work is divided; what is not is the lead's. */
struct used {
    const struct description *description;
    size_t number, n;
    int is_divided;
};

/* A use in plain memory, which no device takes with it; it works, but where the lead may be lost under what is its own.
 */
static void use_once(uh_queue *queue, const struct used *used, int may_fail, const char *what) {
    struct use use = {.device = tested.device, .queue = queue, .place = PLACE_PLAIN, .computes = 1};
    char problem[1024];
    const int failed =
        use_try(&use, used->description, used->number, used->n, used->number + 1, 1, problem, sizeof problem);
    if (failed && !(may_fail && use.outcome.status == UH_ERROR_DEVICE_LOST && !use.outcome.wrong[0]))
        fail_msg("case %zu, %s: %s", used->number, what, problem);
}

static uh_queue_share share_of(const uh_queue *queue, size_t part) {
    uh_queue_share share = {.struct_size = sizeof share};
    test_good(uh_queue_get_share(queue, part, &share));
    return share;
}

/* The loss of a part is reported, and that the others have gone on. */
static void judge_shares(const uh_queue *queue, size_t lost, uint64_t before) {
    uint64_t others = 0;
    for (size_t i = 0; i < nparts; i++) {
        const uh_queue_share share = share_of(queue, i);
        assert_ptr_equal(share.device, parts[i]);
        assert_int_equal(share.status, i == lost ? UH_ERROR_DEVICE_LOST : UH_SUCCESS);
        assert_int_equal(share.failures, i == lost ? 1 : 0);
        others += i == lost ? 0 : share.elements;
    }
    assert_true(others > before);
}

static uint64_t elements_of(const uh_queue *queue) {
    uint64_t all = 0;
    for (size_t i = 0; i < nparts; i++)
        all += share_of(queue, i).elements;
    return all;
}

/* Loses a part between two uses, and has the library know of it or not. */
static void lose_now(size_t lost, int is_known) {
    void *memory = NULL;
    assert_int_equal(gpu.lose_one((uint32_t)lost, 0), 0);
    if (is_known)
        assert_int_equal(uh_malloc(parts[lost], UH_MEMORY_DEVICE, 16, 0, &memory), UH_ERROR_DEVICE_LOST);
}

/* Loses a part at the n-th call about it in a use; then uses the queue again, and a new one. Returns whether it was
 * lost in the first use. */
static int try_loss(const struct used *used, size_t lost, uint64_t at) {
    char what[64];
    uh_queue *queue = test_queue_of(tested.device, NULL);
    snprintf(what, sizeof what, "device %zu lost at call %u", lost, (unsigned)at);
    assert_int_equal(gpu.lose_one((uint32_t)lost, at), 0);
    use_once(queue, used, lost == 0 && !used->is_divided, what);
    const int in_time = count_lost() == 1;
    const uint64_t done = elements_of(queue);
    lose_now(lost, at % 2 == 0);
    use_once(queue, used, lost == 0 && !used->is_divided, "the queue's next use");
    test_good(uh_queue_wait(queue));
    if (count_lost() == 1 && done > 0)
        judge_shares(queue, lost, 0);
    uh_queue_destroy(queue);
    queue = test_queue_of(tested.device, NULL);
    use_once(queue, used, 0, "a new queue's use");
    test_good(uh_queue_wait(queue));
    uh_queue_destroy(queue);
    recover();
    return in_time;
}

static void the_others_do_what_a_lost_device_has_not(void **state) {
    static const uint64_t at[] = {1, 4, 9, 20, 45, 60};
    const struct description *description = *state;
    struct tried tried;
    size_t tries = 0, in_time = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++) {
        if (!tried.in_faults)
            continue;
        struct used used = {description, i, tried.in_faults, 0};
        recover();
        uh_queue *queue = test_queue_of(tested.device, NULL);
        use_once(queue, &used, 0, "nothing lost");
        used.is_divided = elements_of(queue) > 0;
        uh_queue_destroy(queue);
        for (size_t a = 0; a < sizeof at / sizeof *at; a++, tries += 2) /* each part, and the lead, late too */
            in_time += (size_t)try_loss(&used, (i + a) % nparts, at[a]) + (size_t)try_loss(&used, 0, at[a]);
    }
    printf("%s: %zu tries, the device was lost in the middle of %zu\n", description->name, tries, in_time);
    assert_true(in_time > 0);
}

TEST_MAIN(test_described_losses) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_others_do_what_a_lost_device_has_not)};
    const int why = tested_begin();
    if (why || soft_gpu_find(&gpu))
        return why ? why : 77;
    if (uh_device_parts(tested.device, parts, MAX_PARTS, &nparts) || nparts < 2)
        return tested_end(1);
    return tested_end(described_run(tests, sizeof tests / sizeof *tests, described_operation(argc, argv)));
}
