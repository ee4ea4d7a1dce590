/*
 * A job that takes memory of a GPU, by nothing but the driver's own library: no CUDA toolkit is
 * needed to build it, only to have a driver to run it.
 *
 *   cuda_job BYTES GATE [works | faults | grows]
 *
 * Makes a context, takes BYTES of memory (0: none) and writes to all of it, says
 * "#stoker:progress 0.5" after some seconds, in which the agent has looked at the GPU several times,
 * and holds it until the file GATE exists. Its result is the GPU's UUID.
 *
 * With "works" the GPU computes from the beginning to the end. Once the gate is open, with "faults"
 * a kernel writes where there is no memory, and with "grows" it takes BYTES once more; either then
 * holds on.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_HELD 4
#define SPINS_A_SECOND 10
#define SPIN_NS (1000000000ULL / SPINS_A_SECOND)

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

/*
 * "spin" keeps one processor of the GPU busy for as many nanoseconds as it is told, by the GPU's own
 * timer; "fault" writes to an address that is never mapped.
 */
static const char kernels[] =
    ".version 6.0\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".visible .entry spin(.param .u64 ns)\n"
    "{\n"
    "  .reg .u64 %begin, %now, %most;\n"
    "  .reg .pred %on;\n"
    "  ld.param.u64 %most, [ns];\n"
    "  mov.u64 %begin, %globaltimer;\n"
    "again:\n"
    "  mov.u64 %now, %globaltimer;\n"
    "  sub.u64 %now, %now, %begin;\n"
    "  setp.lt.u64 %on, %now, %most;\n"
    "  @%on bra again;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry fault(.param .u64 at)\n"
    "{\n"
    "  .reg .u64 %a;\n"
    "  .reg .u32 %v;\n"
    "  ld.param.u64 %a, [at];\n"
    "  mov.u32 %v, 1;\n"
    "  st.global.u32 [%a], %v;\n"
    "  ret;\n"
    "}\n";

/* Runs one of the kernels in one thread, with this argument, to its end. Returns CUDA's error. */
static result run(const char *name, unsigned long long argument)
{
    result (*load)(void **, const void *) = function("cuModuleLoadData", NULL);
    result (*find)(void **, void *, const char *) = function("cuModuleGetFunction", NULL);
    result (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                     void **, void **) = function("cuLaunchKernel", NULL);
    result (*wait)(void) = function("cuCtxSynchronize", NULL);
    static void *module;
    void *kernel;
    void *arguments[] = {&argument};
    if (!module)
        check(load(&module, kernels), "cuModuleLoadData");
    check(find(&kernel, module, name), "cuModuleGetFunction");
    check(launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
    return wait();
}

static void hold_on(void)
{
    fflush(stdout);
    for (;;)
        pause();
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
    if (count != 3 && count != 4) {
        fprintf(stderr, "usage: cuda_job BYTES GATE [works | faults | grows]\n");
        return 2;
    }
    const char *mode = count == 4 ? arguments[3] : "";
    int works = strcmp(mode, "works") == 0;
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
    if (works)
        for (int i = 0; i < SECONDS_HELD * SPINS_A_SECOND; i++)
            check(run("spin", SPIN_NS), "spin");
    else
        sleep(SECONDS_HELD);
    print_uuid(gpu);
    printf("#stoker:progress 0.5\n");
    fflush(stdout);
    while (access(arguments[2], F_OK) != 0)
        if (works)
            check(run("spin", SPIN_NS), "spin");
        else
            usleep(50 * 1000);
    if (strcmp(mode, "faults") == 0) {
        printf("error %d of CUDA\n", run("fault", 16));
        hold_on();
    }
    if (strcmp(mode, "grows") == 0) {
        check(allocate(&memory, bytes), "cuMemAlloc");
        hold_on();
    }
    return 0;
}
