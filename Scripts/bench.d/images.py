"""Pictures per second on one core: attachd's whole pipeline beside libvips alone, OpenCV, vipsthumbnail, Pillow, thumbor."""

import concurrent.futures
import os
import pathlib
import socket
import statistics
import subprocess
import threading
import time
import urllib.request

from sidecar import Origin, Sidecar, distinct, rewrite

PILLOW_LOOP = pathlib.Path(__file__).with_name("pillow-loop.py")
OPENCV_LOOP = pathlib.Path(__file__).with_name("opencv-loop.py")


def median(values):
    return round(statistics.median(values), 4)


def in_parallel(count, total, work):
    """Calls `work` `total` times from `count` threads."""
    numbers, lock = iter(range(total)), threading.Lock()

    def run():
        client = work.open()
        while True:
            with lock:
                if next(numbers, None) is None:
                    return
            work.call(client)

    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        for thread in [threads.submit(run) for _ in range(count)]:
            thread.result()


class Rewrites:
    """Notifications sent to a sidecar, each client over a connection of its own."""

    def __init__(self, sidecar, url):
        self.sidecar, self.url, self.samples = sidecar, url, []

    def open(self):
        return self.sidecar.client()

    def call(self, client):
        self.samples.append(rewrite(client, self.url))


class Thumbor:
    """A Python image server that scales on request with Pillow. It stores nothing, so it makes every picture."""

    def __init__(self, tools, core, url):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        # Its settings file. Settings that are left out have thumbor's defaults.
        self.settings = pathlib.Path(f"/tmp/attachd-bench-thumbor-{self.port}.conf")
        self.settings.write_text(
            "STORAGE = 'thumbor.storages.no_storage'\nRESULT_STORAGE = None\nQUALITY = 82\nHTTP_LOADER_MAX_SOURCE_SIZE = 0\n")
        self.process = subprocess.Popen(
            ["taskset", "-c", str(core), str(tools / "thumbor"), "-i", "127.0.0.1", "-p", str(self.port),
             "-c", str(self.settings), "-l", "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = url
        for _ in range(200):
            try:
                return self.call(None)
            except OSError:
                time.sleep(0.1)
        raise SystemExit("thumbor did not start")

    def open(self):
        return None

    def call(self, _):
        source = distinct(self.url).removeprefix("http://").replace("?", "%3F")
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/unsafe/fit-in/1038x1038/{source}") as answer:
            if answer.status != 200 or len(answer.read()) < 10_000:
                raise RuntimeError("thumbor did not make the picture")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.settings.unlink()


def throughput(program, folder, photo, worker_cores, other_cores, rounds=7, images=20):
    """Each on one core, in turn, with the client and the origin on the others."""
    origin = Origin(folder, other_cores)
    sidecar = Sidecar(program, worker_cores, 1)
    sidecar.wait_until_ready()
    core = min(worker_cores)
    pinned = ["taskset", "-c", str(core)]
    tools = folder / "python/bin"
    thumbor = Thumbor(tools, core, origin.url(photo))

    def per_second(count, work):
        start = time.monotonic()
        work()
        return count / (time.monotonic() - start)

    def printed(command):
        return float(subprocess.run(pinned + command, check=True, capture_output=True, text=True).stdout.split()[0])

    def attachd():
        return per_second(images, lambda: in_parallel(2, images, Rewrites(sidecar, origin.url(photo))))

    def bare():
        return printed([str(folder / "vips-loop"), str(images), str(folder / photo)])

    def vipsthumbnail():
        command = pinned + ["vipsthumbnail", "--size", "1038x1038>", "-o", "/dev/shm/attachd-bench.jpg[Q=82,optimize_coding,strip]"]
        environment = dict(os.environ, VIPS_CONCURRENCY="1")
        count = images // 2
        return per_second(count, lambda: [
            subprocess.run(command + [str(folder / photo)], check=True, env=environment) for _ in range(count)])

    def pillow():
        return printed([str(tools / "python"), str(PILLOW_LOOP), str(images), str(folder / photo)])

    def opencv():
        return printed([str(folder / "quality-python/bin/python"), str(OPENCV_LOOP), str(images), str(folder / photo)])

    def served_by_thumbor():
        return per_second(images // 2, lambda: in_parallel(2, images // 2, thumbor))

    peers = {"bare_libvips": bare, "opencv": opencv, "vipsthumbnail": vipsthumbnail, "pillow": pillow, "thumbor": served_by_thumbor}
    attachd()
    samples = []
    for _ in range(rounds):
        samples.append({"attachd": attachd()} | {name: measure() for name, measure in peers.items()})
    thumbor.stop()
    sidecar.stop()
    origin.stop()
    return {
        **{f"{name}_images_per_second": median([sample[name] for sample in samples]) for name in ["attachd", *peers]},
        **{f"ratio_to_{name}": median([sample["attachd"] / sample[name] for sample in samples]) for name in peers},
        "target": "at least 1.3 of libvips alone, 1.0 of OpenCV, and 1.4 of vipsthumbnail",
    }
