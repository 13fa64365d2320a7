"""The hostile senders, clients and callback receivers, which do all they can. Each attacks one worker."""

import contextlib
import http.client
import itertools
import json
import multiprocessing
import os
import signal
import socket
import threading
import time

from harness import exchange, payload

WARM_UP = 4
"""The seconds over which an attack starts, before the honest load."""

numbers = itertools.count()
burst_counts = multiprocessing.Array("i", 2)
"""The burst's notifications that were answered, and those that were complete."""


def envelope(url, **more):
    return {"payload": payload(f"{url}?n={next(numbers)}"), **more}


def start_each(action, arguments):
    """Runs `action` for each of `arguments`, started evenly over the warm-up, so that the load is steady."""
    def run(number, argument):
        time.sleep(WARM_UP * number / len(arguments))
        action(argument)

    for number, argument in enumerate(arguments):
        threading.Thread(target=run, args=(number, argument), daemon=True).start()


def notifications(port, urls, path="/v1/notifications", every=4, **more):
    """Keeps notifications of hostile sources under way: for each the next one a second after its answer.

    Each source has one in four seconds at most: the origin is the hostile party here, not the sender, who
    does not send more because answers come sooner.
    """
    def repeat(url):
        while True:
            next_one = time.monotonic() + every
            with contextlib.suppress(OSError):
                name = {"id": f"hostile-{next(numbers)}"} if path == "/v1/jobs" else {}
                exchange(port, "POST", path, envelope(url, **more, **name))
            time.sleep(max(1, next_one - time.monotonic()))

    start_each(repeat, urls)


def callbacks(port, urls):
    """Sends empty jobs whose results go to servers that accept them and never answer."""
    def fill(url):
        while True:
            with contextlib.suppress(OSError):
                content = {"payload": {"aps": {"alert": "Hi"}}, "callback": url,
                           "id": f"tarpit-{next(numbers)}"}
                exchange(port, "POST", "/v1/jobs", content)
            time.sleep(1)

    start_each(fill, urls)


def responses(port):
    """Sends users' responses, which go to the webhook."""
    def repeat(_):
        while True:
            with contextlib.suppress(OSError):
                notification = {"identifier": f"{next(numbers)}", "payload": {"aps": {"alert": "Hi"}}}
                response = {"actionIdentifier": "reply", "userText": "Hi", "notification": notification}
                exchange(port, "POST", "/v1/responses", response)
            time.sleep(1)

    start_each(repeat, range(8))


def burst(port, urls):
    """Sends one notification for each source at once, in the midst of the honest load, and counts answers."""
    def send_one(url):
        with contextlib.suppress(OSError):
            status, _, body = exchange(port, "POST", "/v1/notifications", envelope(url, deadline="30s"))
            with burst_counts.get_lock():
                burst_counts[1] += status == 200 and json.loads(body)["outcome"] == "complete"
        with burst_counts.get_lock():
            burst_counts[0] += 1

    time.sleep(WARM_UP + 1)
    for url in urls:
        threading.Thread(target=send_one, args=(url,), daemon=True).start()


def lists(port, clients):
    """Sends lists of 30 payloads, each list as soon as the last one is answered, whatever the answer is."""
    def repeat(_):
        while True:
            one = {"aps": {"alert": {"title": "Hi", "body": "B" * 200}}, "n": next(numbers)}
            with contextlib.suppress(OSError, http.client.HTTPException):
                exchange(port, "POST", "/v1/rewrite", [one] * 30)

    start_each(repeat, range(clients))


def spin(processes):
    """Keeps processors busy without sending anything: what any neighbour on the same machine does to others."""
    parent = os.getpid()
    for _ in range(processes):
        if os.fork() == 0:
            while os.getppid() == parent:
                pass
            os._exit(0)


def kill_decoders(worker):
    """Kills each decoder that works on one source for a while, as if it had crashed."""
    seen = {}
    while True:
        busy = worker.busy_decoders
        now = time.monotonic()
        seen = {pid: seen.get(pid, now) for pid in busy}
        for pid, since in seen.items():
            # An honest picture takes a tenth of that.
            if now - since > 0.7:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGSEGV)
        time.sleep(0.1)


def slow_clients(port, count):
    """Keeps requests under way whose headers or bodies come by a byte a second, on many connections."""
    clients = []
    while True:
        while len(clients) < count:
            client = socket.socket()
            client.settimeout(2)
            try:
                client.connect(("127.0.0.1", port))
                start = "POST /v1/notifications HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                body = "Content-Length: 60000\r\n\r\n" if len(clients) % 2 else "X-Slow: "
                client.sendall((start + body).encode())
                clients.append(client)
            except OSError:
                client.close()
                break
        time.sleep(1)
        for client in list(clients):
            try:
                client.sendall(b"a")
            except OSError:
                clients.remove(client)
                client.close()


def attack(start, worker):
    """Runs in a separate process, so that the honest client does not wait for the hostile one's Python."""
    os.nice(5)
    start(worker)
    signal.pause()
