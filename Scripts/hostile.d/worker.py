"""The attacked program and its helpers, with their use of resources."""

import os
import pathlib
import re
import signal
import subprocess
import time


class Program:
    started = []

    def __init__(self, arguments, log, pattern):
        self.log = pathlib.Path(log)
        with self.log.open("w") as file:
            self.process = subprocess.Popen(arguments, stdout=file, stderr=file, stdin=subprocess.DEVNULL)
        Program.started.append(self)
        end = time.monotonic() + 60
        while not (match := re.search(pattern, self.log.read_text(errors="replace"))):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"hostile: {arguments[:2]} did not start:\n{self.log.read_text(errors='replace')}")
            time.sleep(0.05)
        self.found = match[1]

    @property
    def is_alive(self):
        return self.process.poll() is None

    def stop(self, wait=30):
        if self.is_alive:
            self.process.terminate()
        try:
            return self.process.wait(wait)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


class Worker(Program):
    """`attachd serve` with its own store."""

    def __init__(self, program, folder, decoders):
        super().__init__(
            [program, "serve", "--listen", "127.0.0.1:0", "--store", f"{folder}/store", "--allow-address", "127.0.0.0/8",
             "--log-format", "json", "--keep", "60s", "--quota", "500MB", "--reuse", "5s", "--decoders", str(decoders)],
            f"{folder}/log", r'"port":"([0-9]+)"')
        self.port = int(self.found)

    def sample(self):
        """The resident megabytes, open descriptors, and threads; `None` if the process has ended."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            descriptors = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except OSError:
            return None
        field = {name: int(value) for name, value in re.findall(r"^(VmRSS|Threads):\s+([0-9]+)", status, re.M)}
        return (field["VmRSS"] // 1024, descriptors, field["Threads"]) if "VmRSS" in field else None

    def children(self, parent=None):
        parent = parent or self.process.pid
        try:
            return [int(pid) for task in os.listdir(f"/proc/{parent}/task")
                    for pid in pathlib.Path(f"/proc/{parent}/task/{task}/children").read_text().split()]
        except OSError:
            return []

    def crash_decoder(self, random):
        """Kills a decoder, or sometimes the zygote, as a fault in a library would."""
        zygotes = self.children()
        victims = zygotes if random.random() < 0.05 else [pid for zygote in zygotes for pid in self.children(zygote)]
        if victims:
            try:
                os.kill(random.choice(victims), random.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT]))
                return 1
            except OSError:
                pass
        return 0
