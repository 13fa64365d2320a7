"""Jobs through real workers while the primary of a Redis with sentinels is killed again and again.

In each round, a producer enqueues jobs as fast as they are acknowledged and waits for all answers. In the middle, the
primary is killed. When the sentinels have promoted a replica, the killed one starts again as a replica of it.
"""

import collections
import contextlib
import os
import pathlib
import random
import socket
import statistics
import subprocess
import tempfile
import threading
import time

KILLS, JOBS = int(os.environ.get("KILLS", 20)), int(os.environ.get("JOBS", 20_000))
# The time after which sentinels take a silent server for dead, in milliseconds. Redis's default is 30 s.
DOWN_AFTER = 1000
NAME, PREFIX = "mymaster", "attachd:{default}:"


def free_ports(count):
    """Free ports below those that the system gives to clients, because a killed server needs its port again."""
    ports = []
    while len(ports) < count:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            if port not in ports:
                ports.append(port)
    return ports


def tell(port, *words):
    command = ["redis-cli", "-p", str(port), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"after {seconds} s, {what}")
        time.sleep(0.02)


class Group:
    """A primary, two replicas and three sentinels on loopback."""

    def __init__(self, place):
        self.place = pathlib.Path(place)
        self.servers = {}
        ports = free_ports(6)
        self.sentinels, self.running = ports[3:], []
        for port in ports[:3]:
            self.start(port, None if port == ports[0] else ports[0])
        self.wait_until_whole(ports[0])
        for port in self.sentinels:
            file = self.place / f"sentinel-{port}.conf"
            file.write_text(
                f"port {port}\nbind 127.0.0.1\nsentinel monitor {NAME} 127.0.0.1 {ports[0]} 2\n"
                f"sentinel down-after-milliseconds {NAME} {DOWN_AFTER}\nsentinel failover-timeout {NAME} 5000\n"
                f"sentinel parallel-syncs {NAME} 2\nlogfile sentinel-{port}.log\n")
            self.running.append(subprocess.Popen(["redis-server", file, "--sentinel"], cwd=self.place))
        self.wait_until_seen()
        self.url = "redis-sentinel://" + ",".join(f"127.0.0.1:{port}" for port in self.sentinels) + f"/{NAME}"

    def start(self, port, primary):
        folder = self.place / str(port)
        folder.mkdir(exist_ok=True)
        command = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly",
                   "yes", "--min-replicas-to-write", "1", "--min-replicas-max-lag", "10", "--logfile", "log"]
        if primary:
            command += ["--replicaof", f"127.0.0.1 {primary}"]
        self.servers[port] = subprocess.Popen([str(word) for word in command])

    def sees_all(self, sentinel):
        """Whether a sentinel knows the two others, and both replicas as healthy ones of the primary."""
        fields = iter(tell(sentinel, "SENTINEL", "MASTER", NAME).splitlines())
        master = dict(zip(fields, fields))
        lines = tell(sentinel, "SENTINEL", "REPLICAS", NAME).splitlines()
        pairs = list(zip(lines[::2], lines[1::2]))
        return (master.get("num-other-sentinels") == "2" and master.get("flags") == "master"
                and pairs.count(("flags", "slave")) == pairs.count(("master-link-status", "ok")) == 2
                and pairs.count(("master-port", master.get("port"))) == 2)

    def primary(self):
        """The port of the primary according to the first sentinel."""
        return int(tell(self.sentinels[0], "SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME).splitlines()[-1])

    def wait_until_whole(self, primary):
        wait_until(lambda: tell(primary, "INFO", "replication").count("state=online") == 2, 60,
                   "the primary does not have two replicas")

    def wait_until_seen(self):
        """A kill before that would find the sentinels with an old view: a second failure, not a second fail-over."""
        wait_until(lambda: all(self.sees_all(port) for port in self.sentinels), 120, "a sentinel does not see all")

    def kill(self):
        """Kills the primary. Returns the time, and how long the sentinels took to name another one."""
        old = self.primary()
        self.servers[old].kill()
        killed = time.monotonic()
        self.servers[old].wait()
        wait_until(lambda: self.primary() != old, 60, "no replica was promoted")
        promoted = time.monotonic() - killed
        self.start(old, self.primary())
        return killed, promoted

    def stop(self):
        for process in [*self.running, *self.servers.values()]:
            process.kill()
            process.wait()


class Lines:
    """The events that a program prints, by kind and job."""

    def __init__(self, command):
        self.events, self.order = collections.defaultdict(collections.Counter), []
        self.changed = threading.Condition()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            event, name, *moment = line.split()
            with self.changed:
                self.events[event][name] += 1
                if event == "accepted":
                    self.order.append(int(moment[0]) / 1000)
                self.changed.notify_all()

    def wait_for(self, count):
        with self.changed:
            if not self.changed.wait_for(lambda: len(self.order) >= count, 60):
                raise SystemExit("the producer does not get on")

    def end(self):
        self.process.wait()
        self.thread.join()


def recovery(moments, killed):
    """The seconds from the kill to the end of the longest pause between acknowledgements that the kill was in."""
    moments = sorted([*moments, killed])
    pauses = [(after - before, after) for before, after in zip(moments, moments[1:]) if after > killed]
    return max(pauses)[1] - killed if pauses else float("nan")


def run(program, folder, strict):
    options = ["--strict"] if strict else []
    totals, times, promotions = collections.Counter(), [], []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        group = Group(os.path.abspath(place))
        workers = []
        try:
            workers = [Lines([program, "work", group.url, *options]) for _ in range(2)]
            for number in range(KILLS):
                jobs = JOBS // KILLS
                producer = Lines([program, "produce", group.url, f"round-{number}", str(jobs), *options])
                producer.wait_for(jobs // 3)
                killed, promoted = group.kill()
                producer.end()
                times.append(recovery(producer.order, killed))
                promotions.append(promoted)
                for event in ("accepted", "answered", "lost", "changed"):
                    totals[event] += len(producer.events[event])
                totals["refused"] += sum(producer.events["refused"].values())
                group.wait_until_seen()
            left = [int(tell(group.primary(), "XLEN", PREFIX + key)) for key in ("jobs:hi", "dead")]
        finally:
            for worker in workers:
                worker.process.kill()
                worker.end()
            group.stop()
    finished = sum((worker.events["finished"] for worker in workers), collections.Counter())
    return {
        "acknowledged": totals["accepted"],
        "answered": totals["answered"],
        "lost": totals["lost"],
        # Told to two workers, or another one for the producer in the end.
        "answered_twice": sum(count > 1 for count in finished.values()),
        "answers_that_changed": totals["changed"],
        "calls_refused": totals["refused"],
        "left_in_the_queue": sum(left),
        "seconds_to_promotion_median": round(statistics.median(promotions), 2),
        "seconds_to_recover_median": round(statistics.median(times), 2),
        "seconds_to_recover_worst": round(max(times), 2),
    }


def sentinel(program, folder):
    queue_program = pathlib.Path(program).with_name("queue-program")
    results = {}
    for name, strict in (("strict", True), ("not_strict", False)):
        results |= {f"{name}_{key}": value for key, value in run(queue_program, folder, strict).items()}
    return results | {"target": f"{KILLS} kills in {JOBS} jobs; strict: lost 0, answered twice 0"}
