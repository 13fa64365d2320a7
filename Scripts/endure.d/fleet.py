"""A fleet: three workers, a gateway that takes jobs for them, Redis with two replicas and three sentinels, and an origin."""

import os
import pathlib
import secrets
import signal
import threading

from harness import MemoryLimit, wait_until
from network import Disk, Node, make_network

GROUP, TOKEN = "mymaster", secrets.token_hex(16)
FAKETIME = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


class Redis(Node):
    def __init__(self, number, folder, primary):
        self.disk = Disk(folder, f"redis{number}", 200)
        command = ["redis-server", "--port", 6379, "--protected-mode", "no", "--dir", self.disk.place, "--save", "",
                   "--appendonly", "yes", "--min-replicas-to-write", 1, "--min-replicas-max-lag", 10]
        super().__init__(f"redis{number}", 10 + number, command, folder)
        self.plain = command
        if primary:
            self.follow(primary)

    def follow(self, primary):
        """Starts as a replica from now on."""
        self.command = [*self.plain, "--replicaof", f"{primary} 6379"]

    def ask(self, *words):
        return self.ask_port(6379, *words)


class Sentinel(Node):
    def __init__(self, number, folder):
        file = folder / f"sentinel{number}.conf"
        file.write_text(
            f"port 26379\nprotected-mode no\nsentinel monitor {GROUP} 10.77.0.11 6379 2\n"
            f"sentinel down-after-milliseconds {GROUP} 1000\nsentinel failover-timeout {GROUP} 5000\n"
            f"sentinel parallel-syncs {GROUP} 2\n")
        super().__init__(f"sentinel{number}", 20 + number, ["redis-server", file, "--sentinel"], folder)

    def ask(self, *words):
        return self.ask_port(26379, *words)

    def sees_all(self):
        """Whether it knows the two others, and both replicas as healthy ones of the primary."""
        fields = iter(self.ask("SENTINEL", "MASTER", GROUP).splitlines())
        master = dict(zip(fields, fields))
        lines = self.ask("SENTINEL", "REPLICAS", GROUP).splitlines()
        pairs = list(zip(lines[::2], lines[1::2]))
        return (master.get("num-other-sentinels") == "2" and master.get("flags") == "master"
                and pairs.count(("flags", "slave")) == pairs.count(("master-link-status", "ok")) == 2)


class Worker(Node):
    """An attachd with a disk, a wall clock and a limit of memory of its own."""

    def __init__(self, program, name, number, folder, options):
        self.disk, self.clock = Disk(folder, f"{name}-store", 100), folder / f"{name}.clock"
        self.clock.write_text("+0")
        self.memory = MemoryLimit(name)
        environment = os.environ | {
            "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        command = [program, *options, "--store", self.disk.place / "store", "--allow-address", "10.77.0.0/24",
                   "--public-url", "https://push.shop.example", "--signing-key-file", folder / "signing.key",
                   "--log-format", "json"]
        super().__init__(name, number, command, folder, environment)

    def start(self):
        super().start()
        self.memory.add(self.process.pid)

    def set_clock(self, seconds):
        """Lets its wall clock jump. Its monotonic clock goes on, as it does when an administrator sets the time."""
        self.clock.write_text(f"{seconds:+d}")


class Fleet:
    def __init__(self, program, folder):
        make_network()
        (folder / "signing.key").write_text(secrets.token_hex(32) + "\n")
        (folder / "signing.key").chmod(0o600)
        (folder / "api.token").write_text(TOKEN + "\n")
        (folder / "api.token").chmod(0o600)
        self.redis = [Redis(number, folder, "10.77.0.11" if number > 1 else None) for number in (1, 2, 3)]
        self.sentinels = [Sentinel(number, folder) for number in (1, 2, 3)]
        self.url = "redis-sentinel://" + ",".join(f"{node.address}:26379" for node in self.sentinels) + f"/{GROUP}"
        self.options = ["--queue", self.url, "--strict"]
        self.workers = [Worker(program, f"worker{number}", 30 + number, folder,
                               ["work", "--listen", "127.0.0.1:8080", *self.options]) for number in (1, 2, 3)]
        self.gateway = Worker(program, "gateway", 41, folder, [
            "serve", "--no-worker", "--listen", "10.77.0.41:8080", "--api-token-file", folder / "api.token", *self.options])
        media = pathlib.Path("Samples/media").resolve()
        self.origin = Node("origin", 51, [program, "origin", media, "--listen", "10.77.0.51:80"], folder)
        # Nodes that a fault holds down. All others are started again when they end, as systemd does.
        self.held, self.is_over = set(), threading.Event()

    @property
    def nodes(self):
        return [*self.redis, *self.sentinels, *self.workers, self.gateway, self.origin]

    def start(self):
        for node in (*self.redis, self.origin):
            node.start()
        wait_until(lambda: self.redis[0].ask("INFO", "replication").count("state=online") == 2, 60, "Redis has no replicas")
        for node in self.sentinels:
            node.start()
        self.wait_until_whole()
        for node in (*self.workers, self.gateway):
            node.start()
        threading.Thread(target=self.supervise, daemon=True).start()

    def supervise(self):
        while not self.is_over.wait(1):
            for node in (*self.workers, self.gateway):
                if not node.is_running and node.name not in self.held:
                    node.start()

    @property
    def primary(self):
        """The primary according to the sentinels that answer."""
        for sentinel in self.sentinels:
            address = sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", GROUP).split("\n")[0]
            for node in self.redis:
                if node.address == address:
                    return node
        return None

    def is_whole(self):
        primary = self.primary
        return (primary is not None and primary.ask("INFO", "replication").count("state=online") == 2
                and all(sentinel.sees_all() for sentinel in self.sentinels))

    def wait_until_whole(self):
        wait_until(self.is_whole, 180, "the sentinels do not see a primary with two replicas")

    def stop(self):
        self.is_over.set()
        for node in self.nodes:
            if node.is_running:
                node.signal(signal.SIGCONT)
                node.kill()
        for node in self.nodes:
            if hasattr(node, "disk"):
                node.disk.remove()
            if hasattr(node, "memory"):
                node.memory.remove()
