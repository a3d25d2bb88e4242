/* SPDX-License-Identifier: Apache-2.0 */
/* What files of the library are written and known by: whole files or none (runtime/atomic_file.h), and SHA-256. */
#define _GNU_SOURCE /* O_PATH */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "runtime/atomic_file.h"
#include "runtime/sha256.h"
#include "tests/files.h"

static struct uhi_atomic_file begin(const char *name) {
    struct uhi_atomic_file file;
    assert_int_equal(uhi_atomic_name(&file, files_path(name)), 0);
    assert_int_equal(uhi_atomic_create(&file), 0);
    return file;
}

UNIT_TEST(a_file_that_cannot_take_its_name_leaves_nothing) {
    struct uhi_atomic_file file = begin("taken");
    assert_int_equal(mkdir(files_path("taken"), 0700), 0);
    assert_int_equal(uhi_atomic_commit(&file, 0), -1);
    assert_string_equal(file.why, "Is a directory");
    assert_int_equal(files_in(files_directory, NULL, 0), 1);
    assert_int_equal(rmdir(files_path("taken")), 0);
}

/* A descriptor by which nothing can be written fails to be synchronized, and is closed well. */
UNIT_TEST(a_file_that_cannot_be_synchronized_does_not_appear) {
    struct uhi_atomic_file file = begin("unsafe");
    const int path = open(files_directory, O_PATH | O_CLOEXEC);
    assert_int_equal(dup2(path, file.fd), file.fd);
    assert_int_equal(close(path), 0);
    assert_int_equal(uhi_atomic_commit(&file, 1), -1);
    assert_int_equal(files_in(files_directory, NULL, 0), 0);
}

/* A pipe cannot be synchronized at all, as files on some file systems. */
UNIT_TEST(where_nothing_can_be_synchronized_a_file_appears_all_the_same) {
    struct uhi_atomic_file file = begin("whole");
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], file.fd), file.fd);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(uhi_atomic_commit(&file, 1), 0);
    assert_int_equal(files_in(files_directory, NULL, 0), 1);
    files_clear();
}

/* Nothing else locks it when its stream has closed it. */
UNIT_TEST(a_file_is_not_abandoned_before_it_has_its_name) {
    struct uhi_atomic_file file = begin("late");
    assert_int_equal(close(file.fd), 0);
    file.fd = -1;
    uhi_atomic_clean(&file);
    assert_int_equal(uhi_atomic_commit(&file, 0), 0);
    assert_int_equal(files_in(files_directory, NULL, 0), 1);
    files_clear();
}

enum { WORDS = 1 << 17 };
static uint32_t sent[WORDS];

struct writer {
    int fd, result;
};

static void *write_all(void *context) {
    struct writer *writer = context;
    writer->result = uhi_write_all(writer->fd, sent, sizeof sent);
    close(writer->fd);
    return NULL;
}

static void do_nothing(int number) {}

/* The writer is interrupted while the pipe is full: within a write of which a part is done, then in one of nothing. */
UNIT_TEST(a_write_that_is_interrupted_goes_on_where_it_was) {
    const struct sigaction interrupt = {.sa_handler = do_nothing};
    struct sigaction before;
    static uint32_t got[WORDS];
    int ends[2], waiting = 0;
    pthread_t thread;
    for (uint32_t i = 0; i < WORDS; i++)
        sent[i] = i;
    assert_int_equal(sigaction(SIGUSR1, &interrupt, &before), 0);
    assert_int_equal(pipe(ends), 0);
    const int room = fcntl(ends[1], F_GETPIPE_SZ);
    assert_true(room > 0 && (size_t)room < sizeof sent);
    struct writer writer = {.fd = ends[1], .result = -2};
    assert_int_equal(pthread_create(&thread, NULL, write_all, &writer), 0);
    while (ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting < room)
        sched_yield();
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(pthread_kill(thread, SIGUSR1), 0);
        sched_yield();
    }
    size_t size = 0;
    for (ssize_t n; (n = read(ends[0], (char *)got + size, sizeof got - size)) > 0; size += (size_t)n)
        ;
    close(ends[0]); /* a thread that has more to write gets an error */
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pthread_join(thread, NULL), 0);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    assert_int_equal(writer.result, 0);
    assert_int_equal(size, sizeof sent);
    assert_memory_equal(got, sent, sizeof sent);
}

static const struct {
    const char *message;
    size_t times; /* repetitions */
    const char *digest;
} known[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

UNIT_TEST(known_messages_have_their_published_digests) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t length = strlen(known[i].message), size = length * known[i].times;
        char *text = test_memory(size), hex[UHI_SHA256_HEX];
        unsigned char digest[UHI_SHA256_SIZE];
        for (size_t j = 0; j < known[i].times; j++)
            memcpy(text + j * length, known[i].message, length);
        uhi_sha256_of(text, size, digest);
        uhi_sha256_hex(digest, hex);
        assert_string_equal(hex, known[i].digest);
    }
}

TEST_AROUND(test_runtime_files, files_setup, files_teardown)
