#pragma once
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/types.h>
// Calls of the Linux kernel that Swift's Glibc module lacks, because they are missing, macros, or variadic. Each
// returns -1 with errno on failure, unless its comment says otherwise.

/// Creates an unnamed memory file that can be sealed and is closed on exec.
int clinux_memory_file(const char *name);
/// Seals the size of a memory file of `size` bytes, so that it can neither grow nor shrink. Returns 0, or -1 with
/// errno.
int clinux_seal_size(int descriptor, long size);

/// Calls fork(), which Swift marks as unavailable. Call it only while the process has one thread.
pid_t clinux_fork(void);
/// Starts `path` in its own session, without signal handlers or blocked signals. It inherits only `input` as descriptor
/// 0, /dev/null as descriptor 1, and descriptor 2. Returns the new process's id, or -1 with errno.
pid_t clinux_start_program(const char *path, char *const arguments[], char *const environment[], int input);

/// Starts a separate program in the same way, with /dev/null as its standard input, and `log` as its standard output
/// and error.
pid_t clinux_start_logged(const char *path, char *const arguments[], char *const environment[], int log);
/// Returns a descriptor of the process `pid`, closed on exec. It becomes readable when the process ends.
int clinux_open_process(pid_t pid);
/// Sends SIGKILL to the process of the descriptor `process`, and never to another one.
int clinux_kill(int process);
/// The end of a process, and the resources that it had used.
struct clinux_end {
    /// 1 if a signal ended the process, otherwise 0.
    int killed;
    /// The number of the signal, or the exit status.
    int status;
    /// The user and system time of all its threads, in microseconds.
    long processor_microseconds;
    /// The largest resident memory, in KiB, including the memory shared with its parent.
    long peak_kibibytes;
};
/// Returns 1 and frees the child's entry in the process table if the child has ended, otherwise 0.
int clinux_reap(int process, struct clinux_end *end);

/// Sends one packet, with descriptors if `descriptor_count` is not 0. Never waits and never raises SIGPIPE.
ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);
/// Receives one packet of at most `capacity` bytes. Returns 0 at the end. The kernel drops descriptors beyond
/// `*descriptor_count`, which is set to the number received; those are closed on exec. Returns -1 with EMSGSIZE if the
/// packet was longer or descriptors were dropped, and then closes the others.
ssize_t clinux_receive(int socket, void *bytes, size_t capacity, int *descriptors, size_t *descriptor_count, int waits);

/// Closes every descriptor from `first` on.
int clinux_close_from(int first);
/// Calls prctl() with one argument.
int clinux_process_control(int option, unsigned long argument);
/// Gives up every capability of this process.
int clinux_drop_capabilities(void);
/// Enters new user, network, mount, IPC, and host-name namespaces. With `keeps_user`, keeps the user namespace.
int clinux_unshare(int keeps_user);
/// Makes an empty, read-only folder the root of this process's mount namespace.
int clinux_empty_root(void);
/// Refuses every path, and TCP if the kernel can, to this process and its children (Landlock).
int clinux_landlock(void);

/// Seals a memory file for good: nobody can write to it, map it for writing, or change its size. Nobody may have mapped
/// it for writing before. Returns 0, or -1 with errno.
int clinux_seal_content(int descriptor);
/// Frees the memory of all bytes of a memory file that is not sealed; they read as zeros. Returns 0, or -1 with errno.
int clinux_discard_content(int descriptor);

/// Makes SIGTERM and SIGINT add 1 to the eventfd `descriptor` and do nothing else. Returns 0, or -1 with errno.
int clinux_watch_termination(int descriptor);

/// Reads a time in UTC that has this form of strptime(3) from its beginning to its end. Returns 0 if it has not.
int clinux_read_time(const char *text, const char *form, long *seconds);

/// Returns the descriptor of a timer on the monotonic clock, or -1 with errno.
int clinux_timer(void);
/// Sets the timer to fire once, at this time of the monotonic clock.
void clinux_timer_set(int timer, long seconds, long nanoseconds);
/// Waits until the timer has fired.
void clinux_timer_wait(int timer);

/// Calls epoll_ctl() to wait once for `descriptor` to become readable or hang up. The event carries `token`.
int clinux_epoll_add(int epoll, int descriptor, unsigned long token);
int clinux_epoll_remove(int epoll, int descriptor);
/// Waits for one event, without a time limit. Returns 1 with its token, or 0 after a signal.
int clinux_epoll_wait(int epoll, unsigned long *token);

/// Calls preadv2() with one buffer. Without `waits`, returns -1 with EAGAIN if the data is not in memory.
ssize_t clinux_read_at(int descriptor, void *bytes, size_t count, long offset, int waits);

/// Returns 1 if the folder of `descriptor` is the root of a mount, otherwise 0.
int clinux_is_mount_point(int descriptor);

/// Returns the number of processors that this process may run on: sched_getaffinity(2); -1 if it is unknown.
int clinux_processor_count(void);

/// Returns the kernel's number of the calling thread.
pid_t clinux_thread_number(void);
/// Sets the nice value of a thread of this process: setpriority(2) of Linux, which knows threads.
int clinux_yield_thread(pid_t number, int nice);
/// Gives the calling thread a nice value below zero, if it may have one, and the threads and processes that it starts zero again:
/// SCHED_RESET_ON_FORK of sched(7).
void clinux_make_thread_urgent(int nice);
/// Blocks all signals in the calling thread: pthread_sigmask(3).
void clinux_block_signals(void);
