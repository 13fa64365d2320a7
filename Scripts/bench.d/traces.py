"""What traces cost: the same load without them, with a collector, and with a collector that hangs.

The three programs run side by side and are loaded in turn, so that the noise of the machine meets all of
them.
"""

import concurrent.futures
import itertools
import os
import socket
import time

from harness import ROOT, Origin, Receiver, Worker, median, percentile

DEADLINE = 10


def traces(bench, clients=6):
    rounds, seconds = bench.rounds or 6, int(os.environ.get("DURATION", 8))
    origin = Origin(bench.program, ROOT / "Samples/media", cores=bench.cores)
    exports = []
    collector = Receiver(lambda headers, body: exports.append(len(body)) or 200)
    # A server that takes connections and never answers.
    hung = socket.create_server(("127.0.0.1", 0), backlog=512)
    endpoints = {"off": None, "on": collector.url, "hung": f"http://127.0.0.1:{hung.getsockname()[1]}"}
    workers = {name: Worker(
        bench.program, "--file-urls", cores=bench.cores, decoders=len(bench.cores), environment=url and {
            "OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "500"}) for name,
            url in endpoints.items()}
    for worker in workers.values():
        worker.wait_until_ready()
    numbers = itertools.count()
    times, rates, spent = {name: [] for name in workers}, {name: []
                                                           for name in workers}, dict.fromkeys(workers, 0.0)

    def client(worker, end):
        taken = []
        while time.monotonic() < end:
            taken.append(worker.notify(origin.url(f"photo.jpg?n={next(numbers)}"), DEADLINE)[1])
        return taken

    def load(name):
        """The seconds of the answers, and those of the processor, which have less noise than rates."""
        worker, before = workers[name], workers[name].processor_seconds
        end = time.monotonic() + seconds
        running = [threads.submit(client, worker, end) for _ in range(clients)]
        taken = [each for done in running for each in done.result()]
        return taken, worker.processor_seconds - before

    with concurrent.futures.ThreadPoolExecutor(clients) as threads:
        for number in range(rounds + 1):
            for name in list(workers)[number % 3:] + list(workers)[:number % 3]:
                taken, cost = load(name)
                # The first round warms up.
                if number > 0:
                    times[name] += taken
                    rates[name].append(len(taken) / seconds)
                    spent[name] += cost
    for part in (*workers.values(), origin):
        part.stop()
    rate = {name: median(found) for name, found in rates.items()}
    return {
        "per_second": {name: round(found, 1) for name, found in rate.items()},
        "p99_ms": {name: round(percentile(found, 0.99) * 1000) for name, found in times.items()},
        "worker_ms_each": {name: round(1000 * cost / len(times[name]), 2) for name, cost in spent.items()},
        "ratio_on": round(rate["on"] / rate["off"], 3), "ratio_hung": round(rate["hung"] / rate["off"], 3),
        "late": sum(taken > DEADLINE + 0.05 for found in times.values() for taken in found),
        "exports": len(exports), "target": "ratios of at least 0.99, and none late",
    }
