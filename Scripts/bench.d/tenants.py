"""Two tenants of one queue: how long the jobs of a chat take alone, and beside a campaign with fifty times as many.

Every notification has a picture of its own, so nothing is shared, and the campaign alone is more than the worker can do.
The chat sends on a fixed schedule; its times count from the schedule, not from the request.
"""

import contextlib
import http.client
import http.server
import json
import multiprocessing
import os
import pathlib
import tempfile
import threading
import time

from redisserver import Redis
from sidecar import QuietFiles, Sidecar

SECONDS = 60
CHAT = 4
TIMES = 50
# Before the chat begins, the campaign has filled the queue.
HEAD_START = 3


class AnyName(QuietFiles):
    """Serves one file under every name."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)


def _serve(content, ports, cores):
    os.sched_setaffinity(0, cores)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), AnyName)
    server.content = content
    ports.send(server.server_port)
    server.serve_forever()


def _envelope(origin, tenant, number, deadline):
    picture = f"http://127.0.0.1:{origin}/{tenant}-{number}.jpg"
    payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": picture}
    return json.dumps({"id": str(number), "tenant": tenant, "deadline": deadline, "payload": payload})


def _campaign(port, origin, count, rate, cores):
    """Enqueues `count` jobs at `rate` a second, and waits for none of them."""
    os.sched_setaffinity(0, cores)
    client = http.client.HTTPConnection("127.0.0.1", port)
    begun = time.monotonic()
    for number in range(count):
        time.sleep(max(0, begun + number / rate - time.monotonic()))
        client.request("POST", "/v1/jobs", _envelope(origin, "campaign", number, "20s"))
        client.getresponse().read()


def _chat(port, origin, first):
    """Enqueues jobs on a schedule, and returns the milliseconds until the answer of each, sorted."""
    times, wrong, threads = [], [], []

    def one(number, due):
        client = http.client.HTTPConnection("127.0.0.1", port)
        client.request("POST", "/v1/jobs", _envelope(origin, "chat", number, "20s"))
        client.getresponse().read()
        client.request("GET", f"/v1/jobs/{number}?tenant=chat&wait=60s")
        answer = json.loads(client.getresponse().read())
        times.append((time.monotonic() - due) * 1000)
        if answer.get("status") != "ok":
            wrong.append(answer.get("status"))

    begun = time.monotonic()
    for number in range(SECONDS * CHAT):
        due = begun + number / CHAT
        time.sleep(max(0, due - time.monotonic()))
        threads.append(threading.Thread(target=one, args=(first + number, due)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return sorted(times), wrong


def _trial(program, queue, cores, content, beside):
    """The chat's times on a new worker, beside a campaign or alone. Origin and clients share all cores with it."""
    ours, theirs = multiprocessing.Pipe()
    origin = multiprocessing.Process(target=_serve, args=(content, theirs, cores), daemon=True)
    origin.start()
    port = ours.recv()
    sidecar = Sidecar(program, cores, max(1, len(cores) // 2), ["--queue", queue, "--public-url", "https://push.example"])
    sidecar.wait_until_ready()
    sender = None
    if beside:
        rate = CHAT * TIMES
        count = rate * (SECONDS + HEAD_START)
        sender = multiprocessing.Process(target=_campaign, args=(sidecar.port, port, count, rate, cores), daemon=True)
        sender.start()
        time.sleep(HEAD_START)
    times, wrong = _chat(sidecar.port, port, 0)
    if sender:
        sender.terminate()
    sidecar.process.kill()
    sidecar.process.wait()
    origin.terminate()
    return times, wrong


@contextlib.contextmanager
def _sqlite(place):
    yield f"sqlite:{place}/queue.sqlite"


@contextlib.contextmanager
def _redis(place):
    redis = Redis(place)
    try:
        yield redis.url
    finally:
        redis.stop()


def tenants(program, folder, cores):
    content = pathlib.Path(folder, "photo-320.jpg").read_bytes()
    values = {"chat_jobs_per_second": CHAT, "campaign_jobs_per_second": CHAT * TIMES}
    for name, queue in (("sqlite", _sqlite), ("redis", _redis)):
        found = {}
        for beside in (False, True):
            with tempfile.TemporaryDirectory(dir=folder) as place, queue(os.path.abspath(place)) as address:
                times, wrong = _trial(program, address, cores, content, beside)
            label = "beside_the_campaign" if beside else "alone"
            found[beside] = times[int(len(times) * 0.99)]
            values[f"{name}_{label}_p50"] = round(times[len(times) // 2], 1)
            values[f"{name}_{label}_p99"] = round(found[beside], 1)
            values[f"{name}_{label}_not_ok"] = len(wrong)
        values[f"{name}_ratio"] = round(found[True] / found[False], 2)
    return values | {"target": "a ratio of at most 1.5"}
