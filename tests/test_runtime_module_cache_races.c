/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of built modules, used by several processes and threads at once, while its files are damaged. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "tests/support.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "runtime/module_cache.h"
#include "tests/module_cache_fixture.h"

enum {
    HAMMERS = 5,
    ROUNDS = 1500,
    KEYS = 3,
    STEP = 512 /* bytes written per round: a pipe of PIPE bytes holds few rounds */
};
#define PIPE 4096

UNIT_TEST(processes_that_hammer_the_same_keys_never_see_anything_wrong) {
    char mode[32];
    pid_t children[HAMMERS + 1];
    int ends[2];
    clear_folder();
    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, PIPE) >= PIPE);
    for (int i = 0; i <= HAMMERS; i++) {
        /* The last one damages files in place: one for as many rounds of the others as there are others. */
        snprintf(mode, sizeof mode, "%s %d", i < HAMMERS ? "hammer" : "damage", i);
        children[i] = fork();
        if (children[i] == 0) {
            dup2(ends[i < HAMMERS], STDIN_FILENO);
            close(ends[0]);
            close(ends[1]);
            execl(test_program, test_program, test_running, mode, (char *)NULL);
            _exit(127);
        }
        assert_true(children[i] > 0);
    }
    close(ends[0]);
    close(ends[1]);
    for (int i = 0; i <= HAMMERS; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < KEYS; i++) {
        keep_on_disk(i);
        assert_int_equal(find_on_disk(i), FOUND_RIGHT);
    }
    assert_int_equal(count_files(), KEYS);
}

static void *hammer_thread(void *argument) {
    uint64_t seed = (uint64_t)(uintptr_t)argument;
    for (int round = 0; round < 200; round++) {
        int number = (int)(test_random_u64(&seed) % KEYS);
        enum found found = find_anywhere(number, NULL);
        if (found == FOUND_WRONG)
            return "wrong";
        if (found == NOT_FOUND || test_random_u64(&seed) % 4 == 0)
            keep_anywhere(number);
    }
    return NULL;
}

UNIT_TEST(threads_that_hammer_the_same_keys_never_see_anything_wrong) {
    pthread_t threads[4];
    clear_folder();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer_thread, (void *)(uintptr_t)(i + 1)), 0);
    for (size_t i = 0; i < 4; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

static int hammer(uint64_t seed) {
    static const char step[STEP];
    size_t right = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (write(STDIN_FILENO, step, STEP) != STEP)
            return 3;
        int number = (int)(test_random_u64(&seed) % KEYS);
        enum found found = find_on_disk(number);
        if (found == FOUND_WRONG)
            return 1;
        right += found == FOUND_RIGHT;
        if (found == NOT_FOUND || test_random_u64(&seed) % 4 == 0)
            keep_on_disk(number);
    }
    return right > ROUNDS / 10 ? 0 : 2;
}

/* Waits until the others have started this many more rounds; returns 0 if they have ended. */
static int wait_for_rounds(int rounds) {
    char steps[STEP];
    ssize_t got = 1;
    for (ssize_t left = (ssize_t)rounds * STEP; left > 0 && got > 0; left -= got)
        got = read(STDIN_FILENO, steps, left < STEP ? (size_t)left : STEP);
    return got > 0;
}

/* Writes over files that others read and replace. */
static int damage(uint64_t seed) {
    while (wait_for_rounds(HAMMERS)) {
        int fd = open(file_of((int)(test_random_u64(&seed) % KEYS)), O_WRONLY);
        if (fd < 0)
            continue;
        if (test_random_u64(&seed) % 2)
            (void)!pwrite(fd, "damage", 6, (off_t)(test_random_u64(&seed) % 400));
        else
            (void)!ftruncate(fd, (off_t)(test_random_u64(&seed) % 400));
        close(fd);
    }
    return 0;
}

TEST_MAIN(test_runtime_module_cache_races) {
    char mode[32];
    int number = 0;
    if (argc == 2 && sscanf(argv[1], "%31s %d", mode, &number) == 2) {
        uhi_cache_is_on();
        return strcmp(mode, "hammer") == 0 ? hammer((uint64_t)number) : damage((uint64_t)number);
    }
    return test_run_units(make_cache_folder, remove_cache_folder);
}
