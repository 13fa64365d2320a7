"""A real Redis on loopback, and the sample's producer for it."""

import pathlib
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).parents[2] / "Samples/redis"))
from producer import Producer  # noqa: E402, F401

PREFIX = "attachd:{default}:"


class Redis:
    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder = folder
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", "",
             "--appendonly", "yes", "--loglevel", "warning"], stdout=subprocess.DEVNULL)
        self.url = f"redis://127.0.0.1:{self.port}"
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            time.sleep(0.01)

    def kill(self):
        """Kills the server, as the system does when memory is short, and starts it again with its data."""
        self.process.kill()
        self.process.wait()
        self.start()

    def stop(self):
        self.process.terminate()
        self.process.wait()
