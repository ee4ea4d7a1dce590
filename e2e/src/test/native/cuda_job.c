/*
 * A job that takes memory of a GPU, by nothing but the driver's own library: no CUDA toolkit is
 * needed to build it, only to have a driver to run it.
 *
 *   cuda_job BYTES GATE
 *
 * Makes a context, takes BYTES of memory (0: none) and writes to all of it, says
 * "#stoker:progress 0.5" after some seconds, in which the agent has looked at the GPU several times,
 * and holds it until the file GATE exists. Its result is the GPU's UUID.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_HELD 4

typedef int result;
typedef int device;
typedef void *context;
typedef unsigned long long address;
typedef struct {
    unsigned char bytes[16];
} uuid;

static void *driver;

/* The newest form of a function that the driver has; the program ends without one. */
static void *function(const char *newest, const char *older)
{
    void *found = dlsym(driver, newest);
    if (!found && older)
        found = dlsym(driver, older);
    if (!found) {
        fprintf(stderr, "libcuda.so.1 has no %s\n", newest);
        exit(2);
    }
    return found;
}

static void check(result code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, code == 2 ? "%s: CUDA_ERROR_OUT_OF_MEMORY\n" : "%s: error %d of CUDA\n", what, code);
        exit(1);
    }
}

static void print_uuid(device gpu)
{
    result (*get)(uuid *, device) = function("cuDeviceGetUuid_v2", "cuDeviceGetUuid");
    uuid id;
    check(get(&id, gpu), "cuDeviceGetUuid");
    printf("#stoker:result \"GPU-");
    for (int i = 0; i < 16; i++)
        printf(i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id.bytes[i]);
    printf("\"\n");
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: cuda_job BYTES GATE\n");
        return 2;
    }
    unsigned long long bytes = strtoull(arguments[1], NULL, 10);
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    result (*init)(unsigned) = function("cuInit", NULL);
    result (*device_get)(device *, int) = function("cuDeviceGet", NULL);
    result (*retain)(context *, device) = function("cuDevicePrimaryCtxRetain", NULL);
    result (*current)(context) = function("cuCtxSetCurrent", NULL);
    result (*allocate)(address *, size_t) = function("cuMemAlloc_v2", "cuMemAlloc");
    result (*fill)(address, unsigned char, size_t) = function("cuMemsetD8_v2", "cuMemsetD8");
    result (*wait)(void) = function("cuCtxSynchronize", NULL);

    device gpu;
    context here;
    address memory;
    check(init(0), "cuInit");
    check(device_get(&gpu, 0), "cuDeviceGet");
    check(retain(&here, gpu), "cuDevicePrimaryCtxRetain");
    check(current(here), "cuCtxSetCurrent");
    if (bytes > 0) {
        check(allocate(&memory, bytes), "cuMemAlloc");
        check(fill(memory, 1, bytes), "cuMemsetD8");
    }
    check(wait(), "cuCtxSynchronize");
    sleep(SECONDS_HELD);
    print_uuid(gpu);
    printf("#stoker:progress 0.5\n");
    fflush(stdout);
    while (access(arguments[2], F_OK) != 0)
        usleep(50 * 1000);
    return 0;
}
