"""The effect of one hostile origin, client, callback receiver, or source on the notifications of all others.

Honest notifications are sent at even intervals as an open loop, each with its own source and a deadline.
Beside them, one hostile party does all it can. The comparison is the same load without it.
"""

import concurrent.futures
import contextlib
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import signal
import socket
import statistics
import tempfile
import threading
import time

import peers
from nginx import HostileNginx
from sidecar import Sidecar

RATE, WARM_UP, SECONDS = 15, 4, 14
DEADLINE = 5.0
# The time for a request and its answer on a machine that everything here shares.
TOLERANCE = 0.05
LIMITS = {"complete": 0.95, "ratio": 2.0, "late": 0}

_numbers = itertools.count()


def send(port, path, envelope, timeout=60):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        client.request("POST", path, json.dumps(envelope).encode())
        answer = client.getresponse()
        return answer.status, answer.read()
    finally:
        client.close()


def envelope(url, **more):
    payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": f"{url}?{next(_numbers)}"}
    return {"payload": payload, **more}


class Honest:
    """Notifications at even times, over HTTP or as jobs whose results are posted to a callback."""

    def __init__(self, port, origin, as_jobs):
        self.port, self.origin, self.as_jobs = port, origin, as_jobs
        self.results, self.sent, self.lock = [], {}, threading.Lock()

    def run(self):
        self.origin.on_received = self.receive
        with concurrent.futures.ThreadPoolExecutor(128) as threads:
            start = time.monotonic()
            for number in range(RATE * SECONDS):
                due = start + number / RATE
                time.sleep(max(0, due - time.monotonic()))
                threads.submit(self.notify, due)
        end = time.monotonic() + DEADLINE + 1
        while self.as_jobs and self.sent and time.monotonic() < end:
            time.sleep(0.05)
        # Notifications without an answer count as late.
        with self.lock:
            self.results += [("nothing", time.monotonic() - due) for due in self.sent.values()]
        return self.results

    def notify(self, due):
        content = envelope(self.origin.url("good/file/photo.jpg"), deadline=f"{DEADLINE:.0f}s")
        outcome = "nothing"
        try:
            if self.as_jobs:
                name = f"honest-{next(_numbers)}"
                content |= {"id": name, "callback": self.origin.url("good/received/it")}
                with self.lock:
                    self.sent[name] = due
                if send(self.port, "/v1/jobs", content)[0] == 202:
                    return
                with self.lock:
                    del self.sent[name]
            else:
                status, body = send(self.port, "/v1/notifications", content)
                outcome = peers.outcome(body) if status == 200 else f"status {status}"
        except OSError as error:
            outcome = type(error).__name__
        with self.lock:
            self.results.append((outcome, time.monotonic() - due))

    def receive(self, job, body):
        with self.lock:
            if due := self.sent.pop(job, None):
                self.results.append((peers.outcome(body), time.monotonic() - due))


def summary(results):
    times = sorted(seconds for _, seconds in results)
    return {
        "complete": sum(outcome == "complete" for outcome, _ in results) / len(results),
        "p99": times[int(0.99 * (len(times) - 1))],
        "late": sum(seconds > DEADLINE + TOLERANCE for seconds in times),
    }


# MARK: The hostile parties


def start_each(action, arguments):
    """Runs `action` for each of `arguments`, started evenly over the warm-up, so that the load is steady."""
    def run(number, argument):
        time.sleep(WARM_UP * number / len(arguments))
        action(argument)

    for number, argument in enumerate(arguments):
        threading.Thread(target=run, args=(number, argument), daemon=True).start()


def notifications(port, urls, path="/v1/notifications", **more):
    """Keeps notifications under way that name hostile sources: for each the next one a second after its answer.

    Each source has one in four seconds at most: the origin is the hostile party here, not the sender, who does not send
    more because answers come sooner.
    """
    def repeat(url):
        while True:
            next_one = time.monotonic() + 4
            with contextlib.suppress(OSError):
                name = {"id": f"hostile-{next(_numbers)}"} if path == "/v1/jobs" else {}
                send(port, path, envelope(url, **more, **name))
            time.sleep(max(1, next_one - time.monotonic()))

    start_each(repeat, urls)


def callbacks(port, urls):
    """Sends empty jobs whose results go to servers that accept them and never answer."""
    def fill(url):
        while True:
            with contextlib.suppress(OSError):
                content = {"payload": {"aps": {"alert": "Hi"}}, "callback": url, "id": f"tarpit-{next(_numbers)}"}
                send(port, "/v1/jobs", content)
            time.sleep(1)

    start_each(fill, urls)


def kill_decoders(worker):
    """Kills each decoder that works on one source for a while, as if it had crashed."""
    seen = {}
    while True:
        busy = [pid for pid in descendants(worker) if holds_source(pid)]
        now = time.monotonic()
        seen = {pid: seen.get(pid, now) for pid in busy}
        for pid, since in seen.items():
            # An honest picture takes a tenth of that.
            if now - since > 0.7:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSEGV)
        time.sleep(0.1)


def descendants(pid):
    found = []
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child] + descendants(child)
    return found


def holds_source(pid):
    with contextlib.suppress(OSError):
        return any("memfd:media" in os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir())
    return False


def slow_clients(port, count):
    """Keeps requests under way whose headers, or bodies, come by a byte a second, on as many connections as there are."""
    clients = []
    while True:
        while len(clients) < count:
            client = socket.socket()
            client.settimeout(2)
            try:
                client.connect(("127.0.0.1", port))
                start = "POST /v1/notifications HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                body = "Content-Length: 60000\r\n\r\n" if len(clients) % 2 else "X-Slow: "
                client.sendall((start + body).encode())
                clients.append(client)
            except OSError:
                client.close()
                break
        time.sleep(1)
        for client in list(clients):
            try:
                client.sendall(b"a")
            except OSError:
                clients.remove(client)
                client.close()


def attack(start, worker):
    """Runs in a separate process, so that the honest client does not wait for the hostile one's Python."""
    os.nice(5)
    start(worker)
    signal.pause()


def scenarios(evil, origin, nginx):
    """The scenarios: name, whether the honest load consists of jobs, and the function that starts the hostile party."""
    drip, head = "evil/drip/huge.jpg", "evil/head/huge.jpg"
    # One /24 counts as one owner, like all names below one registrable domain.
    hosts = [f"127.0.2.{number}" for number in range(1, 201)]
    def of(path, hosts, count, *more):
        urls = itertools.islice(itertools.cycle(hosts), count)
        urls = [evil.url(path, host) for host in urls]
        return lambda worker: notifications(worker.port, urls, *more, deadline="20s")

    def heads(worker):
        start = time.monotonic()
        send(worker.port, "/v1/notifications", envelope(evil.url(head), deadline="1s"))
        if time.monotonic() - start < 0.5:
            raise SystemExit("The hostile head was refused at once, so that it holds no memory: make it smaller.")
        of(head, hosts[:1], 8)(worker)

    def dying(worker):
        heads(worker)
        kill_decoders(worker.process.pid)

    tarpits = [evil.url("evil/silence/it", f"127.{number + 1}.0.1") for number in range(64)]
    later = [origin.url("evil/later/it")] * 4
    over_http2 = [nginx.url("drip/photo.jpg")] * 80 + [nginx.url("gzip/nested.gz")] * 4
    return [
        ("80 sources that drip, one host", False, of(drip, hosts[:1], 80)),
        ("200 sources that drip, 200 hosts of one owner", False, of(drip, hosts, 200)),
        ("400 jobs whose sources drip, 200 hosts of one owner", True, of(drip, hosts, 400, "/v1/jobs")),
        ("nested gzip", False, of("evil/gzip/it", hosts[:1], 4)),
        ("8 JPEG heads of 24 megapixels", False, heads),
        ("8 sources whose decoders die", False, dying),
        ("64 callback hosts that never answer", True, lambda worker: callbacks(worker.port, tarpits)),
        ("600 slow HTTP clients", False, lambda worker: slow_clients(worker.port, 600)),
        ("Retry-After of 31 years, another tenant of the host", False,
         lambda worker: notifications(worker.port, later, deadline="20s")),
        ("nginx over HTTP/2 and IPv6: 80 sources that drip, and nested gzip", False,
         lambda worker: notifications(worker.port, over_http2, deadline="20s")),
    ]


def run(program, cores, options, origin, as_jobs, start=None):
    worker = Sidecar(program, cores, len(cores), options)
    try:
        worker.wait_until_ready()
        for _ in range(10):
            # Lets the sidecar learn the cost of its work, as in its first minute of operation.
            send(worker.port, "/v1/notifications", envelope(origin.url("good/file/photo.jpg")))
        hostile = multiprocessing.Process(target=attack, args=(start, worker), daemon=True)
        if start:
            hostile.start()
            time.sleep(WARM_UP)
        results = Honest(worker.port, origin, as_jobs).run()
        if start:
            if not hostile.is_alive():
                raise SystemExit("The hostile party ended before the honest one.")
            hostile.terminate()
        return summary(results)
    finally:
        # A worker that hangs must not delay the next one.
        worker.process.kill()
        worker.process.wait()
        worker.folder.cleanup()


def figure(rounds):
    """The scenario's figure: the median of its rounds, each beside a quiet run of its own, and the worst of the rest."""
    rounds = [result | {"ratio": result["p99"] / quiet["p99"]} for quiet, result in rounds]
    return {
        "complete": min(result["complete"] for result in rounds),
        "p99": statistics.median(result["p99"] for result in rounds),
        "ratio": statistics.median(result["ratio"] for result in rounds),
        "late": sum(result["late"] for result in rounds),
    }


def fairness(program, folder, cores, chosen=os.environ.get("SCENARIOS", ""), rounds=int(os.environ.get("ROUNDS", 3))):
    """Runs the scenarios, each several times: one stall of a shared machine decides a single run's 99th percentile.

    `SCENARIOS` chooses those whose names contain that text. `ROUNDS` gives the number of runs.
    """
    files = peers.files(folder)
    origin, evil = peers.Peers(files), peers.Peers(files)
    figures, worst = {}, {"complete": 1.0, "ratio": 0.0, "late": 0}
    with tempfile.TemporaryDirectory() as place:
        config, media = pathlib.Path(place, "attachd.yaml"), pathlib.Path(place, "media")
        media.mkdir()
        for name, content in files.items():
            (media / name).write_bytes(content)
        nginx = HostileNginx(media)
        options = ["--allow-address", "127.0.0.0/8", "--allow-address", "::1/128", "--config", str(config),
                   "--ca-file", str(nginx.certificate)]
        config.write_text(json.dumps({"sources": {"shared": {"match": origin.url("*"), "tenantSegment": 1}}}))
        chosen_ones = [scenario for scenario in scenarios(evil, origin, nginx) if chosen in scenario[0]]
        results = {name: [] for name, _, _ in chosen_ones}
        for _ in range(rounds):
            kinds = {as_jobs for _, as_jobs, _ in chosen_ones}
            quiet = {as_jobs: run(program, cores, options, origin, as_jobs) for as_jobs in kinds}
            for name, as_jobs, start in chosen_ones:
                results[name].append((quiet[as_jobs], run(program, cores, options, origin, as_jobs, start)))
        for name, pairs in results.items():
            result = figure(pairs)
            figures[name] = (f"complete {result['complete']:.1%}, p99 {result['p99'] * 1000:.0f} ms, "
                             f"{result['ratio']:.2f} of quiet, late {result['late']}")
            worst["complete"] = min(worst["complete"], result["complete"])
            worst["ratio"], worst["late"] = max(worst["ratio"], result["ratio"]), worst["late"] + result["late"]
    for server in (origin, evil, nginx):
        server.stop()
    figures |= {"least_complete": round(worst["complete"], 3), "greatest_ratio": round(worst["ratio"], 2),
                "late": worst["late"], "target": "complete 95 %, p99 within 2 of quiet, nothing late"}
    return figures
