#define _GNU_SOURCE
#include "CProcess.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// The handler of SIGSYS in a decoder process. It may run in a process that an attacker has taken over, so it reads no
// memory that the process can change but its own stack, calls no function through the process's tables, and never
// returns: whatever it can or cannot report, the process ends.

static inline __attribute__((always_inline)) long raw_call(long number, long a, long b, long c) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
#error "The architecture's system call instruction is missing."
#endif
}

// The kernel blocks SIGSYS while this runs. So the next forbidden call ends the process at once, with SIGSYS: the kernel
// takes the default action for a signal that it forces and that is blocked.
static void report_and_die(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    // SYS_SECCOMP of <asm-generic/siginfo.h>. Another code comes from a process outside.
    if (info->si_code == 1) {
        unsigned char packet[1 + 8] = {CPROCESS_FORBIDDEN_CALL_REPORT};
        unsigned number = (unsigned)info->si_syscall;
        for (int i = 0; i < 4; i++) packet[1 + i] = (unsigned char)(number >> (8 * i));
        struct iovec part = {.iov_base = packet, .iov_len = sizeof packet};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        raw_call(SYS_sendmsg, 0, (long)&message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    for (;;) {
        // Has no effect even where it is allowed, because its arguments are not valid.
        raw_call(SYS_reboot, 0, 0, 0);
        raw_call(SYS_exit_group, 1, 0, 0);
    }
}

int cprocess_report_forbidden_calls(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report_and_die;
    action.sa_flags = SA_SIGINFO;
    sigfillset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL) != 0) return -1;
    // The signal may be blocked from before; then there would be no report.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    return sigprocmask(SIG_UNBLOCK, &set, NULL);
}
