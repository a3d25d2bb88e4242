/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/module_cache_fixture.h"

#include <fcntl.h>

#include "runtime/module_cache.h"

const char *cache_folder(void) {
    static char path[512];
    snprintf(path, sizeof path, "%s/unihist", files_directory);
    return path;
}

int make_cache_folder(void **state) {
    if (files_setup(state) || setenv("XDG_CACHE_HOME", files_directory, 1) != 0 || unsetenv("UNIHIST_CACHE") != 0)
        return -1;
    return uhi_cache_is_on() ? 0 : -1;
}

/* ---- another compiler -------------------------------------------------------------------------------------------- */

static char copied[600];

static void use_driver_again(void *driver) {
    assert_int_equal(setenv("ZE_ENABLE_ALT_DRIVERS", driver, 1), 0);
    free(driver);
}

static void end_path(void *path) {
    assert_int_equal(setenv("LD_LIBRARY_PATH", path, 1), 0);
    free(path);
}

int copy_driver(void) {
    const char *driver = getenv("ZE_ENABLE_ALT_DRIVERS"), *path = getenv("LD_LIBRARY_PATH");
    size_t size = 0;
    if (!driver || !strstr(driver, "libze_soft_gpu"))
        return 0;
    const unsigned char *bytes = files_read(driver, &size);
    snprintf(copied, sizeof copied, "%s/libze_soft_gpu.so", files_directory);
    files_write(copied, bytes, size);
    test_at_end(strdup(driver), use_driver_again);
    if (path) /* where the driver may be in the loader's place */
        test_at_end(strdup(path), end_path);
    return setenv("ZE_ENABLE_ALT_DRIVERS", copied, 1) == 0 && unsetenv("LD_LIBRARY_PATH") == 0;
}

void update_driver(void) {
    struct stat info;
    assert_int_equal(stat(copied, &info), 0);
    const struct timespec times[2] = {info.st_atim, {info.st_mtim.tv_sec - 1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, copied, times, 0), 0);
}
