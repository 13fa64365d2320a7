#define _GNU_SOURCE
#include "CHeldDisk.h"
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) (void *)dlsym(RTLD_NEXT, name)

// Every thread begins with this name. Those of attachd, NIO and Foundation get another. Those of libdispatch, which are Swift's
// pool, keep it or have a name of libdispatch.
#define UNNAMED "-unnamed-"

struct start {
    void *(*run)(void *);
    void *context;
};

static void *begin(void *context) {
    struct start start = *(struct start *)context;
    free(context);
    prctl(PR_SET_NAME, UNNAMED);
    return start.run(start.context);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NEXT("pthread_create");
    struct start *start = malloc(sizeof *start);
    if (start == NULL) return EAGAIN;
    *start = (struct start){run, context};
    int code = next(thread, attributes, begin, start);
    if (code != 0) free(start);
    return code;
}

static int is_on_pool(void) {
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    return syscall(SYS_gettid) != getpid() && (strcmp(name, UNNAMED) == 0 || strstr(name, "-qos") != NULL);
}

static void write_down(const char *list, const char *call, const char *path) {
    void *frames[64];
    FILE *file = fopen(list, "a");
    if (file == NULL) return;
    fprintf(file, "%s on a thread of Swift's pool: %s\n", call, path);
    fflush(file);
    backtrace_symbols_fd(frames, backtrace(frames, 64), fileno(file));
    fclose(file);
}

static void before(const char *call, const char *path) {
    int saved = errno;
    const char *below = getenv("HELD_BELOW"), *calls = getenv("HELD_CALLS");
    const char *during = getenv("HELD_WHILE"), *threads = getenv("HELD_THREADS");
    if (below != NULL && strncmp(path, below, strlen(below)) == 0) {
        if (threads != NULL && is_on_pool()) {
            write_down(threads, call, path);
            abort();
        }
        struct timespec pause = {0, 10 * 1000 * 1000};
        while (calls != NULL && strstr(calls, call) != NULL && during != NULL && access(during, F_OK) == 0)
            nanosleep(&pause, NULL);
    }
    errno = saved;
}

static void before_at(const char *call, int descriptor, const char *entry) {
    char link[64], path[PATH_MAX + NAME_MAX + 2];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, PATH_MAX);
    path[count < 0 ? 0 : count] = 0;
    if (entry != NULL) {
        strcat(path, "/");
        strncat(path, entry, NAME_MAX);
    }
    before(call, path);
}

int flock(int descriptor, int operation) {
    int (*next)(int, int) = NEXT("flock");
    if ((operation & (LOCK_UN | LOCK_NB)) == 0) before_at("flock", descriptor, NULL);
    return next(descriptor, operation);
}

int fsync(int descriptor) {
    int (*next)(int) = NEXT("fsync");
    before_at("fsync", descriptor, NULL);
    return next(descriptor);
}

int fdatasync(int descriptor) {
    int (*next)(int) = NEXT("fdatasync");
    before_at("fsync", descriptor, NULL);
    return next(descriptor);
}

int unlink(const char *path) {
    int (*next)(const char *) = NEXT("unlink");
    before("unlink", path);
    return next(path);
}

int unlinkat(int folder, const char *path, int flags) {
    int (*next)(int, const char *, int) = NEXT("unlinkat");
    before_at("unlink", folder, path);
    return next(folder, path, flags);
}

int rename(const char *path, const char *target) {
    int (*next)(const char *, const char *) = NEXT("rename");
    before("rename", target);
    return next(path, target);
}

int renameat(int folder, const char *path, int other, const char *target) {
    int (*next)(int, const char *, int, const char *) = NEXT("renameat");
    before_at("rename", other, target);
    return next(folder, path, other, target);
}
