#!/usr/bin/env python3
"""A minimal push gateway in front of attachd: takes pushes over HTTP, lets attachd process them, and sends them.

    gateway.py [--listen 127.0.0.1:9000] [--attachd http://127.0.0.1:8080 | --redis redis://127.0.0.1:6379]

    POST /push  {"token": "a1b2…", "payload": {…}}

It shows how to call attachd, and what to do if it does not answer: send the notification unchanged. `send`
stands for your own client of APNs or FCM; here it prints the push as a line of JSON. On SIGTERM it answers the pushes
under way first.

ATTACHD_TOKEN is the sidecar's API token, if it has one; ATTACHD_URL is the default of --attachd.
Over HTTP it needs only Python; with --redis, it needs the package redis (Debian: python3-redis).
"""
import argparse
import concurrent.futures
import http.client
import http.server
import json
import os
import pathlib
import signal
import sys
import threading
import time
import urllib.parse
import uuid

DEADLINE = 5.0
"""The seconds that a push may wait for its attachments."""

PATIENCE = 0.25
"""The additional seconds after which attachd counts as unreachable."""


class Sidecar:
    """attachd as a sidecar: one HTTP request for each push, over one connection per thread."""

    def __init__(self, url, token=None):
        self.address = urllib.parse.urlsplit(url).netloc
        self.headers = {"Attachd-Deadline": f"{DEADLINE:g}s"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        self.connections = threading.local()

    def rewrite(self, payload):
        client = getattr(self.connections, "client", None)
        if client is None:
            client = http.client.HTTPConnection(self.address, timeout=DEADLINE + PATIENCE)
            self.connections.client = client
        try:
            client.request("POST", "/v1/rewrite", payload, self.headers)
            answer = client.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            client.close()
            raise
        if answer.status != 200:
            raise RuntimeError(f"attachd answered {answer.status}: {body.decode(errors='replace')}")
        return answer.headers["Attachd-Outcome"], body


class Queue:
    """attachd behind Redis: each push is a job, and one thread passes the answers to the waiting threads."""

    def __init__(self, url):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "redis"))
        import redis
        from producer import Producer

        self.failure = redis.RedisError
        self.producer = Producer(url, "attachd:{default}:")
        self.waiting = {}
        threading.Thread(target=self.hand_out, daemon=True).start()

    def hand_out(self):
        while True:
            try:
                for job_id, status, body in self.producer.replies(1):
                    if waiter := self.waiting.pop(job_id, None):
                        waiter.set_result((status, body))
            except self.failure:  # the connection was lost: waiting pushes are sent unchanged, in time
                time.sleep(0.2)

    def rewrite(self, payload):
        job_id, waiter = uuid.uuid4().hex, concurrent.futures.Future()
        self.waiting[job_id] = waiter
        try:
            word, _ = self.producer.enqueue(job_id, b'{"payload":%s}' % payload, int(DEADLINE * 1000))
            if word != "OK":
                raise RuntimeError(f"the queue says {word}")
            status, body = waiter.result(DEADLINE + PATIENCE)
        finally:
            self.waiting.pop(job_id, None)
        if status not in ("ok", "degraded", "original", "expired"):
            raise RuntimeError(f"{status}: {body.decode(errors='replace')}")
        result = json.loads(body)
        return result["outcome"], json.dumps(result["payload"], separators=(",", ":")).encode()


def send(token, payload, outcome):
    """Your client of APNs or FCM."""
    print(json.dumps({"token": token, "outcome": outcome, "bytes": len(payload), "payload": json.loads(payload)}), flush=True)


class Gateway(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5  # seconds that a connection may be idle
    attachd = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            push = json.loads(body)
            token, payload = str(push["token"]), json.dumps(push["payload"], separators=(",", ":")).encode()
        except (ValueError, KeyError, TypeError):
            return self.answer(400, {"error": 'send {"token": "…", "payload": {…}}'})
        try:
            outcome, payload = self.attachd.rewrite(payload)
        except Exception as error:  # whatever the error, the notification is sent
            outcome = f"sent as it is: {error}"
        send(token, payload, outcome)
        self.answer(200, {"outcome": outcome})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--listen", default="127.0.0.1:9000")
    url = os.environ.get("ATTACHD_URL", "http://127.0.0.1:8080")
    options.add_argument("--attachd", default=url, help="the sidecar's URL")
    options.add_argument("--redis", help="the queue's URL, instead of a sidecar")
    chosen = options.parse_args()
    token = os.environ.get("ATTACHD_TOKEN")
    Gateway.attachd = Queue(chosen.redis) if chosen.redis else Sidecar(chosen.attachd, token)
    host, port = chosen.listen.rsplit(":", 1)
    server = http.server.ThreadingHTTPServer((host, int(port)), Gateway)
    server.daemon_threads = False  # server_close() waits for the pushes under way
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever()
    server.server_close()


if __name__ == "__main__":
    main()
