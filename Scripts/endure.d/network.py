"""Nodes in network namespaces of their own, joined by a bridge, in a network that this process has for itself.

Scripts/endure starts this in new network and mount namespaces, so nothing of the machine's network changes, and everything
goes away with the last process.
"""

import pathlib
import signal
import subprocess

OUR_ADDRESS = "10.77.0.1"


def run(*words, check=True):
    return subprocess.run([str(word) for word in words], check=check, capture_output=True, text=True).stdout


def make_network():
    pathlib.Path("/run/netns").mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "endure", "/run/netns")
    for name in ("mainland", "island"):
        run("ip", "link", "add", name, "type", "bridge")
        run("ip", "link", "set", name, "up")
    run("ip", "addr", "add", f"{OUR_ADDRESS}/24", "dev", "mainland")
    run("ip", "link", "set", "lo", "up")


class Node:
    """A machine of the fleet: an address, and one process, which is started again when it ends."""

    def __init__(self, name, number, command, folder, environment=None):
        self.name, self.address, self.command = name, f"10.77.0.{number}", command
        self.folder, self.environment, self.process, self.starts = folder, environment, None, 0
        self.link = f"v{number}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", self.link, "master", "mainland", "up")
        for words in (("addr", "add", f"{self.address}/24", "dev", "eth0"), ("link", "set", "eth0", "up"),
                      ("link", "set", "lo", "up")):
            run("ip", "-n", name, *words)

    def start(self):
        log = open(self.folder / f"{self.name}.log", "a")
        self.starts += 1
        # `ip netns exec` becomes the program, so its process is the program's.
        self.process = subprocess.Popen(["ip", "netns", "exec", self.name, *map(str, self.command)], cwd=self.folder,
                                        stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        if self.is_running:
            self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def cut_off(self):
        """Lets it talk only with other nodes that are cut off."""
        run("ip", "link", "set", self.link, "master", "island")

    def join(self):
        run("ip", "link", "set", self.link, "master", "mainland")

    def ask_port(self, port, *words):
        """The answer of a Redis or a sentinel here, empty if there is none in two seconds."""
        return run("timeout", 2, "redis-cli", "-h", self.address, "-p", port, *words, check=False).strip()


class Disk:
    def __init__(self, folder, name, megabytes):
        self.image, self.place = folder / f"{name}.disk", folder / name
        self.place.mkdir()
        run("truncate", "-s", f"{megabytes}M", self.image)
        run("mkfs.ext4", "-q", "-m", "0", self.image)
        run("mount", "-o", "loop", self.image, self.place)

    def fill(self):
        subprocess.run(["dd", "if=/dev/zero", f"of={self.place / 'ballast'}", "bs=64k"], stderr=subprocess.DEVNULL)

    def empty(self):
        (self.place / "ballast").unlink(missing_ok=True)

    def freeze(self):
        """Every write waits from now on, as on a disk that does not answer."""
        run("fsfreeze", "--freeze", self.place)

    def thaw(self):
        run("fsfreeze", "--unfreeze", self.place, check=False)

    def remove(self):
        self.thaw()
        run("umount", "-l", self.place, check=False)
        self.image.unlink()
