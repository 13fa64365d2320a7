"""Regressions planted between `attachd loadtest` and a real worker, to test that budgets detect them."""

import contextlib
import http.client
import http.server
import itertools
import subprocess
import threading
import time

from sidecar import Origin, Sidecar

BUDGETS = ["p99<180ms", "late=0", "degraded<5%", "failed=0", "rss<400MB"]


@contextlib.contextmanager
def proxy(port, delay):
    """Forwards requests to `port`. `delay` returns the delay of an answer in seconds, for the request's number."""
    numbers = itertools.count(1)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def pass_on(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request(self.command, self.path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            if self.command == "POST":
                time.sleep(delay(next(numbers)))
            # A load test that has ended does not wait for its last requests.
            with contextlib.suppress(ConnectionError):
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = pass_on

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


# An unchanged worker, one that is slower by 200 ms, and one that answers 1 in 200 after its deadline of two seconds.
PLANTED = {
    "unchanged": lambda number: 0,
    "slower by 200 ms": lambda number: 0.2,
    "1 in 200 late": lambda number: 2.5 if number % 200 == 100 else 0,
}


def planted(program, folder, cores, rounds=10):
    """The exit statuses of ten load tests each: 0 kept, 4 missed, 1 void."""
    origin = Origin(folder, cores)
    worker = Sidecar(program, cores, len(cores))
    worker.wait_until_ready()
    figures = {}
    try:
        for name, delay in PLANTED.items():
            statuses = []
            for seed in range(rounds):
                with proxy(worker.port, delay) as url:
                    command = [program, "loadtest", url, "--source", origin.url("photo-320.jpg"), "--rate", "20",
                               "--duration", "12s", "--warm-up", "1s", "--clients", "1", "--deadline", "2s",
                               "--seed", str(seed)]
                    for budget in BUDGETS:
                        command += ["--budget", budget]
                    statuses.append(subprocess.run(command, capture_output=True).returncode)
            figures[name] = ", ".join(f"{statuses.count(status)} of {rounds} status {status}" for status in sorted(set(statuses)))
    finally:
        worker.stop()
        origin.stop()
    figures["target"] = "status 0 ten times for the unchanged one, else status 4"
    return figures
