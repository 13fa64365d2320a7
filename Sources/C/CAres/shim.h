#pragma once
#include <ares.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/// What the sockets of one channel may still use. c-ares sets no bound of its own: an answer over TCP has up to 65,535
/// bytes, and c-ares needs time quadratic in the number of its addresses, and a socket for each of them to order them.
struct cares_bounds {
    /// The number of sockets that may be opened.
    int sockets;
    /// The number of bytes that may be received.
    long bytes;
    /// Whether a socket could not be opened because the process or the machine has none left.
    bool is_out_of_sockets;
};

static ares_socket_t cares_socket(int domain, int type, int protocol, void *context) {
    struct cares_bounds *bounds = context;
    if (bounds->sockets <= 0) {
        // To the order of addresses, this means that one cannot be reached: it comes last, and the others are ordered.
        errno = EAFNOSUPPORT;
        return ARES_SOCKET_BAD;
    }
    bounds->sockets--;
    int descriptor = socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
        bounds->is_out_of_sockets = true;
    }
    return descriptor;
}

static int cares_close(ares_socket_t descriptor, void *context) {
    (void)context;
    return close(descriptor);
}

static int cares_connect(ares_socket_t descriptor, const struct sockaddr *address, ares_socklen_t size, void *context) {
    (void)context;
    return connect(descriptor, address, size);
}

static ares_ssize_t cares_receive(ares_socket_t descriptor, void *bytes, size_t count, int flags,
                                  struct sockaddr *sender, ares_socklen_t *size, void *context) {
    struct cares_bounds *bounds = context;
    if (bounds->bytes <= 0) {
        errno = ECONNRESET;
        return -1;
    }
    if (count > (size_t)bounds->bytes) count = (size_t)bounds->bytes;
    ssize_t received = recvfrom(descriptor, bytes, count, flags, sender, size);
    if (received > 0) bounds->bytes -= received;
    return received;
}

static ares_ssize_t cares_send(ares_socket_t descriptor, const struct iovec *parts, int count, void *context) {
    (void)context;
    return writev(descriptor, parts, count);
}

/// Bounds the sockets of a channel. `bounds` must live as long as the channel.
static inline void cares_bound(ares_channel channel, struct cares_bounds *bounds) {
    static const struct ares_socket_functions functions = {
        .asocket = cares_socket,
        .aclose = cares_close,
        .aconnect = cares_connect,
        .arecvfrom = cares_receive,
        .asendv = cares_send,
    };
    ares_set_socket_functions(channel, &functions, bounds);
}
