#!/usr/bin/env python3
"""Sends notifications to a sidecar or a gateway from many clients, and counts what becomes of each one.

    load.py --clients 8 --seconds 8 http://127.0.0.1:8080/v1/rewrite
    load.py --until-ready http://127.0.0.1:8080/readyz [--since 2026-11-22T15:04:05.678Z]

A request that attachd or the gateway accepted and did not answer is lost. A refused connection is not: a gateway sends
such a notification unchanged. Each request has its own connection and its own source.
"""
import argparse
import collections
import datetime
import http.client
import itertools
import json
import pathlib
import sys
import threading
import time
import urllib.parse

payload = json.loads((pathlib.Path(__file__).parent.parent.parent / "Samples/payloads/photo.json").read_text())
numbers = itertools.count()


def unique_payload():
    """The sample's notification, with a source that no other one has."""
    return json.loads(json.dumps(payload).replace("/photo.jpg", f"/photo.jpg?n={next(numbers)}"))


def exchange(address, method, path, body=None):
    connection = http.client.HTTPConnection(address, timeout=30)
    connection.connect()
    try:
        connection.request(method, path, body, {"Connection": "close"})
        answer = connection.getresponse()
        return answer, answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
    finally:
        connection.close()


def notify(url):
    """Sends one notification, and returns its fate in words."""
    parts = urllib.parse.urlsplit(url)
    content = unique_payload()
    if parts.path == "/v1/jobs":
        name = f"load-{next(numbers)}"
        body = json.dumps({"id": name, "payload": content, "deadline": "10s"})
        answer, _ = exchange(parts.netloc, "POST", parts.path, body)
        if answer.status != 202:
            return str(answer.status)
        answer, body = exchange(parts.netloc, "GET", f"/v1/jobs/{name}?wait=20s")
        return f"{answer.status} {json.loads(body).get('status')}"
    if parts.path == "/push":
        answer, body = exchange(parts.netloc, "POST", parts.path, json.dumps({"token": "a1", "payload": content}))
        return f"{answer.status} {json.loads(body).get('outcome')}"
    answer, _ = exchange(parts.netloc, "POST", parts.path, json.dumps(content))
    return f"{answer.status} {answer.headers.get('Attachd-Outcome', '')}".strip()


def load(urls, clients, seconds):
    counts, lock = collections.Counter(), threading.Lock()
    refused, lost, slowest = [], [], [0.0]
    end = time.monotonic() + seconds

    def client(number):
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                fate = notify(urls[number % len(urls)])
                with lock:
                    counts[fate] += 1
                    slowest[0] = max(slowest[0], time.monotonic() - start)
            except OSError as error:
                with lock:
                    refused.append(str(error))
                time.sleep(0.2)
            except RuntimeError as error:
                with lock:
                    lost.append(str(error))

    threads = [threading.Thread(target=client, args=[number]) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "answers": dict(counts), "refused": len(refused), "lost": len(lost), "reasons": sorted(set(lost))[:5],
        "slowest_ms": round(slowest[0] * 1000),
    }


def wait_until_ready(url, since):
    parts = urllib.parse.urlsplit(url)
    for _ in range(6000):
        try:
            if exchange(parts.netloc, "GET", parts.path)[0].status == 200:
                break
        except (OSError, RuntimeError):
            pass
        time.sleep(0.005)
    else:
        sys.exit(f"{url} does not answer")
    if since:
        # At most microseconds: older Pythons read no more digits.
        start = datetime.datetime.fromisoformat(since.rstrip("Z")[:26]).replace(tzinfo=datetime.timezone.utc)
        print(round((time.time() - start.timestamp()) * 1000))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("urls", nargs="*")
    options.add_argument("--clients", type=int, default=4)
    options.add_argument("--seconds", type=float, default=5)
    options.add_argument("--until-ready")
    options.add_argument("--since")
    chosen = options.parse_args()
    if chosen.until_ready:
        return wait_until_ready(chosen.until_ready, chosen.since)
    print(json.dumps(load(chosen.urls, chosen.clients, chosen.seconds)))


if __name__ == "__main__":
    main()
