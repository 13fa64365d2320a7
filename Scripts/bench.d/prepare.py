"""A campaign whose picture was prepared before: four workers with one bucket and one Redis, of which the first made it.

NOTIFICATIONS=1000 sends fewer of them to 1, 2 and 4 workers.
"""

import concurrent.futures
import http.client
import json
import multiprocessing
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

from campaign import CountingFiles, _metric, _send, _serve
from redisserver import Redis
from sidecar import Sidecar

NOTIFICATIONS = int(os.environ.get("NOTIFICATIONS", 100_000))
DECODED = "attachd_decoder_processor_seconds_count"


class Bucket:
    """moto's S3 on loopback, with a bucket that takes any credentials."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        program = pathlib.Path(".build/python/bin/moto_server").resolve()
        self.process = subprocess.Popen(
            [program, "-p", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while socket.socket().connect_ex(("127.0.0.1", self.port)):
            time.sleep(0.05)
        client = http.client.HTTPConnection("127.0.0.1", self.port)
        client.request("PUT", "/media")
        if client.getresponse().status != 200:
            raise SystemExit("moto made no bucket")

    @property
    def options(self):
        return ["--publish", "s3://media/pushes", "--publish-endpoint", f"http://127.0.0.1:{self.port}", "--publish-style", "path",
                "--public-url", f"http://127.0.0.1:{self.port}/media/pushes"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def _asked(sidecar, picture):
    """Has a worker prepare the picture."""
    client = sidecar.client()
    client.request("POST", "/v1/prepare", json.dumps([{"source": picture, "until": "2h"}]).encode())
    answer = json.loads(client.getresponse().read())[0]
    if not answer.get("ready"):
        raise SystemExit(f"the picture was not prepared: {answer}")


def _campaign(sidecars, picture):
    share = NOTIFICATIONS // len(sidecars)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        parts = [pool.submit(_send, sidecar, picture, share, index * share, 16) for index, sidecar in enumerate(sidecars)]
        answered = sum(part.result()["answered"] for part in parts)
    return answered, round(answered / (time.monotonic() - start))


def prepared(program, folder, cores, photo):
    """Workers, clients, origin, bucket and Redis share all cores."""
    ours, theirs = multiprocessing.Pipe()
    origin = multiprocessing.Process(target=_serve, args=(str(folder), theirs, cores), daemon=True)
    origin.start()
    picture = f"http://127.0.0.1:{ours.recv()}/{photo}"
    os.sched_setaffinity(0, cores)
    bucket = Bucket()
    secrets = {"AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench"}
    with tempfile.TemporaryDirectory() as data:
        redis = Redis(data)
        sidecars = [Sidecar(program, cores, 1, [*bucket.options, "--queue", redis.url], environment=secrets) for _ in range(4)]
        for sidecar in sidecars:
            sidecar.wait_until_ready()
        # The decoders of the readiness check must have ended before the count.
        time.sleep(1)

        def decoded():
            return sum(_metric(sidecar, DECODED) for sidecar in sidecars)

        before = decoded()
        _asked(sidecars[0], picture)
        values = {"requests_before_the_campaign": CountingFiles.requests.value, "decodings_before": decoded() - before}
        before, asked = decoded(), CountingFiles.requests.value
        for count in (1, 2, 4):
            answered, rate = _campaign(sidecars[:count], picture)
            values[f"payloads_per_second_of_{count}_workers"] = rate
            values["notifications"] = values.get("notifications", 0) + answered
        values |= {
            "requests_during_the_campaigns": CountingFiles.requests.value - asked, "decodings_during": decoded() - before,
            "target": "1 request and 1 decoding before, none during the campaigns",
        }
        for sidecar in sidecars:
            sidecar.stop()
        redis.stop()
    bucket.stop()
    origin.terminate()
    return values
