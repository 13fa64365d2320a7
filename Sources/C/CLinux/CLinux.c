#define _GNU_SOURCE
#include <pthread.h>
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The most descriptors that one of our packets carries.
enum { descriptor_limit = 8 };

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int clinux_seal_size(int descriptor, long size) {
    if (ftruncate(descriptor, size) != 0) return -1;
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}

pid_t clinux_fork(void) { return fork(); }

// Starts `path` with `actions`, which it destroys, and closes all other descriptors.
static pid_t start(const char *path, char *const arguments[], char *const environment[],
                   posix_spawn_file_actions_t *actions, int code) {
    posix_spawnattr_t attributes;
    sigset_t all, none;
    pid_t pid = -1;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (code == 0) code = posix_spawn(&pid, path, actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(actions);
    posix_spawnattr_destroy(&attributes);
    errno = code;
    return code == 0 ? pid : -1;
}

pid_t clinux_start_program(const char *path, char *const arguments[], char *const environment[], int input) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int code = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (code == 0) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_RDWR, 0);
    return start(path, arguments, environment, &actions, code);
}

pid_t clinux_start_logged(const char *path, char *const arguments[], char *const environment[], int log) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    int code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, log, 1);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, log, 2);
    return start(path, arguments, environment, &actions, code);
}

int clinux_open_process(pid_t pid) { return pidfd_open(pid, 0); }

int clinux_kill(int process) { return pidfd_send_signal(process, SIGKILL, NULL, 0); }

static long microseconds(struct timeval time) { return time.tv_sec * 1000000 + time.tv_usec; }

int clinux_reap(int process, struct clinux_end *end) {
    siginfo_t info;
    struct rusage usage;
    memset(&info, 0, sizeof info);
    // The C library's waitid() leaves out the kernel's fifth argument, and its wait4() does not take process
    // descriptors.
    if (syscall(SYS_waitid, P_PIDFD, process, &info, WEXITED | WNOHANG, &usage) != 0) return -1;
    if (info.si_pid == 0) return 0;
    end->killed = info.si_code != CLD_EXITED;
    end->status = info.si_status;
    end->processor_microseconds = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    end->peak_kibibytes = usage.ru_maxrss;
    return 1;
}

ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
    union {
        char bytes[CMSG_SPACE(descriptor_limit * sizeof(int))];
        struct cmsghdr alignment;
    } control = {0};
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > descriptor_limit) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t clinux_receive(int socket, void *bytes, size_t capacity, int *descriptors, size_t *descriptor_count, int waits) {
    union {
        char bytes[CMSG_SPACE(descriptor_limit * sizeof(int))];
        struct cmsghdr alignment;
    } control;
    size_t limit = *descriptor_count < descriptor_limit ? *descriptor_count : descriptor_limit;
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (limit > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_LEN(limit * sizeof(int));
    }
    *descriptor_count = 0;
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        *descriptor_count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(descriptors, CMSG_DATA(header), *descriptor_count * sizeof(int));
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        for (size_t i = 0; i < *descriptor_count; i++) close(descriptors[i]);
        *descriptor_count = 0;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int clinux_close_from(int first) { return close_range((unsigned)first, ~0u, 0); }

int clinux_process_control(int option, unsigned long argument) { return prctl(option, argument, 0, 0, 0); }

int clinux_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    return (int)syscall(SYS_capset, &header, none);
}

int clinux_unshare(int keeps_user) {
    int kinds = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
    return unshare(keeps_user ? kinds : kinds | CLONE_NEWUSER);
}

int clinux_empty_root(void) {
    // Any folder can become the new root. Every system has /proc.
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
    if (mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,nr_inodes=2,mode=0555") != 0) return -1;
    if (chdir("/proc") != 0) return -1;
    // pivot_root(2): if both folders are the same, the old root ends up on top of the new one, from where it is
    // unmounted.
    if (syscall(SYS_pivot_root, ".", ".") != 0) return -1;
    if (umount2(".", MNT_DETACH) != 0) return -1;
    if (mount("none", "/", NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) return -1;
    return chdir("/");
}

int clinux_landlock(void) {
    // From linux/landlock.h of Linux 6.12, because Debian 12's header has only the first two versions.
    struct {
        uint64_t file_access, network_access, scopes;
    } handled = {0};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    if (version < 0) return -1;
    int file_bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    handled.file_access = (1ull << file_bits) - 1;
    if (version >= 4) handled.network_access = 3;  // bind and connect TCP
    if (version >= 6) handled.scopes = 3;          // abstract sockets and signals
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    long ruleset = syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (ruleset < 0) return -1;
    long result = syscall(SYS_landlock_restrict_self, (int)ruleset, 0);
    close((int)ruleset);
    return (int)result;
}

int clinux_epoll_add(int epoll, int descriptor, unsigned long token) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = token};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int clinux_epoll_remove(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }

int clinux_epoll_wait(int epoll, unsigned long *token) {
    struct epoll_event event;
    int count = epoll_wait(epoll, &event, 1, -1);
    if (count == 1) *token = event.data.u64;
    return count < 0 && errno == EINTR ? 0 : count;
}

// Does not use F_SEAL_WRITE: the kernel would wait 155 ms for pages that are being read, and then often refuse with
// EBUSY. The seals differ only for writable mappings, and there are none.
int clinux_seal_content(int descriptor) {
    return fcntl(descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}

int clinux_discard_content(int descriptor) {
    off_t size = lseek(descriptor, 0, SEEK_END);
    if (size <= 0) return (int)size;
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size);
}

static volatile int termination_descriptor = -1;

static void tell_termination(int signal) {
    int code = errno;
    eventfd_write(termination_descriptor, (eventfd_t)signal);
    errno = code;
}

int clinux_watch_termination(int descriptor) {
    struct sigaction action = {.sa_handler = tell_termination, .sa_flags = SA_RESTART};
    termination_descriptor = descriptor;
    if (sigaction(SIGTERM, &action, NULL) != 0) return -1;
    return sigaction(SIGINT, &action, NULL);
}

int clinux_read_time(const char *text, const char *form, long *seconds) {
    struct tm fields = {0};
    const char *end = strptime(text, form, &fields);
    if (!end || *end) return 0;
    *seconds = timegm(&fields);
    return 1;
}

int clinux_timer(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

void clinux_timer_set(int timer, long seconds, long nanoseconds) {
    const struct itimerspec at = {.it_value = {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

void clinux_timer_wait(int timer) {
    uint64_t expirations;
    while (read(timer, &expirations, sizeof expirations) < 0 && errno == EINTR) {}
}

ssize_t clinux_read_at(int descriptor, void *bytes, size_t count, long offset, int waits) {
    struct iovec part = {bytes, count};
    ssize_t result = preadv2(descriptor, &part, 1, offset, waits ? 0 : RWF_NOWAIT);
    // The file system does not support the flag.
    if (result < 0 && errno == EOPNOTSUPP) errno = EAGAIN;
    return result;
}

int clinux_is_mount_point(int descriptor) {
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, 0, &status) != 0) return -1;
    // Linux reports this attribute since 5.8.
    if (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    struct stat folder, parent;
    if (fstat(descriptor, &folder) != 0 || fstatat(descriptor, "..", &parent, 0) != 0) return -1;
    return folder.st_dev != parent.st_dev;
}

int clinux_processor_count(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) ? -1 : CPU_COUNT(&processors);
}

pid_t clinux_thread_number(void) { return gettid(); }

void clinux_make_thread_urgent(int nice) {
    struct sched_param parameters = {0};
    if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameters) == 0) setpriority(PRIO_PROCESS, 0, nice);
}

int clinux_yield_thread(pid_t number, int nice) { return setpriority(PRIO_PROCESS, number, nice); }

void clinux_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}
