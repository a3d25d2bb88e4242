/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cpu.h"

#include <cpuid.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/log.h"

/* XCR0: XMM and YMM; then opmask, the upper halves of ZMM0 to 15, and ZMM16 to 31 (SDM volume 1, 13.3). */
#define XCR0_AVX    UINT64_C(0x06)
#define XCR0_AVX512 UINT64_C(0xe0)

/* Features each level adds to the previous one. */
static const struct uhi_cpu_words level_words[] = {
    {bit_CMPXCHG16B | bit_POPCNT | bit_SSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_SSSE3, 0, bit_LAHF_LM, 0},
    {bit_AVX | bit_F16C | bit_FMA | bit_MOVBE | bit_OSXSAVE, bit_AVX2 | bit_BMI | bit_BMI2, bit_ABM, XCR0_AVX},
    {0, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL, 0, XCR0_AVX512},
};

static pthread_once_t isa_once = PTHREAD_ONCE_INIT;
static int cpu_level;
static enum uhi_isa isa_in_use;
static int table_loads = -1; /* UNIHIST_ISA: load table elements one by one (1) or gather them (0) */

int uhi_cpu_level_of(const struct uhi_cpu_words *words) {
    int level = 1;
    for (size_t i = 0; i < sizeof level_words / sizeof level_words[0]; i++) {
        const struct uhi_cpu_words *needs = &level_words[i];
        if ((words->leaf1_ecx & needs->leaf1_ecx) != needs->leaf1_ecx ||
            (words->leaf7_ebx & needs->leaf7_ebx) != needs->leaf7_ebx ||
            (words->extended1_ecx & needs->extended1_ecx) != needs->extended1_ecx ||
            (words->xcr0 & needs->xcr0) != needs->xcr0)
            break;
        level++;
    }
    return level;
}

static void read_words(struct uhi_cpu_words *words) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    memset(words, 0, sizeof *words);
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        words->leaf1_ecx = ecx;
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
        words->leaf7_ebx = ebx;
    if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
        words->extended1_ecx = ecx;
    if (words->leaf1_ecx & bit_OSXSAVE) {
        uint32_t low, high;
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        words->xcr0 = (uint64_t)high << 32 | low;
    }
}

static void choose_isa(void) {
    struct uhi_cpu_words words;
    read_words(&words);
    cpu_level = uhi_cpu_level_of(&words);
    isa_in_use = cpu_level < UHI_ISA_V2 ? UHI_ISA_V2 : (enum uhi_isa)cpu_level;

    const char *text = getenv("UNIHIST_ISA");
    if (!text || !*text)
        return;
    static const struct {
        const char *text;
        enum uhi_isa isa;
        int loads;
    } values[] = {{"v2", UHI_ISA_V2, -1},
                  {"v3", UHI_ISA_V3, -1},
                  {"v3-loads", UHI_ISA_V3, 1},
                  {"v3-gathers", UHI_ISA_V3, 0},
                  {"v4", UHI_ISA_V4, -1}};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(text, values[i].text) != 0)
            continue;
        if ((int)values[i].isa > cpu_level) {
            uhi_log(UH_LOG_WARN, "UNIHIST_ISA is \"%s\", but the CPU has x86-64-v%d; using %s", text, cpu_level,
                    uhi_cpu_isa_name(isa_in_use));
        } else {
            isa_in_use = values[i].isa;
            table_loads = values[i].loads;
        }
        return;
    }
    uhi_log(UH_LOG_WARN, "UNIHIST_ISA is \"%.64s\", expected v2, v3, v3-loads, v3-gathers or v4; using %s", text,
            uhi_cpu_isa_name(isa_in_use));
}

enum uhi_isa uhi_cpu_isa(void) {
    pthread_once(&isa_once, choose_isa);
    return isa_in_use;
}

const char *uhi_cpu_isa_name(enum uhi_isa isa) { return isa == UHI_ISA_V4 ? "v4" : isa == UHI_ISA_V3 ? "v3" : "v2"; }

int uhi_cpu_table_loads(void) {
    pthread_once(&isa_once, choose_isa);
    return table_loads;
}

int uhi_cpu_level(void) {
    pthread_once(&isa_once, choose_isa);
    return cpu_level;
}
