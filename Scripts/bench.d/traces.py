"""What traces cost: the same load without them, with a collector, and with a collector that hangs.

The three programs run side by side and are loaded in turn, so that the noise of the machine meets all of them.
"""

import concurrent.futures
import http.server
import itertools
import os
import pathlib
import socket
import statistics
import threading
import time

from delivery import notify
from sidecar import Origin, Sidecar

DEADLINE = 10
PHOTO = pathlib.Path(__file__).parents[2] / "Samples/media/photo.jpg"


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = 0

    def log_message(self, *words):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        Collector.requests += 1
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def processor_seconds(process):
    """The processor time of the worker alone, without its decoders."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def traces(program, folder, cores, rounds=6, seconds=8, clients=6):
    media = pathlib.Path(folder) / "traces"
    media.mkdir(exist_ok=True)
    (media / "photo.jpg").write_bytes(PHOTO.read_bytes())
    origin = Origin(media, cores)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # A server that takes connections and never answers.
    hung = socket.create_server(("127.0.0.1", 0), backlog=512)
    endpoints = {"off": None, "on": server.server_port, "hung": hung.getsockname()[1]}
    sidecars = {
        name: Sidecar(program, cores, len(cores), environment=port and {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "500"})
        for name, port in endpoints.items()
    }
    for sidecar in sidecars.values():
        sidecar.wait_until_ready()
    numbers, times, rates = itertools.count(), {name: [] for name in sidecars}, {name: [] for name in sidecars}

    def client(name, end):
        taken = []
        while time.monotonic() < end:
            _, took = notify(sidecars[name].port, origin.url(f"photo.jpg?{next(numbers)}"), DEADLINE)
            taken.append(took)
        return taken

    with concurrent.futures.ThreadPoolExecutor(clients) as threads:
        spent = {name: 0.0 for name in sidecars}
        for number in range(rounds + 1):
            for name in sorted(sidecars, key=lambda name: (number + list(sidecars).index(name)) % 3):
                end, before = time.monotonic() + seconds, processor_seconds(sidecars[name].process.pid)
                taken = [t for done in [threads.submit(client, name, end) for _ in range(clients)] for t in done.result()]
                # The first round warms up.
                if number > 0:
                    times[name] += taken
                    rates[name].append(len(taken) / seconds)
                    spent[name] += processor_seconds(sidecars[name].process.pid) - before
    for sidecar in sidecars.values():
        sidecar.stop()
    origin.stop()
    rate = {name: statistics.median(found) for name, found in rates.items()}
    return {
        "per_second": {name: round(found, 1) for name, found in rate.items()},
        "p99_ms": {name: round(percentile(found, 0.99) * 1000) for name, found in times.items()},
        # The same work costs less noise to compare than its rate.
        "worker_ms_each": {name: round(1000 * seconds / len(times[name]), 2) for name, seconds in spent.items()},
        "ratio_on": round(rate["on"] / rate["off"], 3),
        "ratio_hung": round(rate["hung"] / rate["off"], 3),
        "late": sum(t > DEADLINE + 0.05 for found in times.values() for t in found),
        "exports": Collector.requests,
        "target": "ratios of at least 0.99, and none late",
    }
