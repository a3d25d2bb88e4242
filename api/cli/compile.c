/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fmemopen, nftw, posix_spawn, realpath */
#include "api/cli/compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
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

/* Versions of clang, as in UnihistKernelTools.cmake. */
enum { LLVM_OLDEST = 14, LLVM_NEWEST = 40 };

enum {
    FOLDER = 1024,
    FOLDER_PATH = FOLDER + 64, /* of a file in it */
    WORDS = 40,                /* maximum of a command line */
    SHOWN = 20                 /* lines of a compiler's messages */
};

/* ---- a folder in $TMPDIR with all files that compilers read ------------------------------------------------------ */

struct folder {
    char path[FOLDER];
    char source[PATH_MAX]; /* path of the text, in the folder or the user's own file */
    const struct cli_text *text;
};

static int remove_one(const char *path, __attribute__((unused)) const struct stat *info,
                      __attribute__((unused)) int kind, __attribute__((unused)) struct FTW *where) {
    return remove(path);
}

/* Also raises any signal received since the folder was opened. */
static void close_folder(const struct folder *folder) {
    if (folder->path[0])
        nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    cli_interrupt_release(NULL, UH_SUCCESS);
}

/* Writes a file of the folder; `name` may contain folders. */
static int write_file(const struct folder *folder, const char *name, const char *bytes, size_t size) {
    char path[FOLDER_PATH];
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
static int find_file(struct folder *folder) {
    const char *name = folder->text->file;
    struct cli_stream stream;
    const int bad = cli_stream_open(&stream, name);
    cli_stream_close(&stream);
    if (bad)
        return -1;
    return realpath(name, folder->source) ? 0 : cli_fail("%s: is not a file: %s", name, strerror(errno));
}

/* Makes and fills the folder. Call close_folder in both cases. */
static int open_folder(struct folder *folder, const struct cli_text *text) {
    const char *base = getenv("TMPDIR");
    *folder = (struct folder){.text = text};
    cli_interrupt_hold(1);
    if (text->file && find_file(folder))
        return -1;
    const int length = snprintf(folder->path, FOLDER, "%s/unihist-XXXXXX", base && *base ? base : "/tmp");
    if (length >= FOLDER || !mkdtemp(folder->path)) {
        folder->path[0] = '\0';
        return cli_fail("cannot make a folder in '%.200s' to compile in: %s", base && *base ? base : "/tmp",
                        length >= FOLDER ? "its name is too long" : strerror(errno));
    }
    for (const struct cli_compile_file *file = cli_compile_files; file->path; file++)
        if (write_file(folder, file->path, file->begin, (size_t)(file->end - file->begin)))
            return -1;
    if (text->file)
        return 0;
    snprintf(folder->source, sizeof folder->source, "%s/expression.c", folder->path);
    return write_file(folder, "expression.c", text->text, strlen(text->text));
}

struct line {
    char *word[WORDS + 1]; /* in `room` */
    size_t n, used;        /* n > WORDS: too long */
    char room[4 * PATH_MAX];
};

/* Adds one word, formatted. */
__attribute__((format(printf, 2, 3))) static void add_word(struct line *line, const char *format, ...) {
    char *word = line->room + line->used;
    const size_t left = sizeof line->room - line->used;
    va_list arguments;
    va_start(arguments, format);
    const size_t length = (size_t)vsnprintf(word, left, format, arguments);
    va_end(arguments);
    if (line->n < WORDS)
        line->word[line->n] = word;
    line->n += length < left ? 1 : WORDS + 1;
    line->used += length < left ? length + 1 : 0;
}

static void add_words(struct line *line, const char *words) {
    for (size_t length; *(words += strspn(words, " \t")); words += length) {
        length = strcspn(words, " \t");
        add_word(line, "%.*s", (int)length, words);
    }
}

/* Prints the first lines of a compiler's output (or NULL), closes it, and stores the message that it failed. */
static int fail_compiler(const struct folder *folder, const char *compiler, FILE *said) {
    const char *file = folder->text->file;
    char line[1000];
    for (int i = 0; said && !cli_interrupt_cancels(NULL) && i < SHOWN && fgets(line, sizeof line, said); i++)
        fputs(line, stderr);
    if (said)
        fclose(said);
    return cli_fail("%.200s cannot compile %s%.200s%s", compiler, file ? "'" : "the ", file ? file : "expression",
                    file ? "'" : "");
}

/* Runs a program. Returns 0, 1 if there is no such program, or -1 with a message. */
static int run_program(const struct folder *folder, struct line *line) {
    char log[FOLDER_PATH];
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int status = 0;
    if (line->n > WORDS)
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
    return fail_compiler(folder, line->word[0], fopen(log, "re"));
}

/* Runs the compiler in $CC, which may have options after it, or the first usual one that exists. */
static int run_compiler(const struct folder *folder, const char *level) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *set = getenv("CC"), *named = set && *set ? set : NULL;
    int missing = 1;
    for (size_t i = 0; missing == 1 && i < (named ? 1 : sizeof usual / sizeof *usual); i++) {
        struct line line = {.n = 0};
        add_words(&line, named ? named : usual[i]);
        if (line.n == 0)
            break;
        add_words(&line, "-std=gnu11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC "
                         "-DUH_INTEGRAND_STATELESS -w -x c -o");
        add_word(&line, "%s/integrand.so", folder->path);
        add_word(&line, "-march=x86-64-%s", level);
        if (strcmp(level, "v4") == 0)
            add_word(&line, "-mprefer-vector-width=512");
        add_word(&line, "-I%s/api/include", folder->path);
        add_word(&line, "%s", folder->source);
        add_word(&line, "-lm");
        missing = run_program(folder, &line);
    }
    if (missing > 0 && named)
        return cli_fail("no C compiler: $CC is '%.200s', which was not found", named);
    if (missing > 0)
        return cli_fail("no C compiler: cc, gcc and clang are missing (package gcc)");
    return missing;
}

static const uh_integrand_host *load_integrand(const struct folder *folder, void **library) {
    char path[FOLDER_PATH];
    snprintf(path, sizeof path, "%s/integrand.so", folder->path);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const uh_integrand_host *integrand = *library ? dlsym(*library, "uh_integrand_here") : NULL;
    if (!integrand)
        cli_fail("%s: %.800s", folder->text->file ? folder->text->file : "expression",
                 *library ? "expected UH_INTEGRAND(function, dims, values, void) at its end" : dlerror());
    return integrand;
}

const uh_integrand_host *cli_compile_host(const struct cli_text *text, const char *level, void **library) {
    struct folder folder;
    *library = NULL;
    const uh_integrand_host *integrand =
        open_folder(&folder, text) || run_compiler(&folder, level) ? NULL : load_integrand(&folder, library);
    close_folder(&folder);
    return integrand;
}

static int is_in_path(const char *name) {
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at;) {
        const int length = (int)strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", length, at, name);
        if (access(path, X_OK) == 0)
            return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

/* Names the newest clang with a translator of its version, or those without one. Returns the missing tool, or NULL. */
static const char *choose_llvm(char clang[32], char translator[32]) {
    for (int version = LLVM_NEWEST; version >= LLVM_OLDEST; version--) {
        snprintf(clang, 32, "clang-%d", version);
        snprintf(translator, 32, "llvm-spirv-%d", version);
        if (is_in_path(clang) && is_in_path(translator))
            return NULL;
    }
    snprintf(clang, 32, "clang");
    snprintf(translator, 32, "llvm-spirv");
    return !is_in_path(clang)        ? "clang (package clang)"
           : !is_in_path(translator) ? "llvm-spirv (package llvm-spirv-NN for clang's version NN)"
                                     : NULL;
}

static int write_kernel(const struct folder *folder, int fp64) {
    char kernel[PATH_MAX + 200];
    const int length = snprintf(kernel, sizeof kernel, "%s#define UNIHIST_INTEGRAND \"%s\"\n#include \"%s\"\n",
                                fp64 ? "" : "#define UHI_FP32 1\n", folder->source, cli_compile_kernel);
    return write_file(folder, "integrand.cl", kernel, (size_t)length);
}

static int read_spirv(const struct folder *folder, uh_program *program) {
    char path[FOLDER_PATH];
    struct stat info;
    snprintf(path, sizeof path, "%s/integrand.spv", folder->path);
    FILE *file = fopen(path, "re");
    void *spirv = file && fstat(fileno(file), &info) == 0 ? malloc((size_t)info.st_size + 1) : NULL;
    const int bad = !spirv || fread(spirv, 1, (size_t)info.st_size, file) < (size_t)info.st_size;
    if (file)
        fclose(file);
    if (bad) {
        free(spirv);
        return cli_fail("cannot read the compiler's output '%s'", path);
    }
    *program = (uh_program){.name = "integrand", .spirv = spirv, .spirv_size = (size_t)info.st_size};
    return 0;
}

/* Options as in UnihistAddKernels.cmake and UnihistAddIntegrand.cmake. */
static int run_llvm(const struct folder *folder, int fp64, const char *clang, const char *translator,
                    uh_program *program) {
    struct line line = {.n = 0}, translation = {.n = 0};
    add_word(&line, "%s", clang);
    add_words(&line, "-x cl -cl-std=CL3.0 -target spir64 -O2 -Xclang -disable-llvm-passes -ffp-contract=off "
                     "-fgnu89-inline -w -emit-llvm -c -Xclang");
    add_word(&line, "-cl-ext=-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue%s",
             fp64 ? "" : ",-cl_khr_fp64,-__opencl_c_fp64");
    if (!fp64)
        add_word(&line, "-cl-single-precision-constant");
    add_word(&line, "-I%s", folder->path);
    add_word(&line, "-I%s/api/include", folder->path);
    add_word(&line, "-o%s/integrand.bc", folder->path);
    add_word(&line, "%s/integrand.cl", folder->path);
    add_word(&translation, "%s", translator);
    add_words(&translation, "--spirv-max-version=1.2 --spirv-fp-contract=off -o");
    add_word(&translation, "%s/integrand.spv", folder->path);
    add_word(&translation, "%s/integrand.bc", folder->path);
    return run_program(folder, &line) || run_program(folder, &translation) || read_spirv(folder, program) ? -1 : 0;
}

struct output {
    uint32_t n;
    uint8_t **data;
    uint64_t *size;
    char **name;
};

/* Intel's compiler as a library (ocloc_api.h): called like a program, with files in memory. */
struct ocloc {
    int (*invoke)(unsigned arguments, const char **argument, uint32_t sources, const uint8_t **source,
                  const uint64_t *source_size, const char **source_name, uint32_t headers, const uint8_t **header,
                  const uint64_t *header_size, const char **header_name, uint32_t *outputs, uint8_t ***output,
                  uint64_t **output_size, char ***output_name);
    int (*free_output)(uint32_t *outputs, uint8_t ***output, uint64_t **output_size, char ***output_name);
};

/* The library stays loaded because its LLVM does not unload cleanly. Returns whether it exists. */
static int load_ocloc(struct ocloc *ocloc) {
    void *library = dlopen("libocloc.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return 0;
    void *const invoke = dlsym(library, "oclocInvoke"), *const free_output = dlsym(library, "oclocFreeOutput");
    memcpy(&ocloc->invoke, &invoke, sizeof invoke);
    memcpy(&ocloc->free_output, &free_output, sizeof free_output);
    dlclose(library);
    return invoke && free_output;
}

/* Silences standard output: ocloc may print its own command line. */
static int invoke_silenced(const struct ocloc *ocloc, const char **argument, unsigned arguments, struct output *to) {
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept >= 0 && nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    const int failed = ocloc->invoke(arguments, argument, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, &to->n, &to->data,
                                     &to->size, &to->name);
    fflush(stdout);
    if (kept >= 0) {
        dup2(kept, STDOUT_FILENO);
        close(kept);
    }
    if (nowhere >= 0)
        close(nowhere);
    return failed;
}

/* Compiles as OpenCL C 1.2, since ocloc knows a device's options of 3.0 only from a driver. */
static int run_ocloc(const struct folder *folder, int fp64, const struct ocloc *ocloc, uh_program *program) {
    char file[FOLDER_PATH], options[2 * FOLDER + 100];
    const char *argument[] = {"ocloc", "compile", "-q",       "-spv_only", "-device", fp64 ? "pvc" : "tgllp",
                              "-file", file,      "-options", options};
    struct output output = {.n = 0};
    FILE *said = NULL;
    int result = -1;
    snprintf(file, sizeof file, "%s/integrand.cl", folder->path);
    snprintf(options, sizeof options, "-cl-std=CL1.2 -w %s-I %s -I %s/api/include",
             fp64 ? "" : "-cl-single-precision-constant ", folder->path, folder->path);
    const int failed = invoke_silenced(ocloc, argument, sizeof argument / sizeof *argument, &output);
    for (uint32_t i = 0; i < output.n; i++) {
        if (strstr(output.name[i], ".spv") && !failed && result) {
            void *copy = cli_have(malloc(output.size[i] + 1));
            *program = (uh_program){.name = "integrand",
                                    .spirv = memcpy(copy, output.data[i], output.size[i]),
                                    .spirv_size = output.size[i]};
            result = 0;
        }
        if (strcmp(output.name[i], "stdout.log") == 0 && !said && output.size[i])
            said = fmemopen(output.data[i], output.size[i], "r");
    }
    if (result)
        fail_compiler(folder, "libocloc.so", said);
    else if (said)
        fclose(said);
    ocloc->free_output(&output.n, &output.data, &output.size, &output.name);
    return result;
}

int cli_compile_device(const struct cli_text *text, int fp64, uh_program *program) {
    struct folder folder;
    struct ocloc ocloc;
    char clang[32], translator[32];
    const char *missing = choose_llvm(clang, translator);
    if (missing && !load_ocloc(&ocloc))
        return cli_fail("no OpenCL C compiler: %s is missing, and libocloc.so (package intel-opencl-icd)", missing);
    int result = open_folder(&folder, text) || write_kernel(&folder, fp64) ? -1 : 0;
    if (result == 0)
        result =
            missing ? run_ocloc(&folder, fp64, &ocloc, program) : run_llvm(&folder, fp64, clang, translator, program);
    close_folder(&folder);
    return result;
}
