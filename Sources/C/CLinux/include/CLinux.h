#pragma once
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/types.h>
// Calls of the Linux kernel that Swift's Glibc module leaves out, or that are macros or variadic.
// Each answers -1 with errno on failure, unless it says otherwise.

/// An unnamed memory file that can be sealed, closed on exec.
int clinux_memory_file(const char *name);
/// Seals the size of a memory file of `size` bytes: it can neither grow nor shrink. 0, or -1 with errno.
int clinux_seal_size(int descriptor, long size);

/// Swift marks fork() unavailable. Call it only while the process has one thread.
pid_t clinux_fork(void);
/// Starts `path` in a session of its own, without signal handlers or blocked signals. Of this process it gets `input`
/// as descriptor 0, /dev/null as 1, and descriptor 2; no other. The new process's id, or -1 with errno.
pid_t clinux_start_program(const char *path, char *const arguments[], char *const environment[], int input);

/// The same for a program that is no part of this one: its standard input is /dev/null, and `log` is its standard output
/// and error.
pid_t clinux_start_logged(const char *path, char *const arguments[], char *const environment[], int log);
/// A descriptor of the process `pid`, closed on exec; it becomes readable when the process ends.
int clinux_open_process(pid_t pid);
/// Sends SIGKILL to the process behind `process`, and to no other, ever.
int clinux_kill(int process);
/// How a process ended, and what it had used by then.
struct clinux_end {
    /// Whether a signal ended it.
    int killed;
    /// Which signal, or with what status it left.
    int status;
    /// User and system time of all its threads.
    long processor_microseconds;
    /// The most memory that it had resident, what it shared with its parent included.
    long peak_kibibytes;
};
/// 1 once the child behind `process` has ended, which frees its place in the process table; 0 before that.
int clinux_reap(int process, struct clinux_end *end);

/// Sends one packet, with descriptors if `descriptor_count` isn't 0. Never waits, never raises SIGPIPE.
ssize_t clinux_send(int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);
/// Receives one packet of at most `capacity` bytes; 0 at the end. The kernel drops descriptors beyond
/// `*descriptor_count`, which is set to how many came; those that came are closed on exec.
/// -1 with EMSGSIZE for a longer packet or for descriptors that were dropped, with the others closed.
ssize_t clinux_receive(int socket, void *bytes, size_t capacity, int *descriptors, size_t *descriptor_count, int waits);

/// Closes every descriptor from `first` up.
int clinux_close_from(int first);
/// prctl() with one argument.
int clinux_process_control(int option, unsigned long argument);
/// Gives up every capability of this process.
int clinux_drop_capabilities(void);
/// Leaves the user, network, mount, IPC and host-name namespaces for new ones. `keeps_user` leaves out the user's.
int clinux_unshare(int keeps_user);
/// Makes an empty, read-only folder the root of this process's mount namespace.
int clinux_empty_root(void);
/// Refuses every path, and TCP where the kernel can, to this process and its children (Landlock).
int clinux_landlock(void);

/// Seals a memory file for good: nobody can write to it, map it for that, grow it or shrink it any more. Nobody may have
/// mapped it for writing before. 0, or -1 with errno.
int clinux_seal_content(int descriptor);

/// From now on SIGTERM and SIGINT add 1 to the eventfd `descriptor`, and do nothing else. 0, or -1 with errno.
int clinux_watch_termination(int descriptor);

/// A timer on the monotonic clock, as a descriptor. -1 with errno on failure.
int clinux_timer(void);
/// Lets the timer go off once, at this time of the monotonic clock.
void clinux_timer_set(int timer, long seconds, long nanoseconds);
/// Waits until the timer has gone off.
void clinux_timer_wait(int timer);

/// epoll_ctl(): waits once for `descriptor` to become readable or to hang up; the event carries `token`.
int clinux_epoll_add(int epoll, int descriptor, unsigned long token);
int clinux_epoll_remove(int epoll, int descriptor);
/// Waits for one event, without limit. 1 with its token, 0 after a signal.
int clinux_epoll_wait(int epoll, unsigned long *token);

/// preadv2() into one block of memory. Without `waits`, -1 with EAGAIN for what would have to come from the disk.
ssize_t clinux_read_at(int descriptor, void *bytes, size_t count, long offset, int waits);

/// 1 if the folder behind `descriptor` is the root of a mount, 0 if it isn't.
int clinux_is_mount_point(int descriptor);
