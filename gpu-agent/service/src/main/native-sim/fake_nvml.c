/*
 * A stand-in for NVIDIA's libnvidia-ml.so.1, for machines without a GPU.
 *
 * It has the functions, the structures and the return codes that Stoker's binding uses, and reads the
 * world from a folder of small text files on every call, so that a test (or a shell) changes it live.
 * README.md beside this file describes the folder.
 *
 * Variants of the library: compiled with -DFAKE_NVML_OLD it lacks the functions that old drivers lack.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum {
    SUCCESS = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    TIMEOUT = 10,
    ARGUMENT_VERSION_MISMATCH = 25,
};

/* ---- structures of NVML's ABI; the binding's own offsets are compared with these by a test ---- */

typedef void *nvml_device;

typedef struct {
    unsigned long long total, free, used;
} memory_v1;

typedef struct {
    unsigned int version;
    unsigned long long total, reserved, free, used;
} memory_v2;

typedef struct {
    unsigned int pid;
    unsigned long long used_memory;
    unsigned int gpu_instance, compute_instance;
} process_info;

typedef struct {
    unsigned int gpu, memory;
} utilization;

typedef struct {
    char bus_id_legacy[16];
    unsigned int domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} pci_info;

typedef struct {
    nvml_device device;
    unsigned long long type, data;
    unsigned int gpu_instance, compute_instance;
} event_data;

typedef struct {
    unsigned int pid;
    unsigned long long timestamp;
    unsigned int sm, memory, encoder, decoder;
} process_sample;

typedef struct {
    unsigned int multiprocessors, copy_engines, decoders, encoders, jpegs, ofas, gpu_slices, compute_slices;
    unsigned long long memory_mb;
} device_attributes;

#define SIZE_IS(type, size) _Static_assert(sizeof(type) == (size), #type " has the size of NVML's")
#define FIELD_AT(type, field, at) \
    _Static_assert(offsetof(type, field) == (at), #type "." #field " lies where NVML's lies")

SIZE_IS(memory_v1, 24);
FIELD_AT(memory_v1, total, 0);
FIELD_AT(memory_v1, free, 8);
FIELD_AT(memory_v1, used, 16);
SIZE_IS(memory_v2, 40);
FIELD_AT(memory_v2, version, 0);
FIELD_AT(memory_v2, total, 8);
FIELD_AT(memory_v2, reserved, 16);
FIELD_AT(memory_v2, free, 24);
FIELD_AT(memory_v2, used, 32);
SIZE_IS(process_info, 24);
FIELD_AT(process_info, pid, 0);
FIELD_AT(process_info, used_memory, 8);
FIELD_AT(process_info, gpu_instance, 16);
FIELD_AT(process_info, compute_instance, 20);
SIZE_IS(utilization, 8);
FIELD_AT(utilization, gpu, 0);
FIELD_AT(utilization, memory, 4);
SIZE_IS(pci_info, 68);
FIELD_AT(pci_info, bus_id_legacy, 0);
FIELD_AT(pci_info, domain, 16);
FIELD_AT(pci_info, bus, 20);
FIELD_AT(pci_info, device, 24);
FIELD_AT(pci_info, device_id, 28);
FIELD_AT(pci_info, subsystem_id, 32);
FIELD_AT(pci_info, bus_id, 36);
SIZE_IS(event_data, 32);
FIELD_AT(event_data, device, 0);
FIELD_AT(event_data, type, 8);
FIELD_AT(event_data, data, 16);
FIELD_AT(event_data, gpu_instance, 24);
FIELD_AT(event_data, compute_instance, 28);
SIZE_IS(process_sample, 32);
FIELD_AT(process_sample, pid, 0);
FIELD_AT(process_sample, timestamp, 8);
FIELD_AT(process_sample, sm, 16);
FIELD_AT(process_sample, memory, 20);
SIZE_IS(device_attributes, 40);
FIELD_AT(device_attributes, multiprocessors, 0);
FIELD_AT(device_attributes, gpu_slices, 24);
FIELD_AT(device_attributes, compute_slices, 28);
FIELD_AT(device_attributes, memory_mb, 32);

/* Lets a test compare the binding's constants with the compiler's: -1 for a name that is not known. */
EXPORT long fake_nvml_layout(const char *name)
{
    static const struct {
        const char *name;
        size_t value;
    } known[] = {
#define SIZE(type) {#type, sizeof(type)}
#define AT(type, field) {#type "." #field, offsetof(type, field)}
        SIZE(memory_v1), AT(memory_v1, total), AT(memory_v1, free), AT(memory_v1, used),
        SIZE(memory_v2), AT(memory_v2, version), AT(memory_v2, total), AT(memory_v2, reserved),
        AT(memory_v2, free), AT(memory_v2, used),
        SIZE(process_info), AT(process_info, pid), AT(process_info, used_memory),
        AT(process_info, gpu_instance), AT(process_info, compute_instance),
        SIZE(utilization), AT(utilization, gpu), AT(utilization, memory),
        SIZE(pci_info), AT(pci_info, domain), AT(pci_info, bus), AT(pci_info, device),
        AT(pci_info, bus_id),
        SIZE(event_data), AT(event_data, device), AT(event_data, type), AT(event_data, data),
        AT(event_data, gpu_instance), AT(event_data, compute_instance),
        SIZE(process_sample), AT(process_sample, pid), AT(process_sample, timestamp),
        AT(process_sample, sm), AT(process_sample, memory),
        SIZE(device_attributes), AT(device_attributes, multiprocessors), AT(device_attributes, gpu_slices),
        AT(device_attributes, compute_slices), AT(device_attributes, memory_mb),
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return (long)known[i].value;
    return -1;
}

/* ---- the state folder ---- */

#define PATH_SIZE 4096
#define TEXT_SIZE 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char chosen_dir[PATH_SIZE];
static int initialized;

/* For tests: a JVM cannot change its own environment. An empty path goes back to the environment. */
EXPORT void fake_nvml_set_state_dir(const char *dir)
{
    pthread_mutex_lock(&lock);
    snprintf(chosen_dir, sizeof chosen_dir, "%s", dir);
    pthread_mutex_unlock(&lock);
}

static void notice_changes(void);

/* What every question begins with. */
static int state_dir(char *out)
{
    pthread_mutex_lock(&lock);
    const char *from_env = getenv("STOKER_FAKE_NVML");
    const char *dir = chosen_dir[0] ? chosen_dir : from_env;
    snprintf(out, PATH_SIZE, "%s", dir ? dir : "");
    pthread_mutex_unlock(&lock);
    notice_changes();
    struct stat s;
    return out[0] && stat(out, &s) == 0 && S_ISDIR(s.st_mode);
}

/* A path below a folder; too long a one gives a path that does not exist. */
static void join(char *out, const char *dir, const char *name)
{
    if (snprintf(out, PATH_SIZE, "%s/%s", dir, name) >= PATH_SIZE)
        out[0] = '\0';
}

/* ---- what was read of it, kept until something changes there ---- */

/*
 * A real driver answers from memory. So does this one, as long as the kernel has no change of its folders
 * to tell: an agent that does nothing asks it some 50 questions a second. A change anywhere drops all that
 * is kept, and what cannot be watched is read each time.
 */
#define KEPT_SLOTS 4096
#define CHANGES (IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

typedef struct {
    char *path;
    char *text; /* NULL: it is not there */
} kept_file;

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static kept_file kept[KEPT_SLOTS];
static unsigned int kept_count;
static int kept_watch = -1;

static void forget(void)
{
    for (unsigned int i = 0; kept_count > 0 && i < KEPT_SLOTS; i++) {
        free(kept[i].path);
        free(kept[i].text);
        kept[i].path = kept[i].text = NULL;
    }
    kept_count = 0;
    if (kept_watch >= 0)
        close(kept_watch);
    kept_watch = -1;
}

/* Drops what is kept if anything has changed since. */
static void notice_changes(void)
{
    char events[TEXT_SIZE * 4];
    pthread_mutex_lock(&kept_lock);
    if (kept_watch >= 0 && read(kept_watch, events, sizeof events) > 0)
        forget();
    pthread_mutex_unlock(&kept_lock);
}

static kept_file *slot_of(const char *path)
{
    unsigned int hash = 5381;
    for (const char *c = path; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    kept_file *slot = &kept[hash % KEPT_SLOTS];
    while (slot->path && strcmp(slot->path, path) != 0)
        slot = slot + 1 < kept + KEPT_SLOTS ? slot + 1 : kept;
    return slot;
}

/*
 * Whether changes of a path will be told from now on: by its folder or, as long as that is not there, by
 * the one above.
 */
static int watched(const char *path)
{
    char folder[PATH_SIZE];
    struct stat s;
    if (kept_watch < 0)
        kept_watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (kept_watch < 0)
        return 0;
    snprintf(folder, sizeof folder, "%s", path);
    for (int up = 0; up < 2; up++) {
        char *name = strrchr(folder, '/');
        if (!name || name == folder)
            return 0;
        *name = '\0';
        if (inotify_add_watch(kept_watch, folder, CHANGES) >= 0) {
            *name = '/'; /* it may have come into being meanwhile, with nobody watching what is in it */
            return up == 0 || stat(folder, &s) != 0;
        }
    }
    return 0;
}

/* How something is found out that is not kept: 0 if it is not there. */
typedef int (*look)(const char *path, char *out);

static int recall(const char *path, look look, char *out)
{
    out[0] = '\0';
    pthread_mutex_lock(&kept_lock);
    kept_file *slot = slot_of(path);
    int there;
    if (slot->path) {
        there = slot->text != NULL;
        if (there)
            strcpy(out, slot->text);
    } else {
        /* Watched first, then looked at: what comes between is not missed. */
        int keep = watched(path);
        there = look(path, out);
        if (keep && kept_count < KEPT_SLOTS / 2) {
            slot->path = strdup(path);
            slot->text = there ? strdup(out) : NULL;
            kept_count++;
        } else if (keep) {
            forget();
        }
    }
    pthread_mutex_unlock(&kept_lock);
    return there;
}

static int look_at_text(const char *path, char *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t length = read(fd, out, TEXT_SIZE - 1);
    close(fd);
    out[length > 0 ? length : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    size_t n = strlen(out);
    while (n > 0 && isspace((unsigned char)out[n - 1]))
        out[--n] = '\0';
    return 1;
}

/* The first line of a file, trimmed; 0 if the file is not there. */
static int read_text(const char *dir, const char *name, char *out)
{
    char path[PATH_SIZE];
    join(path, dir, name);
    return recall(path, look_at_text, out);
}

static int look_for_folder(const char *path, char *out)
{
    struct stat s;
    (void)out;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int is_dir(const char *path)
{
    char nothing[TEXT_SIZE];
    return recall(path, look_for_folder, nothing);
}

static int read_number(const char *dir, const char *name, long long *out)
{
    char text[TEXT_SIZE];
    if (!read_text(dir, name, text))
        return 0;
    *out = strtoll(text, NULL, 0);
    return 1;
}

static long long number_or(const char *dir, const char *name, long long otherwise)
{
    long long value;
    return read_number(dir, name, &value) ? value : otherwise;
}

static int pair(const char *dir, const char *name, unsigned int *first, unsigned int *second)
{
    char text[TEXT_SIZE];
    return read_text(dir, name, text) && sscanf(text, "%u %u", first, second) == 2;
}

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void sleep_ms(long long ms)
{
    struct timespec t = {ms / 1000, (ms % 1000) * 1000000};
    while (ms > 0 && nanosleep(&t, &t) == -1 && errno == EINTR)
        ;
}

/* Whether there is anything in a folder, whose path ends with a slash. */
static int look_for_entries(const char *path, char *out)
{
    int found = 0;
    (void)out;
    DIR *d = opendir(path);
    for (struct dirent *e; d && !found && (e = readdir(d)) != NULL;)
        found = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d)
        closedir(d);
    return found;
}

/* As long as a test has asked for, or until it asks no more. */
static void delay(const char *delays, const char *function)
{
    long long left = number_or(delays, function, 0);
    for (long long waited = 0; waited < left; left = number_or(delays, function, 0)) {
        long long slice = left - waited < 50 ? left - waited : 50;
        sleep_ms(slice);
        waited += slice;
    }
}

/* The delay and the error that a test has asked for, of one folder. */
static int injected(const char *dir, const char *function)
{
    char sub[PATH_SIZE];
    join(sub, dir, "delays");
    if (is_dir(sub)) {
        delay(sub, function);
        notice_changes();
    }
    join(sub, dir, "errors");
    return is_dir(sub) ? (int)number_or(sub, function, SUCCESS) : SUCCESS;
}

/* What every function does first. On success `dir` is the state folder. */
static int enter(const char *function, char *dir)
{
    pthread_mutex_lock(&lock);
    int ready = initialized > 0;
    pthread_mutex_unlock(&lock);
    if (!ready)
        return UNINITIALIZED;
    if (!state_dir(dir))
        return DRIVER_NOT_LOADED;
    return injected(dir, function);
}

/* ---- devices: gpu<N>/ and, for MIG, gpu<N>/mig<M>/ ---- */

#define MAX_MIG 8
#define HANDLE_BASE 0x10000UL
#define HANDLE_STEP 0x100UL

static void gpu_dir(char *out, const char *dir, unsigned int index)
{
    char name[32];
    snprintf(name, sizeof name, "gpu%u", index);
    join(out, dir, name);
}

static void mig_dir(char *out, const char *gpu, unsigned int index)
{
    char name[32];
    snprintf(name, sizeof name, "mig%u", index);
    join(out, gpu, name);
}

static unsigned int gpu_count(const char *dir)
{
    char path[PATH_SIZE];
    unsigned int n = 0;
    for (;; n++) {
        gpu_dir(path, dir, n);
        if (!is_dir(path))
            return n;
    }
}

static nvml_device handle_of(unsigned int gpu, int mig)
{
    return (nvml_device)(HANDLE_BASE + gpu * HANDLE_STEP + (unsigned long)(mig + 1));
}

/* Finds the folder of a handle, and what was injected for that device. */
static int enter_device(const char *function, nvml_device handle, char *device, int *is_mig)
{
    char dir[PATH_SIZE], gpu[PATH_SIZE];
    int code = enter(function, dir);
    if (code != SUCCESS)
        return code;
    unsigned long value = (unsigned long)handle;
    if (value < HANDLE_BASE)
        return INVALID_ARGUMENT;
    unsigned long mig = (value - HANDLE_BASE) % HANDLE_STEP;
    gpu_dir(gpu, dir, (unsigned int)((value - HANDLE_BASE) / HANDLE_STEP));
    if (mig == 0)
        snprintf(device, PATH_SIZE, "%s", gpu);
    else
        mig_dir(device, gpu, (unsigned int)mig - 1);
    if (is_mig)
        *is_mig = mig != 0;
    if (!is_dir(device))
        return INVALID_ARGUMENT;
    return injected(device, function);
}

static int copy_text(char *out, unsigned int length, const char *text)
{
    if (strlen(text) + 1 > length)
        return INSUFFICIENT_SIZE;
    strcpy(out, text);
    return SUCCESS;
}

static int copy_file(const char *dir, const char *name, const char *otherwise, char *out, unsigned int length)
{
    char text[TEXT_SIZE];
    return copy_text(out, length, read_text(dir, name, text) ? text : otherwise);
}

/* ---- processes: processes/<pid> (and graphics_processes, mps_processes) holds the bytes in use, or "unknown" ---- */

typedef void (*process_visitor)(void *context, unsigned int pid, unsigned long long bytes, int alive,
                                const char *dir);

/*
 * A process that has died leaves the list at once, and its memory stays in use for the lag (zombie
 * memory); then its file is removed. A lag of -1 takes every pid for a live one.
 */
static void visit_processes(const char *dir, const char *device, const char *kind, process_visitor visit,
                            void *context)
{
    char folder[PATH_SIZE], path[PATH_SIZE], renamed[PATH_SIZE + 8], proc[64], text[TEXT_SIZE];
    long long lag = number_or(dir, "dead_lag_ms", 0);
    join(folder, device, kind);
    join(path, folder, "");
    if (!recall(path, look_for_entries, text))
        return;
    DIR *d = opendir(folder);
    if (!d)
        return;
    struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        char *rest;
        unsigned long pid = strtoul(e->d_name, &rest, 10);
        int known_dead = strcmp(rest, ".dead") == 0;
        struct stat s;
        if (rest == e->d_name || (*rest != '\0' && !known_dead))
            continue;
        join(path, folder, e->d_name);
        snprintf(proc, sizeof proc, "/proc/%lu", pid);
        int alive = !known_dead && (lag < 0 || stat(proc, &s) == 0);
        if (!alive && !known_dead) {
            snprintf(renamed, sizeof renamed, "%s.dead", path);
            if (lag == 0 || rename(path, renamed) != 0) {
                unlink(path);
                continue;
            }
            read_text(folder, strrchr(renamed, '/') + 1, text);
        } else {
            /* The time of death is the file's change time: the rename sets it. */
            if (known_dead && (stat(path, &s) != 0 ||
                               now_ms() - (s.st_ctim.tv_sec * 1000LL + s.st_ctim.tv_nsec / 1000000) >= lag)) {
                unlink(path);
                continue;
            }
            if (!read_text(folder, e->d_name, text))
                continue;
        }
        unsigned long long bytes = isdigit((unsigned char)text[0]) ? strtoull(text, NULL, 10) : ~0ULL;
        visit(context, (unsigned int)pid, bytes, alive, device);
    }
    closedir(d);
}

static void add_bytes(void *context, unsigned int pid, unsigned long long bytes, int alive, const char *dir)
{
    (void)pid, (void)alive, (void)dir;
    if (bytes != ~0ULL)
        *(unsigned long long *)context += bytes;
}

typedef struct {
    unsigned char *out;
    unsigned int slots, found, stride;
} process_list;

static void add_process(void *context, unsigned int pid, unsigned long long bytes, int alive, const char *dir)
{
    process_list *list = context;
    if (!alive)
        return;
    if (list->found < list->slots && list->out) {
        unsigned char entry[32] = {0};
        unsigned int gi = (unsigned int)number_or(dir, "gpu_instance", 0xFFFFFFFFLL);
        unsigned int ci = (unsigned int)number_or(dir, "compute_instance", 0xFFFFFFFFLL);
        memcpy(entry + offsetof(process_info, pid), &pid, sizeof pid);
        memcpy(entry + offsetof(process_info, used_memory), &bytes, sizeof bytes);
        memcpy(entry + offsetof(process_info, gpu_instance), &gi, sizeof gi);
        memcpy(entry + offsetof(process_info, compute_instance), &ci, sizeof ci);
        memcpy(list->out + (size_t)list->found * list->stride, entry, list->stride);
    }
    list->found++;
}

/* ---- life cycle ---- */

EXPORT int nvmlInit_v2(void)
{
    char dir[PATH_SIZE];
    if (!state_dir(dir))
        return DRIVER_NOT_LOADED;
    int code = injected(dir, "nvmlInit_v2");
    if (code == SUCCESS) {
        pthread_mutex_lock(&lock);
        initialized++;
        pthread_mutex_unlock(&lock);
    }
    return code;
}

/* As the real one, it returns success after an init that failed. */
EXPORT int nvmlShutdown(void)
{
    char dir[PATH_SIZE];
    int code = state_dir(dir) ? injected(dir, "nvmlShutdown") : SUCCESS;
    pthread_mutex_lock(&lock);
    if (code == SUCCESS && initialized > 0)
        initialized--;
    pthread_mutex_unlock(&lock);
    return code;
}

/* For tests: how many inits have not been followed by a shutdown. */
EXPORT int fake_nvml_initialized(void)
{
    pthread_mutex_lock(&lock);
    int n = initialized;
    pthread_mutex_unlock(&lock);
    return n;
}

EXPORT const char *nvmlErrorString(int code)
{
    switch (code) {
    case 0: return "The operation was successful";
    case 1: return "Uninitialized";
    case 2: return "Invalid Argument";
    case 3: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case 6: return "Not Found";
    case 7: return "Insufficient Size";
    case 9: return "Driver Not Loaded";
    case 10: return "Timeout";
    case 12: return "NVML Shared Library Not Found";
    case 13: return "Function Not Found";
    case 15: return "GPU is lost";
    case 18: return "Driver/library version mismatch";
    case 25: return "Argument version mismatch";
    default: return "Unknown Error";
    }
}

EXPORT int nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    return code ? code : copy_file(dir, "driver_version", "550.54.15", version, length);
}

EXPORT int nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    return code ? code : copy_file(dir, "nvml_version", "12.550.54.15", version, length);
}

EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    if (code == SUCCESS)
        *version = (int)number_or(dir, "cuda_version", 12040);
    return code;
}

/* ---- discovery ---- */

EXPORT int nvmlDeviceGetCount_v2(unsigned int *count)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    if (code == SUCCESS)
        *count = gpu_count(dir);
    return code;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvml_device *device)
{
    char dir[PATH_SIZE], gpu[PATH_SIZE];
    int code = enter(__func__, dir);
    if (code != SUCCESS)
        return code;
    if (index >= gpu_count(dir))
        return INVALID_ARGUMENT;
    gpu_dir(gpu, dir, index);
    code = injected(gpu, __func__);
    if (code == SUCCESS)
        *device = handle_of(index, -1);
    return code;
}

/*
 * Where a GPU was found last: asked for by its UUID time and again, it is looked for among the others
 * only once it is not there any more. Any thread may use it: what it says is looked up.
 */
#define PLACES 64
static _Atomic unsigned int places[PLACES];

static _Atomic unsigned int *place_of(const char *uuid)
{
    unsigned int hash = 5381;
    for (const char *c = uuid; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    return &places[hash % PLACES];
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device *device)
{
    char dir[PATH_SIZE], gpu[PATH_SIZE], mig[PATH_SIZE], text[TEXT_SIZE];
    int code = enter(__func__, dir);
    if (code != SUCCESS)
        return code;
    _Atomic unsigned int *place = place_of(uuid);
    unsigned int last = *place;
    gpu_dir(gpu, dir, last);
    if (read_text(gpu, "uuid", text) && strcmp(text, uuid) == 0 && last < gpu_count(dir)) {
        *device = handle_of(last, -1);
        return injected(gpu, __func__);
    }
    unsigned int count = gpu_count(dir);
    for (unsigned int i = 0; i < count; i++) {
        gpu_dir(gpu, dir, i);
        if (read_text(gpu, "uuid", text) && strcmp(text, uuid) == 0) {
            *device = handle_of(i, -1);
            *place = i;
            return injected(gpu, __func__);
        }
        for (unsigned int m = 0; m < MAX_MIG; m++) {
            mig_dir(mig, gpu, m);
            if (read_text(mig, "uuid", text) && strcmp(text, uuid) == 0) {
                *device = handle_of(i, (int)m);
                return injected(mig, __func__);
            }
        }
    }
    return NOT_FOUND;
}

EXPORT int nvmlDeviceGetUUID(nvml_device handle, char *uuid, unsigned int length)
{
    char device[PATH_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    return code ? code : copy_file(device, "uuid", "", uuid, length);
}

EXPORT int nvmlDeviceGetName(nvml_device handle, char *name, unsigned int length)
{
    char device[PATH_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    return code ? code : copy_file(device, "name", "Stoker Fake GPU", name, length);
}

/* One unsigned number from a file; a device without the file does not support the question. */
static int one_number(const char *function, nvml_device handle, const char *file, unsigned int *out)
{
    char device[PATH_SIZE];
    long long value;
    int code = enter_device(function, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    if (!read_number(device, file, &value))
        return NOT_SUPPORTED;
    *out = (unsigned int)value;
    return SUCCESS;
}

static int two_numbers(const char *function, nvml_device handle, const char *file, unsigned int *first,
                       unsigned int *second)
{
    char device[PATH_SIZE];
    int code = enter_device(function, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    return pair(device, file, first, second) ? SUCCESS : NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetMinorNumber(nvml_device handle, unsigned int *minor)
{
    return one_number(__func__, handle, "minor", minor);
}

static int parse_pci(const char *text, pci_info *out)
{
    memset(out, 0, sizeof *out);
    if (sscanf(text, "%x:%x:%x.", &out->domain, &out->bus, &out->device) != 3)
        return NOT_SUPPORTED;
    snprintf(out->bus_id, sizeof out->bus_id, "%08X:%02X:%02X.0", out->domain, out->bus, out->device);
    snprintf(out->bus_id_legacy, sizeof out->bus_id_legacy, "%04X:%02X:%02X.0", out->domain & 0xFFFF,
             out->bus & 0xFF, out->device & 0xFF);
    return SUCCESS;
}

EXPORT int nvmlDeviceGetPciInfo_v3(nvml_device handle, pci_info *out)
{
    char device[PATH_SIZE], text[TEXT_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    return read_text(device, "pci", text) ? parse_pci(text, out) : NOT_SUPPORTED;
}

EXPORT int nvmlDeviceGetCudaComputeCapability(nvml_device handle, int *major, int *minor)
{
    return two_numbers(__func__, handle, "compute", (unsigned int *)major, (unsigned int *)minor);
}

/* ---- load ---- */

typedef struct {
    unsigned long long total, reserved, used;
} memory_state;

static int read_memory(const char *function, nvml_device handle, memory_state *out)
{
    char dir[PATH_SIZE], device[PATH_SIZE];
    int code = enter_device(function, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    if (!state_dir(dir))
        return DRIVER_NOT_LOADED;
    out->total = (unsigned long long)number_or(device, "memory_total", 16LL << 30);
    out->reserved = (unsigned long long)number_or(device, "memory_reserved", 0);
    out->used = (unsigned long long)number_or(device, "memory_used", 0);
    visit_processes(dir, device, "processes", add_bytes, &out->used);
    if (out->reserved > out->total)
        out->reserved = out->total;
    if (out->used > out->total - out->reserved)
        out->used = out->total - out->reserved;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetMemoryInfo(nvml_device handle, memory_v1 *out)
{
    memory_state m;
    int code = read_memory(__func__, handle, &m);
    if (code != SUCCESS)
        return code;
    /* The first version counts what is reserved as used. */
    out->total = m.total;
    out->used = m.used + m.reserved;
    out->free = m.total - out->used;
    return SUCCESS;
}

#ifndef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetMemoryInfo_v2(nvml_device handle, memory_v2 *out)
{
    memory_state m;
    if (out->version != (sizeof(memory_v2) | 2U << 24))
        return ARGUMENT_VERSION_MISMATCH;
    int code = read_memory(__func__, handle, &m);
    if (code != SUCCESS)
        return code;
    out->total = m.total;
    out->reserved = m.reserved;
    out->used = m.used;
    out->free = m.total - m.reserved - m.used;
    return SUCCESS;
}
#endif

EXPORT int nvmlDeviceGetUtilizationRates(nvml_device handle, utilization *out)
{
    return two_numbers(__func__, handle, "utilization", &out->gpu, &out->memory);
}

static int list_processes(const char *function, const char *kind, nvml_device handle, unsigned int *count,
                          void *infos)
{
    char dir[PATH_SIZE], device[PATH_SIZE];
    int code = enter_device(function, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    if (!state_dir(dir))
        return DRIVER_NOT_LOADED;
    unsigned int stride = (unsigned int)number_or(dir, "process_stride", sizeof(process_info));
    if (stride != 16 && stride != 24 && stride != 32)
        return INVALID_ARGUMENT;
    process_list list = {infos, *count, 0, stride};
    visit_processes(dir, device, kind, add_process, &list);
    int fits = list.found <= list.slots;
    *count = list.found;
    return fits ? SUCCESS : INSUFFICIENT_SIZE;
}

#ifdef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(nvml_device handle, unsigned int *count, void *infos)
#else
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(nvml_device handle, unsigned int *count, void *infos)
#endif
{
    return list_processes(__func__, "processes", handle, count, infos);
}

#ifndef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(nvml_device handle, unsigned int *count, void *infos)
{
    return list_processes(__func__, "graphics_processes", handle, count, infos);
}

EXPORT int nvmlDeviceGetMPSComputeRunningProcesses_v3(nvml_device handle, unsigned int *count, void *infos)
{
    return list_processes(__func__, "mps_processes", handle, count, infos);
}
#endif

/* ---- energy and heat ---- */

EXPORT int nvmlDeviceGetPowerUsage(nvml_device handle, unsigned int *milliwatts)
{
    return one_number(__func__, handle, "power_mw", milliwatts);
}

/* Without a counter of its own, the energy is the power since the power file was written. */
EXPORT int nvmlDeviceGetTotalEnergyConsumption(nvml_device handle, unsigned long long *millijoules)
{
    char device[PATH_SIZE], path[PATH_SIZE];
    long long value;
    struct stat s;
    int code = enter_device(__func__, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    if (read_number(device, "energy_mj", &value)) {
        *millijoules = (unsigned long long)value;
        return SUCCESS;
    }
    join(path, device, "power_mw");
    if (!read_number(device, "power_mw", &value) || stat(path, &s) != 0)
        return NOT_SUPPORTED;
    long long since = now_ms() - (s.st_mtim.tv_sec * 1000LL + s.st_mtim.tv_nsec / 1000000);
    *millijoules = since > 0 ? (unsigned long long)(value * since / 1000) : 0;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetTemperature(nvml_device handle, unsigned int sensor, unsigned int *celsius)
{
    if (sensor != 0)
        return INVALID_ARGUMENT;
    return one_number(__func__, handle, "temperature", celsius);
}

EXPORT int nvmlDeviceGetTemperatureThreshold(nvml_device handle, int which, unsigned int *celsius)
{
    unsigned int limits[2];
    if (which != 0 && which != 1)
        return INVALID_ARGUMENT;
    int code = two_numbers(__func__, handle, "temperature_limits", &limits[0], &limits[1]);
    if (code == SUCCESS)
        *celsius = limits[which];
    return code;
}

static int clocks_reasons(const char *function, nvml_device handle, unsigned long long *reasons)
{
    char device[PATH_SIZE];
    int code = enter_device(function, handle, device, NULL);
    if (code == SUCCESS)
        *reasons = (unsigned long long)number_or(device, "clocks_reasons", 0);
    return code;
}

#ifdef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device handle, unsigned long long *reasons)
#else
EXPORT int nvmlDeviceGetCurrentClocksEventReasons(nvml_device handle, unsigned long long *reasons)
#endif
{
    return clocks_reasons(__func__, handle, reasons);
}

EXPORT int nvmlDeviceGetEccMode(nvml_device handle, unsigned int *current, unsigned int *pending)
{
    return two_numbers(__func__, handle, "ecc", current, pending);
}

/* ---- condition ---- */

EXPORT int nvmlDeviceGetTotalEccErrors(nvml_device handle, int type, int counter,
                                       unsigned long long *errors)
{
    char device[PATH_SIZE];
    long long value;
    int code = enter_device(__func__, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    if (type != 1 || counter != 0)
        return INVALID_ARGUMENT;
    if (!read_number(device, "ecc_errors", &value))
        return NOT_SUPPORTED;
    *errors = (unsigned long long)value;
    return SUCCESS;
}

EXPORT int nvmlDeviceGetRetiredPages_v2(nvml_device handle, int cause, unsigned int *count,
                                        unsigned long long *addresses, unsigned long long *times)
{
    unsigned int pages, unused, room = *count;
    char device[PATH_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    if (cause != 1 || (room > 0 && (!addresses || !times)))
        return INVALID_ARGUMENT;
    if (!pair(device, "retired_pages", &pages, &unused))
        return NOT_SUPPORTED;
    *count = pages;
    return pages > room ? INSUFFICIENT_SIZE : SUCCESS;
}

EXPORT int nvmlDeviceGetRetiredPagesPendingStatus(nvml_device handle, unsigned int *pending)
{
    unsigned int pages;
    return two_numbers(__func__, handle, "retired_pages", &pages, pending);
}

#ifndef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetRemappedRows(nvml_device handle, unsigned int *corrected,
                                     unsigned int *uncorrected, unsigned int *pending,
                                     unsigned int *failed)
{
    char device[PATH_SIZE], text[TEXT_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    return read_text(device, "remapped_rows", text)
                   && sscanf(text, "%u %u %u %u", corrected, uncorrected, pending, failed) == 4
               ? SUCCESS
               : NOT_SUPPORTED;
}
#endif

/* ---- MIG ---- */

#ifndef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetMigMode(nvml_device handle, unsigned int *current, unsigned int *pending)
{
    return two_numbers(__func__, handle, "mig_mode", current, pending);
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(nvml_device handle, unsigned int *count)
{
    char device[PATH_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    if (code == SUCCESS)
        *count = MAX_MIG - 1;
    return code;
}

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(nvml_device handle, unsigned int index, nvml_device *mig)
{
    char device[PATH_SIZE], path[PATH_SIZE];
    int is_mig;
    int code = enter_device(__func__, handle, device, &is_mig);
    if (code != SUCCESS)
        return code;
    if (is_mig || index >= MAX_MIG)
        return INVALID_ARGUMENT;
    mig_dir(path, device, index);
    if (!is_dir(path))
        return NOT_FOUND;
    *mig = (nvml_device)((unsigned long)handle + 1 + index);
    return SUCCESS;
}
#endif

#ifndef FAKE_NVML_OLD
EXPORT int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvml_device mig, nvml_device *gpu)
{
    char device[PATH_SIZE];
    int is_mig;
    int code = enter_device(__func__, mig, device, &is_mig);
    if (code == SUCCESS && !is_mig)
        return INVALID_ARGUMENT;
    if (code == SUCCESS)
        *gpu = handle_of((unsigned int)(((unsigned long)mig - HANDLE_BASE) / HANDLE_STEP), -1);
    return code;
}

EXPORT int nvmlDeviceGetGpuInstanceId(nvml_device handle, unsigned int *id)
{
    return one_number(__func__, handle, "gpu_instance", id);
}

EXPORT int nvmlDeviceGetAttributes_v2(nvml_device handle, device_attributes *out)
{
    char device[PATH_SIZE], text[TEXT_SIZE];
    int code = enter_device(__func__, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    memset(out, 0, sizeof *out);
    return read_text(device, "attributes", text)
                   && sscanf(text, "%u %u %u %llu", &out->multiprocessors, &out->gpu_slices, &out->compute_slices,
                             &out->memory_mb) == 4
               ? SUCCESS
               : NOT_SUPPORTED;
}
#endif

/* ---- load of processes: process_utilization/<pid> holds time in us, percent of SMs, of memory ---- */

EXPORT int nvmlDeviceGetProcessUtilization(nvml_device handle, process_sample *samples, unsigned int *count,
                                           unsigned long long since)
{
    char device[PATH_SIZE], folder[PATH_SIZE], text[TEXT_SIZE];
    unsigned int slots = samples ? *count : 0, found = 0;
    int is_mig;
    int code = enter_device(__func__, handle, device, &is_mig);
    if (code != SUCCESS)
        return code;
    join(folder, device, "process_utilization");
    DIR *d = is_mig ? NULL : opendir(folder);
    if (!d)
        return NOT_SUPPORTED;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char *rest;
        process_sample sample = {0};
        sample.pid = (unsigned int)strtoul(e->d_name, &rest, 10);
        if (rest == e->d_name || *rest != '\0' || !read_text(folder, e->d_name, text) ||
            sscanf(text, "%llu %u %u", &sample.timestamp, &sample.sm, &sample.memory) != 3 ||
            sample.timestamp <= since)
            continue;
        if (found < slots)
            samples[found] = sample;
        found++;
    }
    closedir(d);
    *count = found;
    if (found == 0)
        return NOT_FOUND;
    return found <= slots ? SUCCESS : INSUFFICIENT_SIZE;
}

/* ---- processors near a GPU: cpu_affinity holds words of the mask, the lowest first ---- */

EXPORT int nvmlDeviceGetCpuAffinity(nvml_device handle, unsigned int words, unsigned long *mask)
{
    char device[PATH_SIZE], text[TEXT_SIZE];
    int is_mig;
    int code = enter_device(__func__, handle, device, &is_mig);
    if (code != SUCCESS)
        return code;
    if (is_mig || !read_text(device, "cpu_affinity", text))
        return NOT_SUPPORTED;
    char *next = text;
    for (unsigned int i = 0; i < words; i++)
        mask[i] = strtoul(next, &next, 0);
    return SUCCESS;
}

/* ---- topology: topology/<index of the other> holds the level, nvlink/<link> the remote address ---- */

EXPORT int nvmlDeviceGetTopologyCommonAncestor(nvml_device first, nvml_device second, int *level)
{
    char device[PATH_SIZE], other[PATH_SIZE], folder[PATH_SIZE], name[32];
    long long value;
    int code = enter_device(__func__, first, device, NULL);
    if (code == SUCCESS)
        code = enter_device(__func__, second, other, NULL);
    if (code != SUCCESS)
        return code;
    join(folder, device, "topology");
    snprintf(name, sizeof name, "%lu", ((unsigned long)second - HANDLE_BASE) / HANDLE_STEP);
    if (!read_number(folder, name, &value))
        return NOT_SUPPORTED;
    *level = (int)value;
    return SUCCESS;
}

static int nvlink(const char *function, nvml_device handle, unsigned int link, char *text)
{
    char device[PATH_SIZE], folder[PATH_SIZE], name[32];
    int code = enter_device(function, handle, device, NULL);
    if (code != SUCCESS)
        return code;
    join(folder, device, "nvlink");
    if (!is_dir(folder))
        return NOT_SUPPORTED;
    snprintf(name, sizeof name, "%u", link);
    return read_text(folder, name, text) ? SUCCESS : INVALID_ARGUMENT;
}

EXPORT int nvmlDeviceGetNvLinkState(nvml_device handle, unsigned int link, int *active)
{
    char text[TEXT_SIZE];
    int code = nvlink(__func__, handle, link, text);
    if (code == SUCCESS)
        *active = strcmp(text, "down") != 0;
    return code;
}

EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvml_device handle, unsigned int link, pci_info *out)
{
    char text[TEXT_SIZE];
    int code = nvlink(__func__, handle, link, text);
    return code ? code : parse_pci(text, out);
}

/* ---- events: each line added to gpu<N>/xids is an Xid ---- */

#ifndef FAKE_NVML_OLD
#define MAX_WATCHED 64
#define XID_CRITICAL 8ULL

typedef struct {
    unsigned int count;
    struct {
        nvml_device device;
        unsigned int seen;
    } watched[MAX_WATCHED];
} event_set;

/* The number of lines, and the value of the line at `index`, if there are so many. */
static unsigned int xid_lines(const char *device, unsigned int index, unsigned long long *value)
{
    char path[PATH_SIZE], line[TEXT_SIZE];
    unsigned int n = 0;
    join(path, device, "xids");
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        if (!isdigit((unsigned char)line[0]))
            continue;
        if (n == index && value)
            *value = strtoull(line, NULL, 10);
        n++;
    }
    fclose(f);
    return n;
}

EXPORT int nvmlEventSetCreate(event_set **set)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    if (code == SUCCESS)
        *set = calloc(1, sizeof **set);
    return code;
}

EXPORT int nvmlDeviceRegisterEvents(nvml_device handle, unsigned long long types, event_set *set)
{
    char device[PATH_SIZE];
    int is_mig;
    int code = enter_device(__func__, handle, device, &is_mig);
    if (code != SUCCESS)
        return code;
    if (is_mig || !(types & XID_CRITICAL))
        return NOT_SUPPORTED;
    if (set->count == MAX_WATCHED)
        return INSUFFICIENT_SIZE;
    set->watched[set->count].device = handle;
    set->watched[set->count].seen = xid_lines(device, 0, NULL);
    set->count++;
    return SUCCESS;
}

/*
 * Waits until something happens in a watched device's folder, as a driver wakes its waiter, or for so
 * long: an idle agent should cost nothing. `watch` is -1 where there are no watches to be had.
 */
static void pause_for(int watch, long long ms)
{
    struct pollfd change = {watch, POLLIN, 0};
    char events[TEXT_SIZE * 4];
    if (watch < 0)
        sleep_ms(ms < 50 ? ms : 50);
    else if (poll(&change, 1, (int)ms) > 0)
        while (read(watch, events, sizeof events) > 0)
            ;
}

static int watch_devices(const event_set *set, const char *dir)
{
    char device[PATH_SIZE];
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (unsigned int i = 0; watch >= 0 && i < set->count; i++) {
        gpu_dir(device, dir, (unsigned int)(((unsigned long)set->watched[i].device - HANDLE_BASE) / HANDLE_STEP));
        if (inotify_add_watch(watch, device, IN_CREATE | IN_MODIFY | IN_MOVED_TO) < 0) {
            close(watch);
            watch = -1;
        }
    }
    return watch;
}

/* The event that comes next, if one is there. */
static int next_event(event_set *set, const char *dir, event_data *out)
{
    char device[PATH_SIZE];
    for (unsigned int i = 0; i < set->count; i++) {
        unsigned long index = ((unsigned long)set->watched[i].device - HANDLE_BASE) / HANDLE_STEP;
        unsigned long long xid = 0;
        gpu_dir(device, dir, (unsigned int)index);
        if (xid_lines(device, set->watched[i].seen, &xid) > set->watched[i].seen) {
            set->watched[i].seen++;
            memset(out, 0, sizeof *out);
            out->device = set->watched[i].device;
            out->type = XID_CRITICAL;
            out->data = xid;
            out->gpu_instance = out->compute_instance = 0xFFFFFFFFU;
            return 1;
        }
    }
    return 0;
}

EXPORT int nvmlEventSetWait_v2(event_set *set, event_data *out, unsigned int timeout_ms)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    if (code != SUCCESS)
        return code;
    int watch = watch_devices(set, dir);
    long long until = now_ms() + timeout_ms;
    /* Watched first, then looked at: what comes between is not missed. */
    while ((code = enter(__func__, dir)) == SUCCESS && !next_event(set, dir, out)) {
        long long left = until - now_ms();
        if (left <= 0) {
            code = TIMEOUT;
            break;
        }
        /* What a test injects meanwhile is no change of a device: looked for each second. */
        pause_for(watch, left < 1000 ? left : 1000);
    }
    if (watch >= 0)
        close(watch);
    return code;
}

EXPORT int nvmlEventSetFree(event_set *set)
{
    char dir[PATH_SIZE];
    int code = enter(__func__, dir);
    if (code == SUCCESS)
        free(set);
    return code;
}
#endif
