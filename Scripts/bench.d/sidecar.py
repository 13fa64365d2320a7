"""An attachd sidecar and an origin of files, as separate processes, and a client."""

import functools
import http.client
import http.server
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import tempfile
import time


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass


def _serve(folder, ports, cores):
    os.sched_setaffinity(0, cores)
    handler = functools.partial(QuietFiles, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    ports.send(server.server_port)
    server.serve_forever()


class Origin:
    """Serves a folder on loopback."""

    def __init__(self, folder, cores):
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(str(folder), theirs, cores), daemon=True)
        self.process.start()
        self.port = ours.recv()

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def stop(self):
        self.process.terminate()


class Sidecar:
    """`attachd serve`, or another command that listens, on a free port and the given cores."""

    def __init__(self, program, cores, decoders, options=(), command="serve", store=None, environment=None,
                 launcher=()):
        self.folder = tempfile.TemporaryDirectory()
        log = pathlib.Path(self.folder.name, "log")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [*launcher, program, command, "--listen", "127.0.0.1:0", "--store", store or self.folder.name + "/store",
             "--allow-address", "127.0.0.1", "--decoders", str(decoders), "--log-format", "json", "--file-urls", *options],
            stderr=log.open("w"), env=os.environ | (environment or {}), preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.port = None
        while self.port is None:
            match = re.search(r'"port":"(\d+)"', log.read_text())
            self.port = int(match[1]) if match else None
            if self.process.poll() is not None:
                raise SystemExit(f"attachd serve ended: {log.read_text()}")
            time.sleep(0.0005)

    def client(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def wait_until_ready(self):
        """Seconds from the start of the program to its first answer that it is ready."""
        while True:
            client = self.client()
            client.request("GET", "/readyz")
            status = client.getresponse().status
            client.close()
            if status == 200:
                return time.monotonic() - self.started
            if time.monotonic() - self.started > 60:
                raise SystemExit("attachd was not ready within a minute")
            time.sleep(0.001)

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


_numbers = itertools.count()


def distinct(url):
    """The URL of the same file as a new source, so that nothing is reused."""
    return f"{url}?{next(_numbers)}"


def rewrite(client, url):
    """Sends one notification. Returns its seconds, and the milliseconds of its stages."""
    payload = json.dumps({"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": distinct(url)})
    start = time.monotonic()
    client.request("POST", "/v1/rewrite", payload.encode())
    response = client.getresponse()
    response.read()
    seconds = time.monotonic() - start
    if response.headers["Attachd-Outcome"] != "complete":
        raise RuntimeError(f"the benchmark's own picture came out as {response.headers['Attachd-Outcome']}")
    stages = {name: float(value) for name, value in re.findall(r"(\w+);dur=([\d.]+)", response.headers["Server-Timing"])}
    return seconds, stages


def published(client, url):
    """Processes the file at `url`. Returns the URL of the ready file."""
    payload = json.dumps({"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url})
    client.request("POST", "/v1/rewrite", payload.encode())
    return json.loads(client.getresponse().read())["my-attachment"]
