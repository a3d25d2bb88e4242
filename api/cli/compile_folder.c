/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* nftw, posix_spawn, realpath */
#include "api/cli/compile_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/cli/input/kind.h"
#include "api/cli/interrupt.h"

enum { SHOWN = 20 }; /* lines of a compiler's messages */

/* ---- folder ------------------------------------------------------------------------------------------------------ */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void cli_folder_close(const struct cli_folder *folder) {
    if (folder->path[0])
        nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cli_interrupt_release(NULL, UH_SUCCESS);
}

int cli_folder_write(const struct cli_folder *folder, const char *name, const char *bytes, size_t size) {
    char path[CLI_FOLDER_PATH];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    for (char *slash = path + strlen(folder->path) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return cli_fail("cannot make '%s': %s", path, strerror(errno));
    }
    FILE *file = fopen(path, "wxe");
    const int bad = !file || fwrite(bytes, 1, size, file) < size;
    if ((file && fclose(file)) || bad)
        return cli_fail("cannot write '%s': %s", path, strerror(errno));
    return 0;
}

/* The user's file stays in its place because it may include files next to it. */
static int find_file(struct cli_folder *folder) {
    const char *name = folder->text->file;
    struct cli_stream stream;
    const int bad = cli_stream_open(&stream, name, 0);
    cli_stream_close(&stream);
    if (bad)
        return -1;
    return realpath(name, folder->source) ? 0 : cli_fail("%s: is not a file: %s", name, strerror(errno));
}

int cli_folder_open(struct cli_folder *folder, const struct cli_text *text) {
    const char *base = getenv("TMPDIR");
    *folder = (struct cli_folder){.text = text};
    cli_interrupt_hold_every();
    if (text->file && find_file(folder))
        return -1;
    const int length = snprintf(folder->path, CLI_FOLDER, "%s/unihist-XXXXXX", base && *base ? base : "/tmp");
    if (length >= CLI_FOLDER || !mkdtemp(folder->path)) {
        folder->path[0] = '\0';
        return cli_fail("cannot make a folder in '%.200s' to compile in: %s", base && *base ? base : "/tmp",
                        length >= CLI_FOLDER ? "its name is too long" : strerror(errno));
    }
    for (const struct cli_compile_file *file = cli_compile_files; file->path; file++)
        if (cli_folder_write(folder, file->path, file->begin, (size_t)(file->end - file->begin)))
            return -1;
    if (text->file)
        return 0;
    snprintf(folder->source, sizeof folder->source, "%s/expression.c", folder->path);
    return cli_folder_write(folder, "expression.c", text->text, strlen(text->text));
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

void cli_line_add(struct cli_line *line, const char *format, ...) {
    char *word = line->room + line->used;
    const size_t left = sizeof line->room - line->used;
    va_list arguments;
    va_start(arguments, format);
    const size_t length = (size_t)vsnprintf(word, left, format, arguments);
    va_end(arguments);
    if (line->n < CLI_LINE_WORDS)
        line->word[line->n] = word;
    line->n += length < left ? 1 : CLI_LINE_WORDS + 1;
    line->used += length < left ? length + 1 : 0;
}

void cli_line_add_words(struct cli_line *line, const char *words) {
    for (size_t length; *(words += strspn(words, " \t")); words += length) {
        length = strcspn(words, " \t");
        cli_line_add(line, "%.*s", (int)length, words);
    }
}

int cli_folder_fail(const struct cli_folder *folder, const char *compiler, FILE *said) {
    const char *file = folder->text->file;
    char line[1000];
    for (int i = 0; said && !cli_interrupt_cancels(NULL) && i < SHOWN && fgets(line, sizeof line, said); i++)
        fputs(line, stderr);
    if (said)
        fclose(said);
    return cli_fail("%.200s cannot compile %s%.200s%s", compiler, file ? "'" : "the ", file ? file : "expression",
                    file ? "'" : "");
}

int cli_folder_run(const struct cli_folder *folder, struct cli_line *line) {
    char log[CLI_FOLDER_PATH];
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0;
    if (line->n > CLI_LINE_WORDS)
        return cli_fail("cannot run '%.200s': it has too many options", line->word[0]);
    line->word[line->n] = NULL;
    snprintf(log, sizeof log, "%s/log", folder->path);
    if (posix_spawn_file_actions_init(&actions))
        return cli_fail("out of memory");
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int why =
        cli_interrupt_cancels(NULL) ? EINTR : posix_spawnp(&pid, line->word[0], &actions, NULL, line->word, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (why)
        return why == ENOENT ? 1 : cli_fail("cannot run '%.200s': %s", line->word[0], strerror(why));
    cli_interrupt_child(pid);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    cli_interrupt_child(0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return cli_folder_fail(folder, line->word[0], fopen(log, "re"));
}
