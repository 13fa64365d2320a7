#!/usr/bin/env python3
"""A faulty network: faulty.py [FOLDER]

Answers with the files of a folder, or passes requests on to the URL in the first line of its standard input. The first part
of a request's path says what it does to the answer, for example /stall/photo.jpg. Prints its port. Ends with its standard
input.
"""
import http.server
import pathlib
import sys
import threading
import urllib.error
import urllib.request

upstream = sys.argv[1] if len(sys.argv) > 1 else None


class Network(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kind, _, path = self.path[1:].partition("/")
        path = "/" + path
        if kind == "silence":
            return self.wait()
        if kind.isdigit():
            return self.send(int(kind), "text/plain", b"no")
        if kind == "login":
            return self.send(200, "text/html", b"<title>Welcome to our network</title>")
        if kind == "loop":
            return self.redirect(self.path)
        if kind == "elsewhere":
            return self.redirect("file:///etc/hostname")
        if kind == "moved":
            return self.redirect("/none" + path)
        status, mime, body = self.ask(path)
        if kind == "empty":
            body = b""
        if kind == "shorter":
            body = body[:len(body) // 2]
        if kind == "changed":
            body = body[:-1] + bytes([body[-1] ^ 1])
        if kind == "endless":
            return self.endless(mime)
        half = len(body) // 2 if kind in ("stall", "cut") else len(body)
        self.send(status, mime, body[:half], len(body))
        if kind == "stall":
            self.wait()

    def ask(self, path):
        if not upstream.startswith("http"):
            kinds = {".jpg": "image/jpeg", ".gif": "image/gif", ".mp4": "video/mp4", ".m4a": "audio/mp4"}
            file = pathlib.Path(upstream, path[1:])
            return 200, kinds[file.suffix], file.read_bytes()
        try:
            with urllib.request.urlopen(upstream + path) as answer:
                return answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Content-Type"], error.read()

    def send(self, status, mime, body, length=None):
        self.send_response(status)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def redirect(self, location):
        self.send_response(302)
        self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def endless(self, mime):
        self.send_response(200)
        self.send_header("Content-Type", mime)
        self.end_headers()
        try:
            # 32 MB, three times the most that the extension takes of a picture. Foundation on Linux keeps in memory what
            # comes before a cancellation arrives: on a busy machine, a sender without an end has filled all of it.
            for _ in range(1 << 9):
                self.wfile.write(bytes(1 << 16))
        except OSError:  # the client has gone
            pass

    def wait(self):
        """Waits until the client has gone."""
        print("waiting", flush=True)
        try:
            while self.connection.recv(1024):
                pass
        except OSError:
            pass
        print("gone", flush=True)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Network)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print("port", server.server_port, flush=True)
upstream = upstream or sys.stdin.readline().strip()
sys.stdin.read()
