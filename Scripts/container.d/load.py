#!/usr/bin/env python3
"""Sends notifications to a sidecar or a gateway from many clients, and counts what becomes of each one.

    load.py --clients 8 --seconds 8 http://127.0.0.1:8080/v1/rewrite

A request that attachd or the gateway accepted and did not answer is lost. A refused connection is not: a
gateway sends such a notification unchanged. Each request has its own connection and its own source.
"""
import argparse
import collections
import http.client
import itertools
import json
import pathlib
import threading
import time
import urllib.parse

payload = (pathlib.Path(__file__).parents[2] / "Samples/payloads/photo.json").read_text()
numbers = itertools.count()


def exchange(address, method, path, body=None):
    """Raises OSError if the connection is refused, and RuntimeError if no answer comes on one that was accepted."""
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.connect()
    try:
        connection.request(method, path, body and json.dumps(body), {"Connection": "close"})
        answer = connection.getresponse()
        return answer, answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()


def notify(url):
    """Sends one notification, with a source that no other one has, and returns its fate in words."""
    parts, number = urllib.parse.urlsplit(url), next(numbers)
    content = json.loads(payload.replace("/photo.jpg", f"/photo.jpg?n={number}"))
    if parts.path == "/v1/jobs":
        job = {"id": f"load-{number}", "payload": content, "deadline": "10s"}
        answer, _ = exchange(parts.netloc, "POST", parts.path, job)
        if answer.status != 202:
            return str(answer.status)
        answer, body = exchange(parts.netloc, "GET", f"/v1/jobs/load-{number}?wait=20s")
        return f"{answer.status} {json.loads(body).get('status')}"
    if parts.path == "/push":
        answer, body = exchange(parts.netloc, "POST", parts.path, {"token": "a1", "payload": content})
        return f"{answer.status} {json.loads(body).get('outcome')}"
    answer, _ = exchange(parts.netloc, "POST", parts.path, content)
    return f"{answer.status} {answer.headers.get('Attachd-Outcome', '')}".strip()


def load(urls, clients, seconds):
    fates, refused, lost, times = collections.Counter(), [], [], []
    end = time.monotonic() + seconds

    def client(number):
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                fate = notify(urls[number % len(urls)])
                fates.update([fate])
                times.append(time.monotonic() - start)
            except OSError as error:
                refused.append(str(error))
                time.sleep(0.2)
            except RuntimeError as error:
                lost.append(str(error))

    threads = [threading.Thread(target=client, args=[number]) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "answers": dict(fates), "refused": len(refused), "lost": len(lost), "reasons": sorted(set(lost))[:5],
        "slowest_ms": round(max(times, default=0) * 1000),
    }


options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("urls", nargs="*")
options.add_argument("--clients", type=int, default=4)
options.add_argument("--seconds", type=float, default=5)
chosen = options.parse_args()
print(json.dumps(load(chosen.urls, chosen.clients, chosen.seconds)))
