"""adversaries.py FOLDER NAME...: hostile servers on loopback, for tests of attachd itself.

Each name is that of an attack, with `tls12:` or `tls13:` before it for an HTTP attack inside TLS. Prints a
line `SCHEME PORT` for each. Every address of 127.0.0.0/8, and ::1, reach every port. FOLDER/authority.pem is
the certificate authority to trust. Prints `begun` when the first flood has gone on for a fifth of a second,
or has ended. Ends when its standard input is closed, if that is a pipe, else with its parent, and prints how
often each answer of `random` was given. All floods are bounded in rate, number and time.

Two of the names are no attacks in themselves: `shared` is an origin of an honest and of a hostile tenant, and
`random` gives an answer by chance to each request.
"""

import collections
import contextlib
import ctypes
import functools
import gzip
import itertools
import json
import os
import pathlib
import random
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
import zlib

SAMPLES = pathlib.Path(__file__).resolve().parents[1] / "Samples/media"
MOST_SECONDS, MOST_CONNECTIONS = int(os.environ.get("ATTACK_SECONDS", 60)), 600
DNS_ADDRESS = "127.53.53.53"
HOSTS = ["127.0.0.1", "::1", *(f"127.{place}.{site}.1" for place in (5, 6) for site in range(1, 201))]
"""The addresses that the certificate names. For attachd, each /24 is a site of its own."""

_numbers = itertools.count()


def record(kind, content, version=0x0303):
    return struct.pack(">BHH", kind, version, len(content)) + content


def message(kind, content):
    return struct.pack(">B", kind) + len(content).to_bytes(3, "big") + content


def answer(status, *fields, body=b""):
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode() + body


@functools.cache
def nested_gzip():
    """Four layers of gzip around 5 GB of empty stored blocks: 2 kB that take minutes to decode to nothing.

    The second layer is made of one compressed piece, repeated. Its checksum is wrong, which shows at the end
    only.
    """
    header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(header) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b"\0\0\0\xff\xff" * 10_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(gzip.compress(header + start + piece * 100 + b"\3\0" + b"\0" * 8))


@functools.cache
def huge_head():
    """The start of a JPEG that claims 4900 x 4900 pixels, nearly the most that the limits allow."""
    command = ["vips", "thumbnail", str(SAMPLES / "photo.jpg"), ".jpg[interlace,strip,Q=50]", "320"]
    data = bytearray(subprocess.run(command, check=True, capture_output=True).stdout)
    place = data.index(b"\xff\xc2")
    data[place + 5:place + 9] = struct.pack(">HH", 4900, 4900)
    return bytes(data[:605])


# A comment of 64 kB begins: the source is a JPEG, and nothing in it can be decoded yet.
JPEG = b"\xff\xd8\xff\xfe\xff\xff"
TYPE = "Content-Type: image/jpeg"
CHUNKS = answer("200 OK", TYPE, "Transfer-Encoding: chunked", body=b"6\r\n" + JPEG + b"\r\n")

# Opening, piece that is repeated, bytes a second. A raw attack inside TLS begins after the ClientHello.
RAW = {
    "hello-requests": (b"", record(22, message(0, b"")) * 1000, 25e6),
    "empty-records": (b"", record(22, b"") * 1000, 2.5e6),
    "warnings": (b"", record(21, b"\1\x5a") * 1000, 2.5e6),
}
# The opening may be a function of the number of the request.
HTTP = {
    "silence": (b"", b"", 1),
    "one-byte-chunks": (CHUNKS, b"1\r\na\r\n" * 1000, 3e6),
    "promised-end": (answer("200 OK", TYPE, "Content-Length: 2100", body=JPEG.ljust(2000, b"a")), b"a", 2),
    "dripping-head": (b"HTTP/1.1 200 OK\r\nX: ", b"a", 1),
    "small-headers": (b"HTTP/1.1 200 OK\r\n", b"A:\r\n" * 1000, 2.5e6),
    "interim": (b"", answer("100 Continue") * 500, 2.5e6),
    "trailers": (CHUNKS + b"0\r\n", b"A:\r\n" * 1000, 2.5e6),
    "redirects": (lambda number: answer("302 Found", f"Location: /{number}", "Content-Length: 0"), None, 0),
    "dead-redirects": (
        lambda number: answer("302 Found", f"Location: http://a.dead{number}.test/", "Content-Length: 0"),
        None, 0),
    "not-found": (answer("404 Not Found", "Content-Length: 0"), None, 0),
    "later": (answer("429 Too Many Requests", "Retry-After: 1000000000", "Content-Length: 0"), None, 0),
    # A byte in three seconds, just enough not to count as stalled: from the start, or after the head of a
    # picture.
    "drip": (answer("200 OK", TYPE, "Content-Length: 5000000", body=JPEG), b"a", 1 / 3),
    "head": (lambda _: answer("200 OK", TYPE, "Content-Length: 5000000", body=huge_head()), b"\0", 1 / 3),
    "nested-gzip": (
        lambda _: answer("200 OK", TYPE, "Content-Encoding: gzip, gzip, gzip, gzip",
                         f"Content-Length: {len(nested_gzip())}", body=nested_gzip()), None, 0),
}


@functools.cache
def begin():
    print("begun", flush=True)


def flood(send, piece, rate):
    """Sends `piece` again and again, at most `rate` bytes a second. Catches up 50 ms at most."""
    start = due = time.monotonic()
    end = start + MOST_SECONDS
    try:
        while (now := time.monotonic()) < end:
            if due > now:
                time.sleep(min(due - now, end - now))
            due = max(due, now - 0.05) + max(1, len(piece)) / rate
            send(piece)
            if now - start > 0.2:
                begin()
    finally:
        begin()


# MARK: TLS, by OpenSSL's own functions, because Python's module has no tickets without end


class Library:
    def __init__(self):
        pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
        library = ctypes.CDLL("libssl.so.3")
        for name, result, *arguments in [
            ("TLS_server_method", pointer), ("SSL_CTX_new", pointer, pointer),
            ("SSL_CTX_ctrl", ctypes.c_long, pointer, number, ctypes.c_long, pointer),
            ("SSL_CTX_use_certificate_chain_file", number, pointer, text),
            ("SSL_CTX_use_PrivateKey_file", number, pointer, text, number),
            ("SSL_new", pointer, pointer), ("SSL_set_fd", number, pointer, number),
            ("SSL_free", None, pointer),
            ("SSL_accept", number, pointer), ("SSL_do_handshake", number, pointer),
            ("SSL_read", number, pointer, pointer, number), ("SSL_write", number, pointer, text, number),
            ("SSL_new_session_ticket", number, pointer), ("SSL_key_update", number, pointer, number),
            ("SSL_renegotiate", number, pointer),
        ]:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name[4:], function)

    def context(self, folder, version, certificate, groups=None):
        context = self.CTX_new(self.server_method())
        for limit in (123, 124):  # SSL_CTRL_SET_MIN_PROTO_VERSION and the same for MAX
            self.CTX_ctrl(context, limit, version, None)
        if groups:
            self.CTX_ctrl(context, 92, 0, ctypes.cast(groups, ctypes.c_void_p))  # SSL_CTRL_SET_GROUPS_LIST
        if (self.CTX_use_certificate_chain_file(context, f"{folder}/{certificate}.pem".encode()) != 1
                or self.CTX_use_PrivateKey_file(context, f"{folder}/key.pem".encode(), 1) != 1):
            raise SystemExit(f"adversaries: OpenSSL refuses {folder}/{certificate}.pem")
        return context


class TLS:
    """A connection inside TLS."""

    def __init__(self, library, context, connection):
        self.library, self.connection = library, connection
        self.ssl = library.new(context)
        library.set_fd(self.ssl, connection.fileno())

    def open(self):
        self.check(self.library.accept(self.ssl))

    def check(self, result):
        if result < 1:
            raise ConnectionError
        return result

    def recv(self, count):
        buffer = ctypes.create_string_buffer(count)
        length = self.check(self.library.read(self.ssl, buffer, count))
        return buffer.raw[:length]

    def sendall(self, data):
        if data:
            self.check(self.library.write(self.ssl, data, len(data)))

    def post_handshake(self, prepare):
        """Returns a function that sends eight of the messages that `prepare` asks for."""
        def send(_):
            for _ in range(8):
                self.check(prepare(self.ssl))
                if prepare is not self.library.new_session_ticket:
                    self.check(self.library.do_handshake(self.ssl))
            self.check(self.library.do_handshake(self.ssl))
        return send

    def close(self):
        self.library.free(self.ssl)


TLS12, TLS13 = 0x0303, 0x0304
# Version, and how the messages come about after the handshake; the pieces are about as long as eight of them.
AFTER_HANDSHAKE = {
    "tickets": (TLS13, lambda tls: tls.post_handshake(tls.library.new_session_ticket), b"a" * 2000, 4e6),
    "key-updates": (TLS13, lambda tls: tls.post_handshake(lambda ssl: tls.library.key_update(ssl, 0)),
                    b"a" * 216, 1e6),
    "renegotiation": (TLS12, lambda tls: tls.post_handshake(tls.library.renegotiate), b"a" * 264, 1e6),
}


def big_group(folder, connection):
    """Offers a DHE group of 10,000 bits, properly signed, which costs the client seconds."""
    hello = connection.recv(65536)
    prime = b"\xff" + os.urandom(1248) + b"\xff"
    values = b"".join(struct.pack(">H", len(value)) + value
                      for value in (prime, b"\2", b"\x7f" + os.urandom(1249)))
    ours = os.urandom(32)
    signed = subprocess.run(["openssl", "dgst", "-sha256", "-sign", f"{folder}/key.pem"],
                            input=hello[11:43] + ours + values, check=True, capture_output=True).stdout
    certificate = subprocess.run(["openssl", "x509", "-in", f"{folder}/certificate.pem", "-outform", "DER"],
                                 check=True, capture_output=True).stdout
    chain = len(certificate).to_bytes(3, "big") + certificate
    connection.sendall(
        # DHE-RSA-AES128-GCM-SHA256, with the extension renegotiation_info, which OpenSSL's clients demand.
        record(22, message(2, b"\3\3" + ours + b"\0\0\x9e\0" + b"\0\5\xff\1\0\1\0"))
        + record(22, message(11, len(chain).to_bytes(3, "big") + chain))
        + record(22, message(12, values + b"\4\1" + struct.pack(">H", len(signed)) + signed))
        + record(22, message(14, b"")))
    connection.recv(65536)


def picture(connection, target):
    """A photo behind comments: as many megabytes as the path says, all of which a decoder has to read."""
    size = int(target.split(b"/")[1]) * 1_000_000
    photo = (SAMPLES / "photo.jpg").read_bytes()
    count, rest = divmod(size - len(photo), 65_535 + 2)
    comment = b"\xff\xfe\xff\xff" + b"a" * 65_533
    last = b"\xff\xfe" + struct.pack(">H", max(2, rest - 2)) + b"a" * max(0, rest - 4)
    length = len(photo) + count * len(comment) + len(last)
    connection.sendall(answer("200 OK", TYPE, f"Content-Length: {length}", body=photo[:2]))
    for piece in itertools.chain(itertools.repeat(comment, count), [last, photo[2:]]):
        connection.sendall(piece)


# MARK: Answers by chance


def shared_media():
    """The hostile and odd files beside the checkout, if there are any."""
    shared = SAMPLES.parents[2] / "shared/media"
    paths = [path for folder in ("hostile", "found", "images", "video", "audio")
             for path in (shared / folder).glob("*")]
    return [path for path in paths if path.is_file() and path.stat().st_size < 5_000_000]


def bomb(width, height):
    """A PNG of one bit that claims any size."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * min(height, 4000) * (width // 8 % 4000 + 1), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class RandomAnswers:
    """Raw answers that no server library sends, and damaged media. `attachd origin` stalls, drips and resets.

    The addresses 127.0.1.1 to 127.0.1.32 are the origin's, so that attacks go on when attachd avoids one of
    them.
    """

    numbers = ["1e300", "9223372036854775807", "18446744073709551616", "-1", "-9223372036854775808", "0x10",
               "1 1", "", "NaN", "999999999999999999999999999", "00000000000000000007"]

    def __init__(self, port):
        self.port, self.random, self.counts = port, random.Random(1), collections.Counter()
        self.good = [path.read_bytes() for path in SAMPLES.iterdir() if path.suffix != ".md"]
        self.hostile = shared_media()
        self.nested = struct.pack("<BBBBIBB", 31, 139, 8, 0, 0, 0, 255) + b"\0\0\0\xff\xff" * 200_000
        for _ in range(3):
            self.nested = gzip.compress(self.nested)
        self.answers = [getattr(self, name) for name in dir(self) if name.startswith("answer_")]

    def serve(self, connection):
        """Answers a request. Returns whether the connection goes on."""
        chosen = self.random.choice(self.answers)
        self.counts[chosen.__name__[7:]] += 1
        for part in chosen():
            connection.sendall(part)
        return chosen in (self.answer_media, self.answer_redirect)

    def body(self):
        """Returns media: good, damaged, cut short, hostile, or a bomb."""
        choice = self.random.random()
        if choice < 0.1:
            return bomb(self.random.choice([1, 7000, 65_500, 2 ** 31 - 1]),
                        self.random.choice([1, 7000, 2 ** 31 - 1]))
        if choice < 0.4 and self.hostile:
            return self.random.choice(self.hostile).read_bytes()
        data = bytearray(self.random.choice(self.good))
        if choice < 0.9:
            for _ in range(self.random.choice([1, 10, 1000])):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
        return bytes(data[:self.random.randrange(len(data))] if choice > 0.7 else data)

    def answer_media(self):
        body = self.body()
        yield answer("200 OK", f"Content-Length: {len(body)}", body=body)

    def answer_numbers(self):
        fields = ["Content-Length", "Retry-After", "Age", "Content-Range", "Cache-Control", "Expires", "Date"]
        field, number = self.random.choice(fields), self.random.choice(self.numbers)
        special = {"Content-Range": f"bytes 0-131071/{number}", "Cache-Control": f"max-age={number}"}
        status = self.random.choice(["200 OK", "206 Partial", "429 No", "503 No", "304 Same", "416 No"])
        yield answer(status, f"{field}: {special.get(field, number)}", body=self.body())

    def answer_ranges(self):
        first, last, size = (self.random.choice(["0", "1", "131071", *self.numbers[:3]]) for _ in range(3))
        if self.random.random() < 0.3:
            sizes = ["999999999999999999", self.numbers[1], "131072"]
            first, last, size = "0", "131071", self.random.choice(sizes)
        yield answer("206 P", f"Content-Range: bytes {first}-{last}/{size}", body=self.body())

    def answer_nested(self):
        yield answer("200 OK", self.random.choice([
            "Content-Encoding: gzip, gzip, gzip, gzip", "Transfer-Encoding: gzip, chunked",
            "Content-Encoding: br", "Content-Encoding: gzip"]), body=self.nested)

    def answer_redirect(self):
        host, name = self.random.randrange(1, 33), self.random.randrange(10 ** 9)
        target = self.random.choice([
            f"http://127.0.1.{host}:{self.port}/{name}.jpg", "/", "//127.0.0.1:22/", "http://10.0.0.1/",
            "file:///etc/passwd", "http://[::1]:1/", "http://user:pw@127.0.0.1/", "/\0", "a" * 8000])
        yield answer("302 F", f"Location: {target}", "Content-Length: 0")

    def answer_flood(self):
        """Sends header fields, interim answers, or chunks without an end."""
        chunked = "Transfer-Encoding: chunked"
        start, more = self.random.choice([
            (b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"b" * 8000 + b"\r\n"),
            (b"", answer("100 Continue")), (b"", answer("103 Hints", "Link: </a>")),
            (answer("200 OK", chunked), b"1;" + b"x" * 4000 + b"\r\na\r\n"),
            (answer("200 OK", chunked, body=b"0\r\n"), b"T: " + b"x" * 4000 + b"\r\n"),
        ])
        yield start
        yield from [more] * 2000

    def answer_garbage(self):
        yield self.random.choice([
            b"\0" * 1000, os.urandom(1000), b"HTTP/9.9 200\r\n\r\n", b"HTTP/1.1 999999999999 \r\n\r\n",
            answer("200 OK", "Transfer-Encoding: chunked", body=b"fffffffffffffffff\r\n")])


# MARK: The servers


def prepare(folder):
    """Writes the authority, and certificates: plain, of many names, and as long as libcurl takes."""
    folder = pathlib.Path(folder)
    if (folder / "large-certificate.pem").exists():
        return folder / "authority.pem"

    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=folder)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, "-subj", "/CN=Adversaries",
            "-keyout", "authority-key.pem", "-out", "authority.pem")
    openssl("genrsa", "-out", "key.pem", 2048)
    hosts = ",".join(f"IP:{host}" for host in HOSTS)
    many = hosts + "".join(f",DNS:a{number}.adversary.test" for number in range(200))
    large = hosts + "".join(f",DNS:{'a' * 60}.{'b' * 60}.a{number}.adversary.test" for number in range(90))
    for name, names in [("certificate", hosts), ("many-names", many), ("large-certificate", large)]:
        openssl("req", "-x509", "-key", "key.pem", "-days", 2, "-subj", "/CN=adversary.test", "-addext",
                f"subjectAltName={names}", "-addext", "basicConstraints=CA:FALSE", "-CA", "authority.pem",
                "-CAkey", "authority-key.pem", "-out", f"{name}.pem")
    return folder / "authority.pem"


class Server:
    """One attack on a port of its own, with a thread for each connection."""

    places = threading.Semaphore(MOST_CONNECTIONS)

    def __init__(self, folder, library, name):
        protection, _, self.attack = name.rpartition(":")
        self.folder, self.library, self.context = folder, library, None
        certificate = self.attack if self.attack in ("many-names", "large-certificate") else "certificate"
        if certificate != "certificate":
            self.attack, protection = "not-found", "tls13"
        versions = {"tls12": TLS12, "tls13": TLS13}
        version = AFTER_HANDSHAKE.get(self.attack, [None])[0] or versions.get(protection)
        # OpenSSL's clients offer this group, and the server asks for a share of it, which takes long to make.
        groups = b"ffdhe8192" if self.attack == "ffdhe8192" else None
        if groups:
            self.attack, version = "not-found", TLS13
        if version:
            self.context = library.context(folder, version, certificate, groups)
        self.scheme = "https" if version or self.attack in RAW or self.attack == "big-group" else "http"
        self.listener = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True,
                                             backlog=512)
        self.port = self.listener.getsockname()[1]
        self.random = RandomAnswers(self.port) if self.attack == "random" else None
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            if not self.places.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        channel = connection
        # Timeouts of Python's own make the descriptor non-blocking, which OpenSSL's functions see.
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", MOST_SECONDS, 0))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError, ValueError):
            if self.context:
                channel = TLS(self.library, self.context, connection)
                channel.open()
            self.answer(channel)
        if channel is not connection:
            channel.close()
        connection.close()
        self.places.release()

    def answer(self, channel):
        if self.attack == "big-group":
            return big_group(self.folder, channel)
        if self.attack in RAW:
            channel.recv(65536)
            opening, piece, rate = RAW[self.attack]
            return flood(channel.sendall, piece, rate)
        if self.attack == "unread":
            return time.sleep(MOST_SECONDS)
        while True:
            head = b""
            while b"\r\n\r\n" not in head:
                part = channel.recv(65536)
                if not part:
                    return None
                head += part
            if self.attack in AFTER_HANDSHAKE:
                _, sender, piece, rate = AFTER_HANDSHAKE[self.attack]
                return flood(sender(channel), piece, rate)
            if self.attack == "tiny-records":
                channel.sendall(answer("200 OK", TYPE, "Content-Length: 5000000", body=JPEG))
                return flood(lambda _: [channel.sendall(b"a") for _ in range(50)], b"a" * 50, 5e5)
            if self.attack == "picture":
                picture(channel, head.split()[1])
                continue
            if self.random:
                if not self.random.serve(channel):
                    return None
                continue
            if self.attack == "shared" and head.split()[1].startswith(b"/good/"):
                photo = (self.folder / "photo.jpg").read_bytes()
                channel.sendall(answer("200 OK", TYPE, f"Content-Length: {len(photo)}", body=photo))
                continue
            opening, piece, rate = HTTP["later" if self.attack == "shared" else self.attack]
            channel.sendall(opening(next(_numbers)) if callable(opening) else opening)
            if piece is not None:
                return flood(channel.sendall, piece, rate)


class DeadNames:
    """A DNS server that takes queries and never answers."""

    scheme, port = "dns", 53

    def __init__(self):
        self.sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket()]
        for one in self.sockets:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            one.bind((DNS_ADDRESS, self.port))
        self.sockets[1].listen(512)
        threading.Thread(target=self.drop, daemon=True).start()

    def drop(self):
        while True:
            self.sockets[0].recv(4096)


class Adversaries:
    """The servers as a process of their own; `authority` is the file of the authority to trust."""

    def __init__(self, folder, names, nice=5):
        self.authority = prepare(folder)
        self.process = subprocess.Popen([sys.executable, __file__, str(folder), *names],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: os.nice(nice))
        self.found = {}
        for name in names:
            line = self.process.stdout.readline().split()
            if len(line) != 2:
                raise SystemExit(f"The hostile server {name} did not start.")
            self.found[name] = line

    def url(self, name, host, path="it.jpg"):
        scheme, port = self.found[name]
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/{path}"

    def stop(self):
        """Ends the servers, and returns how often each answer of `random` was given."""
        *_, counts = self.process.communicate()[0].splitlines()
        return json.loads(counts)


def main(folder, names):
    folder = pathlib.Path(folder)
    prepare(folder)
    library = Library()
    servers = [DeadNames() if name == "dead-names" else Server(folder, library, name) for name in names]
    for server in servers:
        print(server.scheme, server.port, flush=True)
    # Without a pipe, as of a test, the servers end with the process that started them.
    parent = os.getppid()
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        sys.stdin.read()
    while not stat.S_ISFIFO(os.fstat(0).st_mode) and os.getppid() == parent:
        time.sleep(0.5)
    counts = [server.random.counts for server in servers if getattr(server, "random", None)]
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(counts[0] if counts else {}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
