"""The effect of one hostile origin, client, callback receiver, or source on the notifications of all others.

Honest notifications are sent at even intervals as an open loop, each with its own source and a deadline.
Beside them, one hostile party does all it can. The comparison is the same load without it. DURATION is the
time of the honest load in seconds. Without Scripts/bench, for a program and a folder with the photos that it
makes:

    python3 Scripts/bench.d/fairness.py PROGRAM FOLDER
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import http.client
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import adversaries
from harness import MemoryLimit, Receiver, Worker, exchange, percentile
from parties import (
    WARM_UP, attack, burst, burst_counts, callbacks, envelope, kill_decoders, lists, notifications, numbers,
    responses, slow_clients, spin)

RATE, SECONDS = 15, int(os.environ.get("DURATION", 14))
DEADLINE = 5.0
# The time for a request and its answer on a machine that everything here shares.
TOLERANCE = 0.05
# The longest that a worker may take to end, in seconds, before it is killed, and a burst to be answered.
PATIENCE, BURST_PATIENCE = 45, 60
SITES = [f"127.5.{site}.1" for site in range(1, 201)]
SITE = ["127.6.1.1"]
IPV6_SITE = ["::1"]
# One /24 counts as one owner, like all names below one registrable domain.
ONE_OWNER = [f"127.0.2.{number}" for number in range(1, 201)]


class Honest:
    """Notifications at even times, over HTTP or as jobs whose results are posted to a callback."""

    def __init__(self, port, photo, as_jobs):
        self.port, self.photo, self.as_jobs = port, photo, as_jobs
        self.results, self.sent, self.lock = [], {}, threading.Lock()
        self.receiver = Receiver(self.receive)

    def run(self):
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
        self.receiver.shutdown()
        self.receiver.server_close()
        return self.results

    def notify(self, due):
        content = envelope(self.photo, deadline=f"{DEADLINE:.0f}s")
        outcome = "nothing"
        try:
            if self.as_jobs:
                name = f"honest-{next(numbers)}"
                content |= {"id": name, "callback": self.receiver.url}
                with self.lock:
                    self.sent[name] = due
                if exchange(self.port, "POST", "/v1/jobs", content)[0] == 202:
                    return
                with self.lock:
                    del self.sent[name]
            else:
                status, _, body = exchange(self.port, "POST", "/v1/notifications", content)
                outcome = json.loads(body)["outcome"] if status == 200 else f"status {status}"
        except OSError as error:
            outcome = type(error).__name__
        with self.lock:
            self.results.append((outcome, time.monotonic() - due))

    def receive(self, headers, body):
        with self.lock:
            if due := self.sent.pop(headers["Attachd-Job"], None):
                self.results.append((json.loads(body)["outcome"], time.monotonic() - due))
        return 204


def summary(results):
    times = [seconds for _, seconds in results]
    return {
        "complete": sum(outcome == "complete" for outcome, _ in results) / len(results),
        "p99": percentile(times, 0.99),
        "late": sum(seconds > DEADLINE + TOLERANCE for seconds in times),
    }


class Watch(threading.Thread):
    """Asks for the worker's readiness, and reads its threads and descriptors, four times a second."""

    def __init__(self, worker):
        super().__init__(daemon=True)
        self.worker, self.ended, self.statuses = worker, False, collections.Counter()
        self.threads = self.descriptors = 0
        self.start()

    def run(self):
        process = pathlib.Path(f"/proc/{self.worker.process.pid}")
        while not self.ended:
            with contextlib.suppress(OSError):
                self.threads = max(self.threads, len(os.listdir(process / "task")))
                self.descriptors = max(self.descriptors, len(os.listdir(process / "fd")))
            try:
                self.statuses[str(exchange(self.worker.port, "GET", "/readyz", timeout=5)[0])] += 1
            except (OSError, http.client.HTTPException) as error:
                self.statuses[type(error).__name__] += 1
            time.sleep(0.25)

    def result(self):
        self.ended = True
        self.join()
        worst = [name for name, _ in self.statuses.most_common() if name != "200"]
        return {"ready": self.statuses["200"] / max(1, self.statuses.total()), "unready": worst[:1],
                "threads": self.threads, "descriptors": self.descriptors}


@dataclasses.dataclass
class Scenario:
    name: str
    start: object
    """The function that starts the hostile party, which gets the worker."""
    as_jobs: bool = False
    """Whether the honest load consists of jobs."""
    options: tuple = ()
    environment: dict = dataclasses.field(default_factory=dict)
    launcher: tuple = ()
    """The command before the program's."""
    megabytes: int = None
    """The memory of the worker's control group."""
    burst: int = 0
    completes: bool = True
    """Whether honest notifications can be complete: not without the bucket."""

    @property
    def quiet(self):
        return dataclasses.replace(self, name="quiet", start=None, options=(), environment={}, burst=0)


# The attack, the number of sources and their sites, and the seconds after which a source is asked for again.
SOURCES = [
    ("hello-requests", 8, SITE), ("hello-requests", 8, IPV6_SITE), ("hello-requests", 200, SITES),
    ("tickets", 8, SITE), ("tickets", 200, SITES), ("key-updates", 8, SITE), ("renegotiation", 8, SITE),
    ("tiny-records", 8, SITE), ("empty-records", 8, SITE), ("warnings", 8, SITE),
    ("big-group", 8, SITE, 3), ("big-group", 32, SITES, 3), ("ffdhe8192", 40, SITES),
    ("one-byte-chunks", 1, SITE), ("one-byte-chunks", 32, SITES), ("tls12:one-byte-chunks", 8, SITE),
    ("tls13:one-byte-chunks", 8, SITE),
    ("promised-end", 160, SITES), ("tls13:promised-end", 160, SITES),
    ("dripping-head", 160, SITES), ("small-headers", 8, SITE), ("interim", 8, SITE),
    ("tls13:interim", 8, SITE),
    ("trailers", 8, SITE), ("redirects", 40, SITES), ("many-names", 40, SITES),
    ("large-certificate", 40, SITES), ("unread", 160, SITES),
]
CALLBACKS = [("hello-requests", 8, SITE), ("tickets", 8, SITE), ("big-group", 8, SITE), ("interim", 8, SITE),
             ("unread", 64, SITES)]
# Megabytes of the worker's group, of one picture, and pictures.
PICTURES = [(512, 39, 36), (1024, 93, 120), (512, 12, 200)]


def over(urls, count):
    """As many URLs, in turn."""
    return list(itertools.islice(itertools.cycle(urls), count))


def title(attack, count, sites):
    where = f"{min(count, len(sites))} sites" if len(sites) > 1 else "one site"
    return f"{attack}: {count}, {'over IPv6' if sites is IPV6_SITE else where}"


def sources(urls, every=4, **more):
    return lambda worker: notifications(worker.port, urls, every=every, deadline="20s", **more)


def hostile_servers(folder, shared):
    """Starts the hostile servers, and returns them with their scenarios."""
    names = ["dead-names", "dead-redirects", "picture", "drip", "nested-gzip", "tls13:drip",
             "tls13:nested-gzip", "head", "silence"]
    names = list(dict.fromkeys(names + [row[0] for row in SOURCES + CALLBACKS]))
    if os.geteuid() != 0:
        names.remove("dead-names")
    servers = adversaries.Adversaries(folder, names)

    def urls(attack, count, sites):
        return over([servers.url(attack, site) for site in sites], count)

    def posts(urls):
        return lambda worker: callbacks(worker.port, urls)

    def heads(worker):
        start = time.monotonic()
        exchange(worker.port, "POST", "/v1/notifications",
                 envelope(servers.url("head", SITE[0]), deadline="1s"))
        if time.monotonic() - start < 0.5:
            raise SystemExit("The hostile head was refused at once, so it holds no memory: make it smaller.")
        sources(urls("head", 8, SITE))(worker)

    def dying(worker):
        heads(worker)
        kill_decoders(worker)

    def over_tls(attack, count):
        return urls(f"tls13:{attack}", count, IPV6_SITE)

    silent = [servers.url("silence", f"127.{number + 1}.0.1") for number in range(64)]
    found = [Scenario(name, start, as_jobs) for name, as_jobs, start in [
        ("80 sources that drip, one host", False, sources(urls("drip", 80, SITE))),
        ("200 sources that drip, 200 hosts of one owner", False, sources(urls("drip", 200, ONE_OWNER))),
        ("400 jobs whose sources drip, 200 hosts of one owner", True,
         sources(urls("drip", 400, ONE_OWNER), path="/v1/jobs")),
        ("nested gzip", False, sources(urls("nested-gzip", 4, SITE))),
        ("8 JPEG heads of 24 megapixels", False, heads),
        ("8 sources whose decoders die", False, dying),
        ("64 callback hosts that never answer", True, posts(silent)),
        ("600 slow HTTP clients", False, lambda worker: slow_clients(worker.port, 600)),
        ("48 clients that send lists of 9 kB", False, lambda worker: lists(worker.port, 48)),
        ("2 busy processes that send nothing", False, lambda worker: spin(2)),
        ("Retry-After of 31 years, another tenant of the host", False,
         sources([f"{shared}/evil/it.jpg"] * 4)),
        ("TLS and IPv6: 80 sources that drip, and nested gzip", False,
         sources(over_tls("drip", 80) + over_tls("nested-gzip", 4))),
    ]]
    found += [Scenario(title(*row[:3]), sources(urls(*row[:3]), *row[3:])) for row in SOURCES]
    found += [Scenario("callbacks, " + title(*row), posts(urls(*row)), as_jobs=True) for row in CALLBACKS]
    if "dead-names" in names:
        resolver = folder / "resolv.conf"
        resolver.write_text(f"nameserver {adversaries.DNS_ADDRESS}\n")
        dead = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', str(resolver))
        for kind, name in [("one site", "a{}.dead.test"), ("200 sites", "a.dead{}.test")]:
            addresses = [f"http://{name.format(number)}/it.jpg" for number in range(200)]
            found.append(Scenario(f"dead names: 200, {kind}", sources(addresses), launcher=dead))
        redirects = sources(urls("dead-redirects", 40, SITES))
        found.append(Scenario("redirects to dead names: 40, 40 sites", redirects, launcher=dead))
    endless, unread = (servers.url(name, "::1").removesuffix("/it.jpg")
                       for name in ("hello-requests", "unread"))
    found += [
        Scenario("hello-requests: collector", lambda worker: None, environment={
            "OTEL_EXPORTER_OTLP_ENDPOINT": endless,
            "OTEL_EXPORTER_OTLP_CERTIFICATE": str(servers.authority)}),
        Scenario("hello-requests: response webhook", lambda worker: responses(worker.port),
                 options=("--response-webhook", endless))]
    found += [
        Scenario(f"{name}: bucket", lambda worker: None, completes=False, environment={
            "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"},
            options=("--publish", "s3://media", "--publish-endpoint", url, "--public-url",
                     "https://media.test"))
        for name, url in [("hello-requests", endless), ("unread", unread)]]
    for limit, size, count in PICTURES if os.geteuid() == 0 else []:
        pictures = [servers.url("picture", SITES[number % 30], f"{size}/{number}.jpg")
                    for number in range(count)]
        name = f"{count} pictures of {size} MB, 30 sites, in {limit} MB"
        at_once = (lambda pictures: lambda worker: burst(worker.port, pictures))(pictures)
        found.append(Scenario(name, at_once, megabytes=limit, burst=count))
    return servers, found


def run(program, cores, options, photo, scenario):
    group = MemoryLimit("fairness") if scenario.megabytes else None
    if group:
        group.set(scenario.megabytes << 20)
    options = [*options, *scenario.options]
    options += [] if "--public-url" in options else ["--file-urls"]
    worker = Worker(program, *options, cores=cores, decoders=len(cores), environment=scenario.environment,
                    launcher=scenario.launcher + (group.launcher if group else ()))
    hostile = multiprocessing.Process(target=attack, args=(scenario.start, worker), daemon=True)
    burst_counts[:] = [0, 0]
    try:
        worker.wait_until_ready()
        for _ in range(10):
            # Lets the worker learn the cost of its work, as in its first minute of operation.
            exchange(worker.port, "POST", "/v1/notifications", envelope(photo, deadline="2s"))
        if scenario.start:
            hostile.start()
            time.sleep(WARM_UP)
        watch = Watch(worker)
        result = summary(Honest(worker.port, photo, scenario.as_jobs).run())
        end = time.monotonic() + BURST_PATIENCE
        while burst_counts[0] < scenario.burst and time.monotonic() < end:
            time.sleep(0.1)
        result |= watch.result() | {"kills": group.kills if group else 0, "burst": burst_counts[1]}
        if scenario.start and not hostile.is_alive():
            raise SystemExit("The hostile party ended before the honest one.")
        start = time.monotonic()
        # A worker that hangs must not delay the next one.
        worker.stop(PATIENCE)
        return result | {"end": time.monotonic() - start}
    finally:
        if hostile.is_alive():
            hostile.terminate()
        worker.stop(0)
        if group:
            group.remove()


def figure(rounds):
    """The medians of the scenario's rounds, each beside a quiet run, and the worst of the rest."""
    rounds = [result | {"ratio": result["p99"] / quiet["p99"], "longer": result["end"] - quiet["end"]}
              for quiet, result in rounds]
    medians = {name: statistics.median(result[name] for result in rounds)
               for name in ("p99", "ratio", "end", "longer")}
    least = {name: min(result[name] for result in rounds) for name in ("complete", "ready", "burst")}
    most = {name: max(result[name] for result in rounds) for name in ("threads", "descriptors", "kills")}
    unready = next((result["unready"] for result in rounds if result["unready"]), [])
    return medians | least | most | {"late": sum(result["late"] for result in rounds), "unready": unready}


def failures(scenario, result):
    """The names of the targets that were missed."""
    return [name for name, is_missed in {
        "complete": scenario.completes and result["complete"] < 0.95,
        "p99": scenario.completes and result["ratio"] > 2,
        "late": result["late"] > 0, "readyz": result["ready"] < 1, "end": result["longer"] > 2,
        "killed": result["kills"] > 0, "burst": result["burst"] < scenario.burst}.items() if is_missed]


def row(scenario, result):
    missed = failures(scenario, result)
    unready = "".join(f" ({status})" for status in result["unready"])
    parts = [
        f"complete {result['complete']:.1%}", f"p99 {result['p99'] * 1000:.0f} ms",
        f"{result['ratio']:.2f} of quiet",
        f"late {result['late']}", f"ready {result['ready']:.0%}{unready}", f"threads {result['threads']}",
        f"descriptors {result['descriptors']}", f"end {result['end']:.1f} s"]
    if scenario.megabytes:
        parts += [f"killed {result['kills']}", f"burst {result['burst']} of {scenario.burst}"]
    return ", ".join(parts) + ("; MISSED " + ", ".join(missed) if missed else "")


def fairness(program, folder, cores):
    """Runs each scenario several times: a stall of a shared machine decides a single run's 99th percentile.

    `SCENARIOS` chooses those whose names match that regular expression. `ROUNDS` gives the number of runs.
    """
    chosen, rounds = os.environ.get("SCENARIOS", ""), int(os.environ.get("ROUNDS", 3))
    figures, missed = {}, 0
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        config = place / "attachd.yaml"
        shutil.copy(pathlib.Path(folder, "photo-1600.jpg"), place / "photo.jpg")
        # The origin of the honest photos, where another tenant is hostile.
        origin = adversaries.Adversaries(place, ["shared"], nice=0)
        shared = origin.url("shared", "127.0.0.1", "").removesuffix("/")
        photo = f"{shared}/good/photo.jpg"
        servers, found = hostile_servers(place, shared)
        options = ["--allow-address", "127.0.0.0/8", "--allow-address", "::1/128", "--config", str(config),
                   "--ca-file", str(servers.authority)]
        config.write_text(json.dumps({"sources": {"shared": {"match": f"{shared}/*", "tenantSegment": 1}}}))
        chosen_ones = [scenario for scenario in found if re.search(chosen, scenario.name)]
        if not chosen_ones:
            raise SystemExit(f"error: no scenario's name matches {chosen}")
        results = {scenario.name: [] for scenario in chosen_ones}
        for number in range(rounds):
            quiet = {}
            for scenario in chosen_ones:
                key = (scenario.as_jobs, scenario.megabytes, scenario.launcher)
                if key not in quiet:
                    quiet[key] = run(program, cores, options, photo, scenario.quiet)
                    print(f"quiet {key[:2]}: {row(scenario.quiet, figure([(quiet[key], quiet[key])]))}",
                          flush=True)
                results[scenario.name].append((quiet[key], run(program, cores, options, photo, scenario)))
                if number == rounds - 1:
                    result = figure(results[scenario.name])
                    figures[scenario.name] = row(scenario, result)
                    missed += bool(failures(scenario, result))
                    print(f"{scenario.name}: {figures[scenario.name]}", flush=True)
    for server in (origin, servers):
        server.stop()
    return figures | {"missed": f"{missed} of {len(results)}", "target":
                      "complete 95 %, p99 within 2 of quiet, nothing late, always ready, an end within 2 s "
                      "of the quiet one's, and no process killed"}


if __name__ == "__main__":
    fairness(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), os.sched_getaffinity(0))
