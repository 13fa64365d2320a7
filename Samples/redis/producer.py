#!/usr/bin/env python3
"""Enqueues notifications on attachd's queue in Redis, and prints each answer as a line of JSON.

    producer.py [--url redis://127.0.0.1:6379] [--budget 5000] PAYLOAD.json...

It uses only what README.md beside it describes. It needs the package redis (Debian: python3-redis). If Redis is away or
busy, it says so in one line and exits with status 75: send the notifications unchanged.
"""
import argparse
import hashlib
import json
import pathlib
import sys
import time
import uuid

try:
    import redis
except ImportError:
    sys.exit("producer.py: The package redis is missing. Install it: apt install python3-redis, or pip install redis.")

# EX_DATAERR, EX_NOINPUT, EX_TEMPFAIL and EX_CONFIG of sysexits.h
BAD_INPUT, NO_INPUT, TRY_LATER, BAD_CONFIGURATION = 65, 66, 75, 78

SCRIPT = pathlib.Path(__file__).with_name("enqueue.lua").read_text()


class Producer:
    def __init__(self, url, prefix, **limits):
        self.redis = redis.Redis.from_url(url, **limits)
        self.prefix = prefix
        self.name = f"python-{uuid.uuid4().hex}"
        self.script = self.redis.register_script(SCRIPT)
        self.last_id = "0"

    def enqueue(self, job_id, envelope, budget, priority="hi"):
        """Enqueues a job. Returns ("OK", None), ("DUP", None), ("BUSY", None), or ("DONE", (status, body))."""
        fields = {"v": 1, "j": job_id, "t": "default", "b": budget, "p": self.name, "y": envelope}
        words = [word for field in fields.items() for word in field]
        answer = self.script(keys=[self.prefix], args=[priority, *words])
        word = answer[0].decode()
        if word != "DONE":
            return word, None
        status, body = answer[1].split(b"\n", 1)
        return word, (status.decode(), body)

    def replies(self, seconds):
        """Yields (job id, status, body) for each answer that arrives within some time."""
        stream = f"{self.prefix}reply:{self.name}"
        block = max(1, min(1000, int(seconds * 1000)))
        for _, entries in self.redis.xread({stream: self.last_id}, block=block) or []:
            for entry_id, fields in entries:
                self.last_id = entry_id
                yield fields[b"j"].decode(), fields[b"s"].decode(), fields[b"y"]


def tell(job_id, status, body=b""):
    try:
        result = json.loads(body)
    except ValueError:
        result = body.decode(errors="replace") or None
    print(json.dumps({"id": job_id, "status": status, "result": result}), flush=True)


def envelope_of(path):
    try:
        return json.dumps({"payload": json.loads(pathlib.Path(path).read_bytes())})
    except OSError as error:
        fail(NO_INPUT, f"{path} cannot be read: {error.strerror}.")
    except ValueError as error:
        fail(BAD_INPUT, f"{path} is not JSON: {error}.")


def fail(status, message):
    print("producer.py: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(status)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--url", default="redis://127.0.0.1:6379", help="also rediss://…?ssl_ca_certs=FILE")
    options.add_argument("--prefix", default="attachd:{default}:", help="the prefix of the queue's keys")
    options.add_argument("--budget", type=int, default=5000, help="milliseconds until the answer is no longer wanted")
    options.add_argument("payloads", nargs="+", metavar="PAYLOAD.json")
    options = options.parse_args()

    envelopes = [envelope_of(path) for path in options.payloads]
    try:
        producer = Producer(options.url, options.prefix, socket_connect_timeout=5, socket_timeout=5)
    except ValueError as error:
        fail(BAD_CONFIGURATION, f"--url cannot be used: {error}.")
    try:
        produce(producer, envelopes, options.budget)
    except (redis.ConnectionError, redis.TimeoutError) as error:
        fail(TRY_LATER, f"Redis does not answer: {error} Send the notifications without an answer unchanged.")
    except redis.ResponseError as error:
        # It runs a script for long, is not the primary any more, or has no memory left.
        words = str(error).split() or [""]
        passing = words[0] in ("BUSY", "LOADING", "READONLY", "MASTERDOWN", "NOREPLICAS", "OOM", "MISCONF")
        fail(TRY_LATER if passing else BAD_CONFIGURATION, f"Redis refuses: {error}")


def produce(producer, envelopes, budget):
    waiting = {}
    for envelope in envelopes:
        # The same notification is always the same job.
        job_id = hashlib.sha256(envelope.encode()).hexdigest()
        word, reply = producer.enqueue(job_id, envelope, budget)
        if word == "DONE":
            tell(job_id, *reply)
        elif word == "BUSY":
            # The queue is full: send the notification unchanged. This is how attachd slows producers down.
            tell(job_id, "busy")
        elif word == "DUP":
            # The answer goes to another producer's stream.
            tell(job_id, "known")
        else:
            # Waits a quarter of a second longer than the worker has, for the way back.
            waiting[job_id] = time.monotonic() + budget / 1000 + 0.25

    while waiting:
        for job_id, status, body in producer.replies(min(waiting.values()) - time.monotonic()):
            if waiting.pop(job_id, None):
                tell(job_id, status, body)
        for job_id in [job_id for job_id, end in waiting.items() if end <= time.monotonic()]:
            # No worker is running: send the notification unchanged.
            del waiting[job_id]
            tell(job_id, "late")


if __name__ == "__main__":
    main()
