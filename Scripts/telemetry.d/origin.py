"""An origin that fails in one way for each path."""
import http.server
import pathlib
import re
import struct
import threading
import time
import zlib

PHOTO = (pathlib.Path(__file__).parents[2] / "Samples/media/photo.jpg").read_bytes()


def bomb():
    """A PNG that says it has 40,000 x 40,000 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40000, 40000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


class Origin(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.half_sent = threading.Event()
        self.go_on = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        """Clients that end connections are what this is about."""

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def answer(self, status, body=b"", length=None, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer(410)

    def do_GET(self):
        kind = re.split("[-.]", self.path.strip("/"))[0]
        if kind.isdigit():
            self.answer(int(kind))
        elif kind == "loop":
            self.answer(302, location=self.path)
        elif kind == "empty":
            self.answer(200)
        elif kind == "huge":
            self.answer(200, PHOTO, 1_000_000_000)
        elif kind == "truncated":
            self.answer(200, PHOTO[:20], len(PHOTO))
        elif kind == "stalled":
            self.answer(200, PHOTO[:20], len(PHOTO))
            time.sleep(30)
        elif kind == "page":
            self.answer(200, b"<!doctype html><title>Sign in</title>" + b" " * 2000)
        elif kind == "corrupt":
            self.answer(200, PHOTO[:600] + bytes(range(256)) * 40)
        elif kind == "bomb":
            self.answer(200, bomb())
        elif kind == "halves":
            self.answer(200, PHOTO[: len(PHOTO) // 2], len(PHOTO))
            self.wfile.flush()
            self.server.half_sent.set()
            self.server.go_on.wait(20)
            self.wfile.write(PHOTO[len(PHOTO) // 2:])
        else:
            self.answer(200, PHOTO)
