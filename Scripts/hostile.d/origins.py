"""Hostile origins: raw answers that no server library would send, and damaged media.

Each listens on its own addresses in 127.0.0.0/8, so that attacks continue when attachd avoids one of them.
"""

import asyncio
import gzip
import os
import pathlib
import random
import struct
import zlib


def media():
    """Good files of the samples, and hostile ones from beside the checkout, if there are any."""
    good = [path.read_bytes() for path in pathlib.Path("Samples/media").iterdir() if path.suffix != ".md"]
    shared = pathlib.Path("../shared/media")
    paths = [path for folder in ("hostile", "found", "images", "video", "audio") for path in (shared / folder).glob("*")]
    return good, [path for path in paths if path.is_file() and path.stat().st_size < 5_000_000]


def bomb(width, height):
    """A PNG of one bit that claims any size."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * min(height, 4000) * (width // 8 % 4000 + 1), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def nested(depth):
    data = b"".join(b"\0\0\0\xff\xff" for _ in range(200_000))
    data = struct.pack("<BBBBIBB", 31, 139, 8, 0, 0, 0, 255) + data
    for _ in range(depth - 1):
        data = gzip.compress(data, 9)
    return data


class Origin:
    """Chooses a random answer for each request, and counts the answers by name."""

    numbers = ["1e300", "9223372036854775807", "18446744073709551616", "-1", "-9223372036854775808", "0x10", "1 1", "", "NaN",
               "999999999999999999999999999", "00000000000000000007"]

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.good, self.hostile = media()
        self.nested = nested(4)
        self.counts = {}
        self.servers, self.urls = [], []
        self.answers = [getattr(self, name) for name in dir(self) if name.startswith("answer_")]

    async def start(self, hosts):
        for host in hosts:
            server = await asyncio.start_server(self.serve, host, 0, limit=65_536)
            self.servers.append(server)
            self.urls.append(f"http://{host}:{server.sockets[0].getsockname()[1]}")

    def url(self):
        kind = self.random.choice(["jpg", "gif", "mp4", "png", "heic", "m4a", "bin"])
        return f"{self.random.choice(self.urls)}/{self.random.randrange(10 ** 9)}.{kind}"

    async def serve(self, reader, writer):
        try:
            while True:
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
                answer = self.random.choice(self.answers)
                self.counts[answer.__name__[7:]] = self.counts.get(answer.__name__[7:], 0) + 1
                if not await answer(head, writer):
                    return
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.TimeoutError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def send(self, writer, *parts, pause=0):
        for part in parts:
            writer.write(part)
            await asyncio.wait_for(writer.drain(), 60)
            await asyncio.sleep(pause)

    def body(self):
        """Returns media: good, damaged, cut short, hostile, or a bomb."""
        choice = self.random.random()
        if choice < 0.1:
            return bomb(self.random.choice([1, 7000, 65_500, 2 ** 31 - 1]), self.random.choice([1, 7000, 2 ** 31 - 1]))
        if choice < 0.4 and self.hostile:
            return self.random.choice(self.hostile).read_bytes()
        data = bytearray(self.random.choice(self.good))
        if choice < 0.9:
            for _ in range(self.random.choice([1, 10, 1000])):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
        return bytes(data[:self.random.randrange(len(data))] if choice > 0.7 else data)

    async def answer_media(self, head, writer):
        body = self.body()
        await self.send(writer, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body), body)
        return True

    async def answer_numbers(self, head, writer):
        fields = ["Content-Length", "Retry-After", "Age", "Content-Range", "Cache-Control", "Expires", "Date"]
        field, number = self.random.choice(fields), self.random.choice(self.numbers)
        value = {"Content-Range": f"bytes 0-131071/{number}", "Cache-Control": f"max-age={number}"}.get(field, number)
        status = self.random.choice([b"200 OK", b"206 Partial", b"429 No", b"503 No", b"304 Same", b"416 No"])
        await self.send(writer, b"HTTP/1.1 " + status + f"\r\n{field}: {value}\r\n\r\n".encode(), self.body())

    async def answer_ranges(self, head, writer):
        first, last, size = (self.random.choice(["0", "1", "131071", *self.numbers[:3]]) for _ in range(3))
        if self.random.random() < 0.3:
            first, last, size = "0", "131071", self.random.choice(["999999999999999999", "9223372036854775807", "131072"])
        await self.send(writer, f"HTTP/1.1 206 P\r\nContent-Range: bytes {first}-{last}/{size}\r\n\r\n".encode(), self.body())

    async def answer_nested(self, head, writer):
        fields = self.random.choice([b"Content-Encoding: gzip, gzip, gzip, gzip", b"Transfer-Encoding: gzip, chunked",
                                     b"Content-Encoding: br", b"Content-Encoding: gzip"])
        await self.send(writer, b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\n", self.nested)

    async def answer_drip(self, head, writer):
        body = self.body()
        await self.send(writer, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
        await self.send(writer, *(body[i:i + 1] for i in range(20)), pause=1.5)

    async def answer_stall(self, head, writer):
        await self.send(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", self.body()[:20_000])
        await asyncio.sleep(45)

    async def answer_silence(self, head, writer):
        await asyncio.sleep(45)

    async def answer_redirect(self, head, writer):
        target = self.random.choice([self.url(), "/", "//127.0.0.1:22/", "http://10.0.0.1/", "file:///etc/passwd",
                                     "http://[::1]:1/", "http://user:pw@127.0.0.1/", "/\0", "a" * 8000])
        await self.send(writer, f"HTTP/1.1 302 F\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode())
        return True

    async def answer_flood(self, head, writer):
        """Sends header fields, interim answers, or chunks without an end."""
        start, more = self.random.choice([
            (b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"b" * 8000 + b"\r\n"),
            (b"", b"HTTP/1.1 100 Continue\r\n\r\n"), (b"", b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1;" + b"x" * 4000 + b"\r\na\r\n"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"T: " + b"x" * 4000 + b"\r\n"),
        ])
        await self.send(writer, start, *[more] * 2000)

    async def answer_garbage(self, head, writer):
        await self.send(writer, self.random.choice([b"\0" * 1000, os.urandom(1000), b"HTTP/9.9 200\r\n\r\n", b"HTTP/1.1 999999999999 \r\n\r\n",
                                                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"]))

    async def answer_reset(self, head, writer):
        writer.transport.get_extra_info("socket").setsockopt(1, 13, struct.pack("ii", 1, 0))
        await self.send(writer, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", b"\xff\xd8\xff")
        writer.transport.abort()
