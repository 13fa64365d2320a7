"""The worker as its host sees it: readiness, threads, descriptors, and a limit on memory."""

import collections
import contextlib
import http.client
import os
import pathlib
import re
import threading
import time


class MemoryGroup:
    """A control group, of version 1 or 2, with a limit on memory."""

    def __init__(self, megabytes):
        old = pathlib.Path("/sys/fs/cgroup/memory")
        root, limit, self.events = ((old, "memory.limit_in_bytes", "memory.oom_control") if old.exists()
                                    else (old.parent, "memory.max", "memory.events"))
        self.folder = root / f"attachd-fairness-{os.getpid()}"
        self.folder.mkdir(exist_ok=True)
        (self.folder / limit).write_text(str(megabytes << 20))
        self.launcher = ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(self.folder))
        self.before = self.kills()

    def kills(self):
        """The processes that were killed for memory."""
        return int(re.search(r"^oom_kill (\d+)", (self.folder / self.events).read_text(), re.M)[1])

    def remove(self):
        with contextlib.suppress(OSError):
            self.folder.rmdir()


class Watch(threading.Thread):
    """Asks for the worker's readiness, and reads its threads and descriptors, four times a second."""

    def __init__(self, worker):
        super().__init__(daemon=True)
        self.worker, self.statuses, self.threads, self.descriptors, self.ended = worker, collections.Counter(), 0, 0, False
        self.start()

    def run(self):
        process = pathlib.Path(f"/proc/{self.worker.process.pid}")
        while not self.ended:
            with contextlib.suppress(OSError):
                self.threads = max(self.threads, len(os.listdir(process / "task")))
                self.descriptors = max(self.descriptors, len(os.listdir(process / "fd")))
            self.statuses[self.ready()] += 1
            time.sleep(0.25)

    def ready(self):
        client = http.client.HTTPConnection("127.0.0.1", self.worker.port, timeout=5)
        try:
            client.request("GET", "/readyz")
            return str(client.getresponse().status)
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__
        finally:
            client.close()

    def result(self):
        self.ended = True
        self.join()
        worst = [name for name, _ in self.statuses.most_common() if name != "200"]
        return {"ready": self.statuses["200"] / max(1, self.statuses.total()), "unready": worst[:1],
                "threads": self.threads, "descriptors": self.descriptors}
