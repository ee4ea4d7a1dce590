/*
 * A stand-in for libcuda.so.1 over the simulated GPUs' files: what a process takes it writes to
 * processes/<pid> of the GPU that CUDA_VISIBLE_DEVICES names. It lets the test of a real CUDA job be
 * tested itself on a machine without a GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a context takes. */
#define CONTEXT (400ULL << 20)

/* What a simulated GPU has, and the Xid of a write where there is no memory. */
#define TOTAL (16ULL << 30)
#define XID "31"

static char folder[4096], visible[256];
static unsigned long long taken;
static int faulted;

static int write_to(const char *name, const char *mode, const char *text)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        return 999;
    fprintf(file, "%s\n", text);
    return fclose(file) == 0 ? 0 : 999;
}

static int take(unsigned long long bytes)
{
    char name[64], text[32];
    if (taken + bytes > TOTAL)
        return 2;
    taken += bytes;
    snprintf(name, sizeof name, "processes/%d", (int)getpid());
    snprintf(text, sizeof text, "%llu", taken);
    return write_to(name, "w", text);
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
    return take(bytes);
}

int cuMemsetD8_v2(unsigned long long address, unsigned char value, size_t bytes)
{
    (void)value, (void)bytes;
    return address == 4096 ? 0 : 1;
}

int cuCtxSynchronize(void)
{
    return faulted ? 700 : 0;
}

int cuModuleLoadData(void **module, const void *text)
{
    *module = folder;
    return text ? 0 : 1;
}

int cuModuleGetFunction(const char **function, void *module, const char *name)
{
    *function = name;
    return module == folder ? 0 : 1;
}

int cuLaunchKernel(const char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    if (strcmp(function, "fault") == 0) {
        faulted = 1;
        return write_to("xids", "a", XID);
    }
    struct timespec spin = {0, (long)*(unsigned long long *)arguments[0]};
    nanosleep(&spin, NULL);
    return write_to("utilization", "w", "97 10");
}
