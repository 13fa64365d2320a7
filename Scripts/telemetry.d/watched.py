"""A running attachd with a collector of its spans: what log, metrics and traces say between two moments."""
import http.server
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request


class Collector(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Receiver)
        self.spans = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Receiver(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        for resource in request["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                self.server.spans += scope["spans"]
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()


class Watched:
    """`attachd serve` or `attachd work`."""

    def __init__(self, program, folder, *options, command="serve", collector=None):
        self.collector = Collector()
        endpoint = collector or f"http://127.0.0.1:{self.collector.server_port}"
        self.log = pathlib.Path(folder) / f"log-{secrets.token_hex(4)}"
        environment = os.environ | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
        }
        self.process = subprocess.Popen(
            [program, command, "--listen", "127.0.0.1:0", "--log-format", "json", *options],
            stderr=self.log.open("w"), env=environment)
        self.port = int(self.wait(lambda: re.search(r'"port":"([0-9]+)"', self.log.read_text()))[1])

    def wait(self, found, seconds=20):
        end = time.monotonic() + seconds
        while not (value := found()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"failures: attachd did not do what it should:\n{self.log.read_text()}")
            time.sleep(0.02)
        return value

    def get(self, path):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20).read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def post(self, path, body, trace=""):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", json.dumps(body).encode(), {"traceparent": trace} if trace else {})
        try:
            return json.loads(urllib.request.urlopen(request, timeout=60).read() or b"{}")
        except urllib.error.HTTPError as error:
            return json.loads(error.read())

    def metrics(self):
        return dict(line.rsplit(" ", 1) for line in self.get("/metrics").splitlines() if not line.startswith("#"))

    def notify(self, url, deadline="5s"):
        """Sends a notification, and returns the result, its lines, the changed metrics, and the failed spans."""
        before, start = self.metrics(), self.log.stat().st_size
        trace = secrets.token_hex(16)
        payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url}
        result = self.post("/v1/notifications", {"payload": payload, "deadline": deadline}, f"00-{trace}-{'1' * 16}-01")
        self.wait(lambda: any(s["traceId"] == trace and s["name"].startswith("POST") for s in self.collector.spans))
        lines = [json.loads(line) for line in self.log.read_text()[start:].splitlines()]
        after = self.metrics()
        changed = [name for name, value in after.items()
                   if value != before.get(name, "0") and re.search("fail|refus|death|outcome|open|circuit|problem", name)]
        spans = [s for s in self.collector.spans if s["traceId"] == trace]
        return result, lines, changed, spans

    def decoders(self):
        """The processes that decode, and those that wait for a job: the children of the zygote."""
        def children(parent):
            return [int(p.name) for p in pathlib.Path("/proc").iterdir() if p.name.isdigit()
                    and f"\nPPid:\t{parent}\n" in text(p / "status")]

        def text(path):
            try:
                return path.read_text()
            except OSError:
                return ""

        return [child for zygote in children(self.process.pid) for child in children(zygote)]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
