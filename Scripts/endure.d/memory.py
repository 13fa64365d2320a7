"""A limit of memory for a node: a control group, of version 1 or 2."""

import os
import pathlib

V1, V2 = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")


class MemoryLimit:
    def __init__(self, name):
        self.is_v1 = (V1 / "memory.limit_in_bytes").exists()
        if not self.is_v1:
            (V2 / "cgroup.subtree_control").write_text("+memory")
        self.folder = (V1 if self.is_v1 else V2) / f"attachd-endure-{os.getpid()}-{name}"
        self.folder.mkdir()

    def add(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid))

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
        return int(dict(line.split() for line in text.splitlines()).get("oom_kill", 0))

    def set(self, bytes):
        (self.folder / ("memory.limit_in_bytes" if self.is_v1 else "memory.max")).write_text(str(bytes))

    def remove(self):
        self.folder.rmdir()
