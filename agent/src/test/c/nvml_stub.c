/*
 * Plays a machine behind the functions of libnvidia-ml that the agent calls. The machine is read at nvmlInit_v2 from a
 * text file beside this library, named like it with ".machine" added: one fact per line, words separated by blanks.
 *
 *   gpu UUID BUSID MINOR MODULE NUMANODE    NVML's form of the bus id; -1 for a number that is not told
 *   affinity GPU NODE                       one node of a GPU's memory affinity; can be repeated
 *   link GPU NUMBER STATE TYPE BUSID        0 inactive, 1 active, 2 asleep; remote type; "-" for an empty bus id
 *   ancestor GPU GPU LEVEL                  nvmlDeviceGetTopologyCommonAncestor
 *   p2p GPU GPU STATUS                      nvmlDeviceGetP2PStatus; 0 where not told
 *   fabric GPU STATE STATUS CLIQUE UUIDHEX  32 hexadecimal digits
 *   mig GPU SLOT UUID GI CI MEMORYMB        a GPU with one of these is in MIG mode, with 7 slots
 *   fail FUNCTION GPU CODE                  the function returns the code; GPU -1: for all
 *   hang FUNCTION                           the function never returns
 *   crash FUNCTION                          the function writes to address 0
 *   abort FUNCTION                          the function ends the process by abort()
 *   exit FUNCTION                           the function ends the process with status 0
 *   flood FUNCTION                          the function writes to standard output without end
 *   chat FUNCTION                           the function writes some text to standard output, and goes on
 *   count N                                 this many GPUs are reported, whatever the number of "gpu" lines
 *   slots N                                 so many MIG slots are reported
 *   links N                                 so many NVLinks are reported, as a signed field of 64 bits
 *   endless FUNCTION                        the function fills its text buffer without an end
 *   overrun FUNCTION                        the function writes 16 MiB to its text buffer
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GPUS = 80, LINKS = 36, SLOTS = 7, FAILS = 64 };

struct link { int known, state, type; char bus[32]; };
struct slot { int known, gi, ci; char uuid[96]; unsigned long long memory; };
struct gpu {
    char uuid[96], bus[32];
    int minor, module, numa, mig, links;
    unsigned long affinity[16];
    int ancestor[GPUS], p2p[GPUS];
    int fabric_state, fabric_status;
    unsigned fabric_clique;
    unsigned char cluster[16];
    struct link link[LINKS];
    struct slot slot[SLOTS];
};
struct fail { char function[64]; int gpu, code; };

static struct gpu gpus[GPUS];
static struct fail fails[FAILS];
static char action[16], acting[64];
static int count, counts, reported, slots, failing;
static long long links;

static int acts(const char *what, const char *function) {
    return strcmp(action, what) == 0 && strcmp(acting, function) == 0;
}

static int code_for(const char *function, int gpu) {
    if (acts("hang", function)) {
        for (;;) {
            pause();
        }
    } else if (acts("crash", function)) {
        *(volatile int *) 0 = 1;
    } else if (acts("abort", function)) {
        abort();
    } else if (acts("exit", function)) {
        exit(0);
    }
    while (acts("flood", function)) {
        puts("gpu 0 GPU-a 00000000:3B:00.0");
    }
    if (acts("chat", function)) {
        printf("NVRM: no newline follows");
        fflush(stdout);
    }
    for (int i = 0; i < failing; i++) {
        if (strcmp(fails[i].function, function) == 0 && (fails[i].gpu == -1 || fails[i].gpu == gpu)) {
            return fails[i].code;
        }
    }
    return 0;
}

/* Handles are pointers into gpus, or to a slot of one of them. */
static int index_of(const void *device) {
    return (int) (((const char *) device - (const char *) gpus) / sizeof(struct gpu));
}

#define ANSWER(device) \
    do { \
        int code = code_for(__func__, index_of(device)); \
        if (code) return code; \
    } while (0)

static const struct slot *slot_of(const void *device) {
    int gpu = index_of(device);
    for (int i = 0; i < SLOTS; i++) {
        if (device == &gpus[gpu].slot[i]) {
            return device;
        }
    }
    return 0;
}

static void read_line(const char *line) {
    int gpu, other, number, state, type, node, gi, ci;
    unsigned clique;
    unsigned long long memory;
    char text[96], bus[32];
    struct gpu fresh;
    memset(&fresh, 0, sizeof fresh);
    if (sscanf(line, "gpu %95s %31s %d %d %d", fresh.uuid, fresh.bus, &fresh.minor, &fresh.module, &fresh.numa) == 5) {
        memset(fresh.ancestor, -1, sizeof fresh.ancestor);
        gpus[count++] = fresh;
    } else if (sscanf(line, "affinity %d %d", &gpu, &node) == 2) {
        gpus[gpu].affinity[node / 64] |= 1UL << node % 64;
    } else if (sscanf(line, "link %d %d %d %d %31s", &gpu, &number, &state, &type, bus) == 5) {
        struct link *link = &gpus[gpu].link[number];
        link->known = 1;
        link->state = state;
        link->type = type;
        strcpy(link->bus, strcmp(bus, "-") == 0 ? "" : bus);
        gpus[gpu].links = number + 1;
    } else if (sscanf(line, "ancestor %d %d %d", &gpu, &other, &state) == 3) {
        gpus[gpu].ancestor[other] = gpus[other].ancestor[gpu] = state;
    } else if (sscanf(line, "p2p %d %d %d", &gpu, &other, &state) == 3) {
        gpus[gpu].p2p[other] = gpus[other].p2p[gpu] = state;
    } else if (sscanf(line, "fabric %d %d %d %u %32s", &gpu, &state, &type, &clique, text) == 5) {
        gpus[gpu].fabric_state = state;
        gpus[gpu].fabric_status = type;
        gpus[gpu].fabric_clique = clique;
        for (int i = 0; i < 16; i++) {
            sscanf(text + 2 * i, "%2hhx", &gpus[gpu].cluster[i]);
        }
    } else if (sscanf(line, "mig %d %d %95s %d %d %llu", &gpu, &number, text, &gi, &ci, &memory) == 6) {
        struct slot *slot = &gpus[gpu].slot[number];
        gpus[gpu].mig = slot->known = 1;
        slot->gi = gi;
        slot->ci = ci;
        slot->memory = memory;
        strcpy(slot->uuid, text);
    } else if (sscanf(line, "fail %63s %d %d", fails[failing].function, &fails[failing].gpu, &fails[failing].code) == 3) {
        failing++;
    } else if (sscanf(line, "count %d", &reported) == 1) {
        counts = 1;
    } else if (sscanf(line, "slots %d", &slots) != 1 && sscanf(line, "links %lld", &links) != 1) {
        sscanf(line, "%15s %63s", action, acting);
    }
}

int nvmlInit_v2(void) {
    Dl_info self;
    char path[4096], line[512];
    count = failing = 0;
    counts = links = action[0] = 0;
    slots = SLOTS;
    dladdr(&count, &self); /* not a function: another copy of this library may have been found first */
    snprintf(path, sizeof path, "%s.machine", self.dli_fname);
    FILE *file = fopen(path, "r");
    if (!file) {
        return 9;
    }
    while (fgets(line, sizeof line, file)) {
        read_line(line);
    }
    fclose(file);
    return code_for("nvmlInit_v2", -1);
}

int nvmlShutdown(void) {
    return code_for(__func__, -1);
}

int nvmlSystemGetDriverVersion(char *version, unsigned length) {
    snprintf(version, length, "999.1.2");
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *out) {
    *out = counts ? reported : count;
    return code_for(__func__, -1);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    *device = &gpus[index];
    return code_for(__func__, index);
}

static void fill(const char *function, char *text, unsigned length) {
    if (acts("endless", function)) {
        memset(text, 'x', length);
    } else if (acts("overrun", function)) {
        memset(text, 'x', 16 << 20);
    }
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned length) {
    ANSWER(device);
    const struct slot *slot = slot_of(device);
    snprintf(uuid, length, "%s", slot ? slot->uuid : ((struct gpu *) device)->uuid);
    fill(__func__, uuid, length);
    return 0;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length) {
    ANSWER(device);
    snprintf(name, length, "Stub %d", index_of(device));
    fill(__func__, name, length);
    return 0;
}

static int number(int value, unsigned *out) {
    *out = value;
    return value < 0 ? 3 : 0;
}

int nvmlDeviceGetMinorNumber(struct gpu *device, unsigned *out) {
    ANSWER(device);
    return number(device->minor, out);
}

#ifndef WITHOUT_MODULE_ID
int nvmlDeviceGetModuleId(struct gpu *device, unsigned *out) {
    ANSWER(device);
    return number(device->module, out);
}
#endif

int nvmlDeviceGetNumaNodeId(struct gpu *device, unsigned *out) {
    ANSWER(device);
    return number(device->numa, out);
}

int nvmlDeviceGetMemoryAffinity(struct gpu *device, unsigned size, unsigned long *nodes, unsigned scope) {
    ANSWER(device);
    if (scope != 0) {
        return 2;
    }
    memcpy(nodes, device->affinity, (size < 16 ? size : 16) * sizeof *nodes);
    return 0;
}

struct pci_info { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; };
_Static_assert(sizeof(struct pci_info) == 68, "nvmlPciInfo_t has 68 bytes");

static int pci_info(const char *bus_id, struct pci_info *info) {
    memset(info, 0, sizeof *info);
    strcpy(info->bus_id, bus_id);
    return 0;
}

int nvmlDeviceGetPciInfo_v3(struct gpu *device, struct pci_info *info) {
    ANSWER(device);
    pci_info(device->bus, info);
#ifdef WITHOUT_BUS_ID_TEXT
    memset(info->bus_id, 0, sizeof info->bus_id);
    sscanf(device->bus, "%x:%x:%x", &info->domain, &info->bus, &info->device);
#endif
    return 0;
}

int nvmlDeviceGetNvLinkState(struct gpu *device, unsigned link, int *active) {
    ANSWER(device);
    if (link >= LINKS || !device->link[link].known) {
        return 2;
    }
    *active = device->link[link].state == 1;
    return 0;
}

int nvmlDeviceGetNvLinkVersion(struct gpu *device, unsigned link, unsigned *version) {
    ANSWER(device);
    *version = link < LINKS ? 6 : 0;
    return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(struct gpu *device, unsigned link, int *type) {
    ANSWER(device);
    *type = device->link[link].type;
    return 0;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(struct gpu *device, unsigned link, struct pci_info *info) {
    ANSWER(device);
    return pci_info(device->link[link].bus, info);
}

struct field_value {
    unsigned field, scope;
    long long timestamp, latency;
    int type, code;
    union { double real; unsigned number; unsigned long long large; } value;
};
_Static_assert(sizeof(struct field_value) == 40, "nvmlFieldValue_t has 40 bytes");

#ifndef WITHOUT_FIELD_VALUES
int nvmlDeviceGetFieldValues(struct gpu *device, int entries, struct field_value *values) {
    ANSWER(device);
    for (int i = 0; i < entries; i++) {
        values[i].type = 1;
        values[i].code = 0;
        if (values[i].field == 91 && links) {
            values[i].type = 4;
            values[i].value.large = links;
        } else if (values[i].field == 91) {
            values[i].value.number = device->links;
        } else if (values[i].field == 165 && values[i].scope < LINKS && device->link[values[i].scope].known) {
            values[i].value.number = device->link[values[i].scope].state;
        } else {
            values[i].code = 3;
        }
    }
    return 0;
}
#endif

int nvmlDeviceGetTopologyCommonAncestor(struct gpu *device, struct gpu *other, int *level) {
    ANSWER(device);
    return number(device->ancestor[index_of(other)], (unsigned *) level);
}

int nvmlDeviceGetP2PStatus(struct gpu *device, struct gpu *other, int which, int *status) {
    ANSWER(device);
    *status = device->p2p[index_of(other)];
    return which == 2 ? 0 : 2;
}

struct fabric { unsigned char cluster[16]; int status; unsigned clique; unsigned char state; };
_Static_assert(sizeof(struct fabric) == 28, "nvmlGpuFabricInfo_t has 28 bytes");

static void fill_fabric(const struct gpu *device, struct fabric *info) {
    memcpy(info->cluster, device->cluster, 16);
    info->status = device->fabric_status;
    info->clique = device->fabric_clique;
    info->state = device->fabric_state;
}

/* FABRIC is the newest version of the struct that the driver knows; 1 is the call without versions. */
#ifndef FABRIC
#define FABRIC 3
#endif
#if FABRIC > 1
int nvmlDeviceGetGpuFabricInfoV(struct gpu *device, void *info) {
    ANSWER(device);
    unsigned version = *(unsigned *) info;
    if (version != 0x02000024 && !(FABRIC == 3 && version == 0x03000028)) {
        return 25;
    }
    struct fabric fabric;
    fill_fabric(device, &fabric);
    memcpy((char *) info + 4, &fabric, 25);
    return 0;
}
#else
int nvmlDeviceGetGpuFabricInfo(struct gpu *device, struct fabric *info) {
    ANSWER(device);
    fill_fabric(device, info);
    return 0;
}
#endif

int nvmlDeviceGetMigMode(struct gpu *device, unsigned *current, unsigned *pending) {
    ANSWER(device);
    *current = *pending = device->mig;
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(struct gpu *device, unsigned *out) {
    ANSWER(device);
    *out = slots;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(struct gpu *device, unsigned index, void **mig) {
    ANSWER(device);
    *mig = &device->slot[index];
    return index < SLOTS && device->slot[index].known ? 0 : 6;
}

int nvmlDeviceGetGpuInstanceId(struct slot *mig, unsigned *id) {
    *id = mig->gi;
    return 0;
}

int nvmlDeviceGetComputeInstanceId(struct slot *mig, unsigned *id) {
    *id = mig->ci;
    return 0;
}

int nvmlDeviceGetAttributes_v2(struct slot *mig, unsigned char *attributes) {
    memset(attributes, 0, 40);
    memcpy(attributes + 32, &mig->memory, 8);
    return 0;
}
