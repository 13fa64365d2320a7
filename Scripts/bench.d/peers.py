"""Origins and callback receivers in a separate process: honest ones, and hostile ones.

The first path segment after the tenant chooses the behaviour. Any address of 127.0.0.0/8 reaches it, so one process
acts as any number of hosts.
"""

import asyncio
import contextlib
import json
import multiprocessing
import pathlib
import struct
import subprocess
import threading
import zlib

DRIP = 3.0
"""The seconds between two bytes of a dripping source: just few enough not to count as stalled."""


def gzip(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def nested_gzip():
    """Four layers of gzip around 5 GB of empty stored blocks: 2 kB that take minutes to decode to nothing.

    The second layer is made of one compressed piece, repeated. Its checksum is wrong, which shows at the end only.
    """
    header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(header) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b"\0\0\0\xff\xff" * 10_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    return gzip(gzip(header + start + piece * 100 + b"\3\0" + b"\0" * 8))


def huge_head(photo):
    """The first 605 bytes of a progressive JPEG that claims 4900 x 4900 pixels, nearly the most that the limits allow."""
    data = bytearray(subprocess.run(["vips", "copy", str(photo), ".jpg[interlace,strip,Q=50]"], check=True,
                                    capture_output=True).stdout)
    place = data.index(b"\xff\xc2")
    data[place + 5:place + 9] = struct.pack(">HH", 4900, 4900)
    return bytes(data[:605])


class Peer:
    def __init__(self, files, received):
        self.files, self.received = files, received

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                method, target, _ = head.split(" ", 2)
                fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                await self.answer(target, fields, body, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def answer(self, target, fields, body, writer):
        tenant, behaviour, name = target.split("?")[0].lstrip("/").split("/", 2)
        if behaviour == "file":
            content = self.files[name]
            self.head(writer, "200 OK", len(content), "Content-Type: image/jpeg")
            writer.write(content)
        elif behaviour == "received":
            self.received.send((fields.get("attachd-job"), body))
            self.head(writer, "204 No Content")
        elif behaviour == "later":
            self.head(writer, "429 Too Many Requests", 0, "Retry-After: 1000000000")
        elif behaviour == "gzip":
            content = self.files["nested.gz"]
            self.head(writer, "200 OK", len(content), "Content-Encoding: gzip, gzip, gzip, gzip", "Content-Type: image/jpeg")
            writer.write(content)
        elif behaviour == "silence":
            await asyncio.sleep(3600)
        else:
            content = self.files[name]
            self.head(writer, "200 OK", 5_000_000, "Content-Type: image/jpeg")
            # The head is sent at once. A dripping body is sent byte by byte from the start.
            start = len(content) if behaviour == "head" else 2
            writer.write(content[:start])
            for number in range(start, 5_000_000):
                await asyncio.sleep(DRIP)
                writer.write(content[number:number + 1] or b"\0")
                await writer.drain()
        await writer.drain()

    def head(self, writer, status, length=None, *fields):
        lines = [f"HTTP/1.1 {status}", *fields] + ([] if length is None else [f"Content-Length: {length}"])
        writer.write("\r\n".join(lines + ["", ""]).encode())


def _run(files, ports, received):
    async def main():
        server = await asyncio.start_server(Peer(files, received).serve, "0.0.0.0", 0, backlog=4096)
        ports.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


class Peers:
    """A process that serves `files`, names and contents, on all addresses of loopback."""

    def __init__(self, files):
        ports, theirs = multiprocessing.Pipe()
        ours, received = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_run, args=(files, theirs, received), daemon=True)
        self.process.start()
        self.port = ports.recv()
        self.on_received = lambda job, body: None
        threading.Thread(target=self.listen, args=(ours,), daemon=True).start()

    def listen(self, received):
        with contextlib.suppress(EOFError):
            while True:
                job, body = received.recv()
                self.on_received(job, body)

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}/{path}"

    def stop(self):
        self.process.terminate()


def files(folder):
    photo = pathlib.Path(folder, "photo-320.jpg")
    return {"photo.jpg": pathlib.Path(folder, "photo-1600.jpg").read_bytes(), "nested.gz": nested_gzip(), "huge.jpg": huge_head(photo)}


def outcome(body):
    return json.loads(body).get("outcome")
