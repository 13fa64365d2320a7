#define _GNU_SOURCE
#include "CSimulation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// MARK: Jobs

typedef __attribute__((swiftcall)) void (*enqueue_t)(void *job);
typedef __attribute__((swiftcall)) void (*hook_t)(void *job, enqueue_t original);

extern __attribute__((swiftcall)) void swift_job_run(void *job, void *executor, void *implementation);
extern uint64_t swift_task_getJobTaskId(void *job);

static uintptr_t *jobs;
static size_t first, count, capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((swiftcall)) void take(void *job, enqueue_t original) {
    (void)original;
    pthread_mutex_lock(&lock);
    if (count == capacity) {
        capacity = capacity ? capacity * 2 : 256;
        jobs = realloc(jobs, capacity * sizeof *jobs);
        if (!jobs) abort();
    }
    jobs[count++] = (uintptr_t)job;
    pthread_mutex_unlock(&lock);
}

void csimulation_take_over(void) {
    // The library's own variable: a reference from here would be a copy of it.
    void *library = dlopen("libswift_Concurrency.so", RTLD_LAZY | RTLD_NOLOAD);
    hook_t *hook = library ? dlsym(library, "swift_task_enqueueGlobal_hook") : NULL;
    if (!hook) {
        fputs("error: Swift's runtime has no hook for the jobs of tasks. Link it dynamically.\n", stderr);
        abort();
    }
    *hook = take;
}

uintptr_t csimulation_next_job(void) {
    pthread_mutex_lock(&lock);
    if (first == count) first = count = 0;
    uintptr_t job = count > 0 ? jobs[first++] : 0;
    pthread_mutex_unlock(&lock);
    return job;
}

uint64_t csimulation_task(uintptr_t job) { return swift_task_getJobTaskId((void *)job); }

void csimulation_run(uintptr_t job) { swift_job_run((void *)job, NULL, NULL); }

// MARK: Chance and time

static uint64_t random_state;
static int is_seeded;

void csimulation_seed(uint64_t seed) {
    random_state = seed;
    is_seeded = 1;
}

static long fill(unsigned char *next, size_t size) {
    for (size_t left = size; left > 0;) {
        // SplitMix64, by Steele, Lea, and Flood.
        uint64_t mixed = random_state += 0x9E3779B97F4A7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        mixed ^= mixed >> 31;
        size_t part = left < sizeof mixed ? left : sizeof mixed;
        memcpy(next, &mixed, part);
        next += part;
        left -= part;
    }
    return (long)size;
}

typedef long (*syscall_t)(long, long, long, long, long, long, long);

// In place of the function of the C library, which Swift's generator calls: the program's own comes first.
long syscall(long number, ...) {
    static syscall_t original;
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) arguments[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom && is_seeded) return fill((unsigned char *)arguments[0], (size_t)arguments[1]);
    if (!original) original = (syscall_t)dlsym(RTLD_NEXT, "syscall");
    if (!original) abort();
    return original(
        number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static int64_t simulated_time = -1;

void csimulation_set_time(int64_t nanoseconds) { simulated_time = nanoseconds; }

// In place of the function of the C library.
int clock_gettime(clockid_t clock, struct timespec *time) {
    if (simulated_time < 0) return (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec = simulated_time / 1000000000;
    time->tv_nsec = simulated_time % 1000000000;
    return 0;
}

// In place of the function of the C library: a simulated process is the other end of a socket.
int pidfd_send_signal(int process, int signal, siginfo_t *info, unsigned int flags) {
    (void)signal, (void)info, (void)flags;
    return send(process, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -1;
}

// MARK: The process

int csimulation_fix_addresses(char *const *arguments) {
    const char *hashing = getenv("SWIFT_DETERMINISTIC_HASHING");
    int persona = personality(0xFFFFFFFF);
    if (hashing && !strcmp(hashing, "1") && persona >= 0 && (persona & ADDR_NO_RANDOMIZE)) return 0;
    if (persona < 0 || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0) return -1;
    if (setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)) return -1;
    return execv("/proc/self/exe", arguments);
}

int csimulation_fork(void) { return fork(); }
