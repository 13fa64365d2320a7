// Prints what a decoder process could reach if its filter of system calls fell: takes the other steps of
// Sources/Decoder/Sandbox/Enclosure.swift, then tries. With the argument "nolandlock" as on a kernel without Landlock.
#define _GNU_SOURCE
#include "CLinux.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

static void say(const char *attempt, int succeeds) { printf("%s: %s\n", attempt, succeeds ? "yes" : "no"); }

static void put(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    if (file < 0) return;
    if (write(file, text, strlen(text)) < 0) perror(path);
    close(file);
}

int main(int count, char **arguments) {
    char map[64];
    // The mapping names the user as the parent namespace does.
    unsigned user = getuid(), group = getgid();
    if (clinux_unshare(0) == 0) {
        put("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "%u %u 1", user, user);
        put("/proc/self/uid_map", map);
        snprintf(map, sizeof map, "%u %u 1", group, group);
        put("/proc/self/gid_map", map);
        if (clinux_empty_root() != 0) perror("empty root");
    }
    clinux_drop_capabilities();
    clinux_process_control(PR_SET_NO_NEW_PRIVS, 1);
    if (count < 2 || strcmp(arguments[1], "nolandlock") != 0) clinux_landlock();
    clinux_process_control(PR_SET_DUMPABLE, 0);

    say("read a file of the image", open("/etc/passwd", O_RDONLY) >= 0);
    say("write a file of the store", open("/var/lib/attachd/reached", O_RDWR | O_CREAT, 0600) >= 0);
    // Where nobody listens, a network refuses the connection, and an empty network has no way to it.
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(8099)};
    inet_pton(AF_INET, "127.0.0.1", &peer.sin_addr);
    int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
    say("connect by TCP", tcp >= 0 && connect(tcp, (struct sockaddr *)&peer, sizeof peer) == 0);
    say("send by UDP", udp >= 0 && sendto(udp, "x", 1, 0, (struct sockaddr *)&peer, sizeof peer) == 1);
    say("signal the worker", kill(1, 0) == 0);
    say("trace the worker", ptrace(PTRACE_ATTACH, 1, 0, 0) == 0);
    say("make a user namespace", unshare(CLONE_NEWUSER) == 0);
    return 0;
}
