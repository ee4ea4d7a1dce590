/*
 * A stand-in for libcuda.so.1 over the simulated GPUs' files: what a process takes it writes to
 * processes/<pid> of the GPU that CUDA_VISIBLE_DEVICES names. It lets the test of a real CUDA job be
 * tested itself on a machine without a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a context takes. */
#define CONTEXT (400ULL << 20)

static char folder[4096], visible[256];

static int take(unsigned long long bytes)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/processes/%d", folder, (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        return 999;
    fprintf(file, "%llu\n", bytes);
    return fclose(file) == 0 ? 0 : 999;
}

int cuInit(unsigned flags)
{
    const char *world = getenv("STOKER_FAKE_NVML"), *given = getenv("CUDA_VISIBLE_DEVICES");
    if (!world || !given || flags != 0)
        return 100;
    snprintf(visible, sizeof visible, "%s", given);
    for (int i = 0; i < 64; i++) {
        char path[4200], id[256] = "";
        snprintf(path, sizeof path, "%s/gpu%d/uuid", world, i);
        FILE *file = fopen(path, "r");
        if (!file)
            break;
        if (fgets(id, sizeof id, file))
            id[strcspn(id, "\n")] = '\0';
        fclose(file);
        if (strcmp(id, visible) == 0) {
            snprintf(folder, sizeof folder, "%s/gpu%d", world, i);
            return 0;
        }
    }
    return 100;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = 0;
    return ordinal == 0 ? 0 : 101;
}

int cuDeviceGetUuid_v2(unsigned char *bytes, int device)
{
    const char *digits = visible + strlen("GPU-");
    for (int i = 0; i < 16; i++) {
        unsigned byte;
        digits += *digits == '-';
        if (device != 0 || sscanf(digits, "%2x", &byte) != 1)
            return 101;
        bytes[i] = (unsigned char)byte;
        digits += 2;
    }
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = folder;
    return device == 0 ? take(CONTEXT) : 101;
}

int cuCtxSetCurrent(void *context)
{
    return context == folder ? 0 : 201;
}

int cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    *address = 4096;
    return take(CONTEXT + bytes);
}

int cuMemsetD8_v2(unsigned long long address, unsigned char value, size_t bytes)
{
    (void)value, (void)bytes;
    return address == 4096 ? 0 : 1;
}

int cuCtxSynchronize(void)
{
    return 0;
}
