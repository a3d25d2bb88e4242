/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fmemopen */
#include "api/cli/compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/compile_folder.h"

/* Versions of clang, as in UnihistKernelTools.cmake. */
enum { LLVM_OLDEST = 14, LLVM_NEWEST = 40 };

/* ---- host -------------------------------------------------------------------------------------------------------- */

/* Runs the compiler in $CC, which may have options after it, or the first usual one that exists. */
static int run_compiler(const struct cli_folder *folder, const char *level) {
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *set = getenv("CC"), *named = set && *set ? set : NULL;
    int missing = 1;
    for (size_t i = 0; missing == 1 && i < (named ? 1 : sizeof usual / sizeof *usual); i++) {
        struct cli_line line = {.n = 0};
        cli_line_add_words(&line, named ? named : usual[i]);
        if (line.n == 0)
            break;
        cli_line_add_words(&line, "-std=gnu11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC "
                                  "-DUH_INTEGRAND_STATELESS -w -x c -o");
        cli_line_add(&line, "%s/integrand.so", folder->path);
        cli_line_add(&line, "-march=x86-64-%s", level);
        if (strcmp(level, "v4") == 0)
            cli_line_add(&line, "-mprefer-vector-width=512");
        cli_line_add(&line, "-I%s/api/include", folder->path);
        cli_line_add(&line, "%s", folder->source);
        cli_line_add(&line, "-lm");
        missing = cli_folder_run(folder, &line);
    }
    if (missing > 0 && named)
        return cli_fail("no C compiler: $CC is '%.200s', which was not found", named);
    if (missing > 0)
        return cli_fail("no C compiler: cc, gcc and clang are missing (package gcc)");
    return missing;
}

static const uh_integrand_host *load_integrand(const struct cli_folder *folder, void **library) {
    char path[CLI_FOLDER_PATH];
    snprintf(path, sizeof path, "%s/integrand.so", folder->path);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const uh_integrand_host *integrand = *library ? dlsym(*library, "uh_integrand_here") : NULL;
    if (!integrand)
        cli_fail("%s: %.800s", folder->text->file ? folder->text->file : "expression",
                 *library ? "expected UH_INTEGRAND(function, dims, values, void) at its end" : dlerror());
    return integrand;
}

const uh_integrand_host *cli_compile_host(const struct cli_text *text, const char *level, void **library) {
    struct cli_folder folder;
    *library = NULL;
    const uh_integrand_host *integrand =
        cli_folder_open(&folder, text) || run_compiler(&folder, level) ? NULL : load_integrand(&folder, library);
    cli_folder_close(&folder);
    return integrand;
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

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

/* Names the newest clang with a translator of the same version, or the pair without a version. Returns the missing
 * tool, or NULL. */
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

/* Stores a copy of the program; the caller frees its memory. */
static int take_program(const void *spirv, size_t size, uh_program *program) {
    void *copy = malloc(size + 1);
    if (!copy)
        return cli_fail("out of memory for %zu bytes of SPIR-V", size);
    memcpy(copy, spirv, size);
    *program = (uh_program){.name = "integrand", .spirv = copy, .spirv_size = size};
    return 0;
}

/* Writes the source for OpenCL C compilers: the kernel with the integrand in it. */
static int write_kernel(const struct cli_folder *folder, int fp64) {
    char kernel[PATH_MAX + 200];
    const int length = snprintf(kernel, sizeof kernel, "%s#define UNIHIST_INTEGRAND \"%s\"\n#include \"%s\"\n",
                                fp64 ? "" : "#define UHI_FP32 1\n", folder->source, cli_compile_kernel);
    return cli_folder_write(folder, "integrand.cl", kernel, (size_t)length);
}

static int read_spirv(const struct cli_folder *folder, uh_program *program) {
    char path[CLI_FOLDER_PATH];
    struct stat info;
    snprintf(path, sizeof path, "%s/integrand.spv", folder->path);
    FILE *file = fopen(path, "re");
    void *spirv = file && fstat(fileno(file), &info) == 0 ? malloc((size_t)info.st_size + 1) : NULL;
    const int bad = !spirv || fread(spirv, 1, (size_t)info.st_size, file) < (size_t)info.st_size;
    const int result = bad ? cli_fail("cannot read the compiler's output '%s'", path)
                           : take_program(spirv, (size_t)info.st_size, program);
    if (file)
        fclose(file);
    free(spirv);
    return result;
}

/* Options as in UnihistAddKernels.cmake and UnihistAddIntegrand.cmake. */
static int run_llvm(const struct cli_folder *folder, int fp64, const char *clang, const char *translator,
                    uh_program *program) {
    struct cli_line line = {.n = 0}, translation = {.n = 0};
    cli_line_add(&line, "%s", clang);
    cli_line_add_words(&line, "-x cl -cl-std=CL3.0 -target spir64 -O2 -Xclang -disable-llvm-passes -ffp-contract=off "
                              "-fgnu89-inline -w -emit-llvm -c -Xclang");
    cli_line_add(&line, "-cl-ext=-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue%s",
                 fp64 ? "" : ",-cl_khr_fp64,-__opencl_c_fp64");
    if (!fp64)
        cli_line_add(&line, "-cl-single-precision-constant");
    cli_line_add(&line, "-I%s", folder->path);
    cli_line_add(&line, "-I%s/api/include", folder->path);
    cli_line_add(&line, "-o%s/integrand.bc", folder->path);
    cli_line_add(&line, "%s/integrand.cl", folder->path);
    cli_line_add(&translation, "%s", translator);
    cli_line_add_words(&translation, "--spirv-max-version=1.2 --spirv-fp-contract=off -o");
    cli_line_add(&translation, "%s/integrand.spv", folder->path);
    cli_line_add(&translation, "%s/integrand.bc", folder->path);
    return cli_folder_run(folder, &line) || cli_folder_run(folder, &translation) || read_spirv(folder, program) ? -1
                                                                                                                : 0;
}

/* Files in memory. */
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
static int run_ocloc(const struct cli_folder *folder, int fp64, const struct ocloc *ocloc, uh_program *program) {
    char file[CLI_FOLDER_PATH], options[2 * CLI_FOLDER + 100];
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
        if (strstr(output.name[i], ".spv") && !failed && result)
            result = take_program(output.data[i], output.size[i], program);
        if (strcmp(output.name[i], "stdout.log") == 0 && !said && output.size[i])
            said = fmemopen(output.data[i], output.size[i], "r");
    }
    if (result)
        cli_folder_fail(folder, "libocloc.so", said);
    else if (said)
        fclose(said);
    ocloc->free_output(&output.n, &output.data, &output.size, &output.name);
    return result;
}

int cli_compile_device(const struct cli_text *text, int fp64, uh_program *program) {
    struct cli_folder folder;
    struct ocloc ocloc;
    char clang[32], translator[32];
    const char *missing = choose_llvm(clang, translator);
    if (missing && !load_ocloc(&ocloc))
        return cli_fail("no OpenCL C compiler: %s is missing, and libocloc.so (package intel-opencl-icd)", missing);
    int result = cli_folder_open(&folder, text) || write_kernel(&folder, fp64) ? -1 : 0;
    if (result == 0)
        result =
            missing ? run_ocloc(&folder, fp64, &ocloc, program) : run_llvm(&folder, fp64, clang, translator, program);
    cli_folder_close(&folder);
    return result;
}
