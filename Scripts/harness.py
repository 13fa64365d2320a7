"""What the scripts share: attachd, its test origin and Redis as processes, requests, and figures."""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


# MARK: Processes


def wait_until(holds, seconds, what):
    """Waits until `holds` returns something true, and returns it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            raise SystemExit(f"error: after {seconds} s, {what}")
        time.sleep(0.02)
    return found


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Program:
    """A process that has started when its output matches a pattern, on the given cores."""

    running = []

    def __init__(self, command, pattern, cores=None, environment=None, folder=None):
        self.folder = folder or tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name, "log")
        self.started = time.monotonic()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=os.environ | (environment or {}),
                preexec_fn=lambda: cores and os.sched_setaffinity(0, cores))
        Program.running.append(self)
        while not (found := re.search(pattern, self.output)):
            if self.process.poll() is not None or time.monotonic() - self.started > 60:
                raise SystemExit(f"error: {' '.join(map(str, command[:2]))} did not start:\n{self.output}")
            time.sleep(0.0005)
        self.found = found[1]

    @property
    def output(self):
        return self.log.read_text(errors="replace")

    @property
    def is_alive(self):
        return self.process.poll() is None

    @property
    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    @property
    def processor_seconds(self):
        """The processor time of the process without its children."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, seconds=60):
        """Ends the process, by SIGKILL if it takes too long. Returns its status, or `None` after SIGKILL."""
        self.process.terminate()
        status = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self.process.wait(seconds)
        self.process.kill()
        self.process.wait()
        # The folder goes away with the last reference.
        if self in Program.running:
            Program.running.remove(self)
        return status

    @classmethod
    def stop_all(cls):
        for program in list(cls.running):
            program.stop()


def children(process):
    """The processes that a process has started."""
    with contextlib.suppress(OSError):
        tasks = pathlib.Path(f"/proc/{process}/task").iterdir()
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return []


class Worker(Program):
    """`attachd serve`, or another command that listens, on a free port, with a store of its own."""

    def __init__(self, program, *options, command="serve", cores=None, decoders=None, store=None,
                 environment=None, launcher=()):
        folder = tempfile.TemporaryDirectory()
        words = [*launcher, program, command, "--listen", "127.0.0.1:0", "--allow-address", "127.0.0.1",
                 "--store", store or f"{folder.name}/store", "--log-format", "json", *options]
        if decoders:
            words += ["--decoders", decoders]
        super().__init__(words, r'"port":"(\d+)"', cores, environment, folder)
        self.port = int(self.found)
        self.url = f"http://127.0.0.1:{self.port}"

    @property
    def lines(self):
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]

    @property
    def decoders(self):
        """The processes that decode, and those that wait for a job: the children of the zygote."""
        return [child for zygote in children(self.process.pid) for child in children(zygote)]

    @property
    def busy_decoders(self):
        """The decoders that hold a source."""
        def holds_source(process):
            with contextlib.suppress(OSError):
                links = pathlib.Path(f"/proc/{process}/fd").iterdir()
                return any("memfd:media" in os.readlink(link) for link in links)
            return False

        return [process for process in self.decoders if holds_source(process)]

    def client(self):
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def wait_until_ready(self):
        """Seconds from the start of the program to its first answer that it is ready."""
        while exchange(self.port, "GET", "/readyz")[0] != 200:
            if time.monotonic() - self.started > 60:
                raise SystemExit("error: attachd was not ready within a minute")
            time.sleep(0.001)
        return time.monotonic() - self.started

    def metrics(self):
        """The values by their names with labels."""
        text = exchange(self.port, "GET", "/metrics")[2].decode()
        rows = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, value in rows}

    def notify(self, url, deadline=20):
        """Sends one notification. Returns its result and its seconds."""
        start = time.monotonic()
        body = {"payload": payload(url), "deadline": f"{deadline}s"}
        result = json.loads(exchange(self.port, "POST", "/v1/notifications", body)[2])
        return result, time.monotonic() - start


class Origin(Program):
    """`attachd origin` for a folder. The query of a URL may ask for faults; `n=` only makes it distinct."""

    def __init__(self, program, folder, *options, listen="127.0.0.1:0", cores=None):
        super().__init__([program, "origin", folder, "--listen", listen, *options], r"(https?://\S+/)", cores)

    def url(self, name):
        return self.found + str(name)

    def answers(self):
        """The bodies' sizes of all answers, if the option --log was given."""
        time.sleep(0.2)
        return [int(line.split()[-1]) for line in self.output.splitlines()[1:]]


class Receiver(http.server.ThreadingHTTPServer):
    """A server for posts. `receive` gets headers and body of each, and returns the status to answer."""

    daemon_threads, request_queue_size = True, 256

    def __init__(self, receive, address="127.0.0.1"):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                status = receive(self.headers, self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__((address, 0), Handler)
        self.url = f"http://{address}:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        """A client that ends its connection is no error here."""


class Redis(Program):
    """A Redis that logs its writes and syncs them each second, on a free port."""

    def __init__(self, cores=None):
        port, folder = free_port(), tempfile.TemporaryDirectory()
        command = ["redis-server", "--bind", "127.0.0.1", "--port", port, "--dir", folder.name, "--save", ""]
        super().__init__([*command, "--appendonly", "yes"], r"(Ready to accept)", cores, folder=folder)
        self.url = f"redis://127.0.0.1:{port}"

    def producer(self):
        """The sample's producer for this Redis."""
        sys.path.append(str(ROOT / "Samples/redis"))
        from producer import Producer
        return Producer(self.url, "attachd:{default}:")


class MemoryLimit:
    """A control group, of version 1 or 2, that limits the memory of processes."""

    def __init__(self, name):
        old = pathlib.Path("/sys/fs/cgroup/memory")
        self.is_v1 = (old / "memory.limit_in_bytes").exists()
        if not self.is_v1:
            (old.parent / "cgroup.subtree_control").write_text("+memory")
        self.folder = (old if self.is_v1 else old.parent) / f"attachd-{os.getpid()}-{name}"
        self.folder.mkdir()
        # The words before a command that make it run in the group.
        self.launcher = ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(self.folder))

    def add(self, process):
        (self.folder / "cgroup.procs").write_text(str(process))

    @property
    def is_empty(self):
        return not (self.folder / "cgroup.procs").read_text()

    @property
    def used(self):
        return int((self.folder / ("memory.usage_in_bytes" if self.is_v1 else "memory.current")).read_text())

    @property
    def kills(self):
        """The processes that the kernel has killed for the limit."""
        text = (self.folder / ("memory.oom_control" if self.is_v1 else "memory.events")).read_text()
        return int(re.search(r"^oom_kill (\d+)", text, re.M)[1])

    def set(self, size):
        (self.folder / ("memory.limit_in_bytes" if self.is_v1 else "memory.max")).write_text(str(size))

    def remove(self):
        wait_until(lambda: self.is_empty, 20, f"processes live on in {self.folder}")
        self.folder.rmdir()


def ffmpeg(*arguments):
    """Runs ffmpeg, which overwrites its output."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


# MARK: Requests


def payload(url):
    """A notification with one attachment."""
    return {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url}


def exchange(port, method, path, body=None, headers=None, timeout=60):
    """Sends a request over a connection of its own. Returns the status, the header fields, and the body."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        client.request(method, path, json.dumps(body).encode() if body is not None else None, headers or {})
        answer = client.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        client.close()


# MARK: Figures


def median(values):
    return round(statistics.median(values), 4)


def percentile(values, share):
    return sorted(values)[int(share * (len(values) - 1))]


def in_rounds(contenders, rounds):
    """The samples of each contender, measured once a round: the machine's other work meets all of them."""
    samples = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, measure in contenders.items():
            samples[name].append(measure())
    return samples


def compared(samples, ours, unit):
    """The median of each contender's samples, and of our ratio to each other one in the same round."""
    figures = {f"{name}_{unit}": median(values) for name, values in samples.items()}
    return figures | {
        f"ratio_to_{name}": median([mine / theirs for mine, theirs in zip(samples[ours], values)])
        for name, values in samples.items() if name != ours}


def table(head, rows):
    """A table in Markdown. An empty cell becomes a dash."""
    lines = [head, ["---"] * len(head), *([str(cell) or "–" for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
