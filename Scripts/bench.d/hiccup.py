"""The latencies that a closed loop, wrk, and `attachd loadtest` report for an origin that stalls for two seconds,
and for one that delays single requests by two seconds, beside the true latencies of its users.

A closed loop sends nothing while it waits, so a stall is one slow answer for each client. wrk corrects that afterwards by
adding answers to requests that it never sent. It also adds them if only single answers are slow, which is wrong.
"""

import contextlib
import http.client
import json
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse

SECONDS = 30
# wrk prints no percentile beyond p99.
SCRIPT = """
wrk.method = "POST"
wrk.body = "{}"
done = function(summary, latency, requests)
  print(string.format("percentiles %.1f %.1f", latency:percentile(99) / 1000, latency:percentile(99.9) / 1000))
end
"""
RESULT = {"outcome": "complete", "attachments": [], "timings": {}, "margin": 4000}
# The faults, and the true percentiles for users who arrive at even intervals. Of those who arrive during a stall, the
# first one waits for all of it.
CASES = {
    "stall": ("latency=5ms&hiccup=10s/2s",
              {share: 2005 - 2000 * (1 - share / 100) / (2 / SECONDS) for share in (99, 99.9)}),
    "single": ("latency=5ms&latency=2s@0.4%", {99: 5, 99.9: 2000}),
}


@contextlib.contextmanager
def origin(program, place, faults):
    routes = place / "v1"
    routes.mkdir(exist_ok=True)
    (routes / "notifications").write_text(json.dumps(RESULT))
    command = [program, "origin", str(place), "--listen", "127.0.0.1:0", "--rule", f"* {faults}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip() + "v1/notifications"
        finally:
            server.terminate()


def closed_loop(url, clients=2):
    """The uncorrected percentiles of the answers, in milliseconds."""
    address, times = urllib.parse.urlsplit(url), []

    def run():
        connection = http.client.HTTPConnection(address.netloc)
        end = time.monotonic() + SECONDS
        while (start := time.monotonic()) < end:
            connection.request("POST", address.path, "{}")
            connection.getresponse().read()
            times.append(1000 * (time.monotonic() - start))

    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    return {share: times[int(len(times) * share / 100)] for share in (99, 99.9)}


def wrk(url, place):
    script = place / "post.lua"
    script.write_text(SCRIPT)
    command = ["wrk", "-t1", "-c2", f"-d{SECONDS}s", "--timeout", "10s", "-s", str(script), url]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    values = re.search(r"^percentiles (.*)$", output, re.MULTILINE)[1].split()
    return dict(zip((99, 99.9), map(float, values)))


def load_test(program, url, place):
    result = place / "result.json"
    command = [program, "loadtest", url, "--source", "http://127.0.0.1/none.jpg", "--rate", "100", "--arrivals", "fixed",
               "--duration", f"{SECONDS}s", "--warm-up", "0s", "--json", str(result)]
    subprocess.run(command, check=True, capture_output=True)
    percentiles = json.loads(result.read_text())["steps"][0]["latency"]["percentiles"]
    return {entry["percentile"]: entry["value"] for entry in percentiles}


def hiccup(program, folder, _cores):
    figures = {}
    with tempfile.TemporaryDirectory() as name:
        place = type(folder)(name)
        for case, (faults, users) in CASES.items():
            measured = {"users": users}
            with origin(program, place, faults) as url:
                measured["closed loop"] = closed_loop(url)
            with origin(program, place, faults) as url:
                measured["wrk"] = wrk(url, place)
            with origin(program, place, faults) as url:
                measured["loadtest"] = load_test(program, url, place)
            for who, values in measured.items():
                figures[f"{case}: {who}"] = f"p99 {values[99]:.0f} ms, p99.9 {values[99.9]:.0f} ms"
    figures["target"] = "the load test near what users wait, in both"
    return figures
