#define _GNU_SOURCE
#include "CForbiddenCalls.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char page[8192] __attribute__((aligned(4096)));
static char *const nothing[] = {NULL};

#define CALL(title, ...) \
    if (strcmp(name, title) == 0) return syscall(__VA_ARGS__) < 0 ? errno : 0

int forbidden_call(const char *name, int descriptor) {
    unsigned long how[3] = {0, 0, 0};
    if (strcmp(name, "socket with SIGSYS blocked") == 0) {
        sigset_t set;
        sigfillset(&set);
        sigprocmask(SIG_BLOCK, &set, NULL);
        return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
    }
    CALL("open", SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
    CALL("open for writing", SYS_openat, AT_FDCWD, "/tmp/escaped", O_RDWR | O_CREAT, 0600);
    CALL("openat2", SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
    CALL("open its environment", SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY);
    CALL("statx", SYS_statx, AT_FDCWD, "/", 0, 0, page);
    CALL("readlink", SYS_readlinkat, AT_FDCWD, "/proc/self/exe", page, 100);
    CALL("unlink", SYS_unlinkat, AT_FDCWD, "/tmp/victim", 0);
    CALL("rename", SYS_renameat2, AT_FDCWD, "/tmp/victim", AT_FDCWD, "/tmp/loot", 0);
    CALL("socket", SYS_socket, AF_INET, SOCK_STREAM, 0);
    CALL("connect", SYS_connect, 0, page, sizeof(struct sockaddr));
    CALL("sendto", SYS_sendto, 0, page, 1, 0, NULL, 0);
    CALL("execve", SYS_execve, "/bin/sh", nothing, nothing);
    CALL("fork", SYS_clone, SIGCHLD, 0, 0, 0, 0);
    CALL("clone3", SYS_clone3, page, 64);
    CALL("ptrace", SYS_ptrace, 0, 0, 0, 0);
    CALL("kill its parent", SYS_kill, 1, SIGTERM);
    CALL("tgkill another", SYS_tgkill, 1, 1, SIGTERM);
    CALL("kill itself", SYS_tgkill, getpid(), syscall(SYS_gettid), SIGKILL);
    CALL("pidfd_open", SYS_pidfd_open, 1, 0);
    CALL("process_vm_readv", SYS_process_vm_readv, 1, NULL, 0, NULL, 0, 0);
    CALL("io_uring_setup", SYS_io_uring_setup, 8, page);
    CALL("userfaultfd", SYS_userfaultfd, 0);
    CALL("bpf", SYS_bpf, 0, page, 64);
    CALL("keyctl", SYS_keyctl, 0, 0, 0, 0, 0);
    CALL("perf_event_open", SYS_perf_event_open, page, 0, -1, -1, 0);
    CALL("memfd_create", SYS_memfd_create, "more", 0);
    CALL("executable mmap", SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CALL("executable mprotect", SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    CALL("unshare", SYS_unshare, CLONE_NEWUSER);
    CALL("setns", SYS_setns, 0, 0);
    CALL("mount", SYS_mount, "none", "/", "tmpfs", 0, NULL);
    CALL("chroot", SYS_chroot, "/");
    CALL("setuid", SYS_setuid, 0);
    CALL("lift its limits", SYS_prlimit64, 0, 7, how, NULL);
    CALL("dumpable again", SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
    CALL("another filter", SYS_prctl, PR_SET_SECCOMP, 0, 0, 0, 0);
    CALL("ftruncate", SYS_ftruncate, descriptor, 0);
    CALL("fcntl", SYS_fcntl, descriptor, F_ADD_SEALS, 0);
    CALL("dup", SYS_dup, 0);
    CALL("pipe", SYS_pipe2, page, 0);
    CALL("ioctl", SYS_ioctl, 0, 0x5412, page);
    CALL("sysinfo", SYS_sysinfo, page);
#ifdef __x86_64__
    CALL("x32 write", 0x40000000 | SYS_write, descriptor, page, 1);
#endif
    // The file-size limit is 64 MB, as the pool sets it.
    CALL("write past the limit", SYS_pwrite64, descriptor, page, 1, 64000001L);
    return -1;
}
