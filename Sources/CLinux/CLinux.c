#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int clinux_seal_size(int descriptor, long size) {
    if (ftruncate(descriptor, size) != 0) return -1;
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}
