"""A campaign: many notifications with one picture, which is fetched once and decoded once."""

import http.server
import json
import multiprocessing
import os
import pathlib
import re
import signal
import subprocess
import time

from sidecar import QuietFiles, Sidecar

SCRIPT = pathlib.Path(__file__).with_name("campaign.lua")
# The number of notifications between two looks at the memory.
STEPS = (1_000, 49_000, 50_000)


class CountingFiles(QuietFiles):
    requests = multiprocessing.Value("i", 0)

    def do_GET(self):
        with self.requests.get_lock():
            self.requests.value += 1
        super().do_GET()


def _serve(folder, ports, cores):
    os.sched_setaffinity(0, cores)
    os.chdir(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), CountingFiles)
    ports.send(server.server_port)
    server.serve_forever()


def _metric(sidecar, name):
    client = sidecar.client()
    client.request("GET", "/metrics")
    found = re.search(rf"^{name} (\S+)$", client.getresponse().read().decode(), re.MULTILINE)
    client.close()
    return int(float(found[1])) if found else 0


def _send(sidecar, picture, count, first, connections=32):
    command = ["wrk", "-t1", f"-c{connections}", "-d300s", "-s", str(SCRIPT), f"http://127.0.0.1:{sidecar.port}", "--",
               picture, str(count), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as wrk:
        if any(line == "ENOUGH\n" for line in wrk.stdout):
            # wrk sleeps for its whole duration, whatever its threads do.
            wrk.send_signal(signal.SIGINT)
        text = wrk.stdout.read()
    result = json.loads(re.search(r"^RESULT (.*)$", text, re.MULTILINE)[1])
    if result["complete"] < result["answered"] or "Socket errors" in text:
        raise RuntimeError(f"not every notification was answered complete: {text}")
    return result


def campaign(program, folder, cores, photo):
    """Notifications with one picture over `POST /v1/rewrite`: sidecar, client and origin share all cores."""
    ours, theirs = multiprocessing.Pipe()
    origin = multiprocessing.Process(target=_serve, args=(str(folder), theirs, cores), daemon=True)
    origin.start()
    picture = f"http://127.0.0.1:{ours.recv()}/{photo}"
    os.sched_setaffinity(0, cores)
    # The picture stays fresh for the whole campaign, even on a slow machine.
    sidecar = Sidecar(program, cores, len(cores), ["--public-url", "https://push.example", "--reuse", "10m"])
    sidecar.wait_until_ready()
    # The decoders of the readiness check must have ended before the count.
    time.sleep(1)
    decoded = _metric(sidecar, "attachd_decoder_processor_seconds_count")
    results, resident, sent = [], [], 0
    for count in STEPS:
        results.append(_send(sidecar, picture, count, sent))
        sent += results[-1]["answered"]
        resident.append(sidecar.resident_bytes())
    values = {
        "notifications": sent,
        "requests_at_the_origin": CountingFiles.requests.value,
        "decoders_used": _metric(sidecar, "attachd_decoder_processor_seconds_count") - decoded,
        "downloads_begun": _metric(sidecar, "attachd_attachments_started_total"),
        "joined": _metric(sidecar, "attachd_attachments_joined_total"),
        "reused": _metric(sidecar, "attachd_attachments_reused_total"),
        "payloads_per_second": round(
            sum(result["answered"] for result in results[1:]) / sum(result["seconds"] for result in results[1:])),
        "milliseconds_median": round(results[-1]["p50"], 2),
        "milliseconds_99th_percentile": round(results[-1]["p99"], 2),
        "megabytes_after_1000": round(resident[0] / 1e6, 1),
        "megabytes_after_50000": round(resident[1] / 1e6, 1),
        "megabytes_after_100000": round(resident[2] / 1e6, 1),
        "curve": {"attachd": [[sum(STEPS[:index + 1]), round(size / 1e6, 1)] for index, size in enumerate(resident)]},
        "target": "1 request, 1 decoder, at least 5000 a second, memory flat",
    }
    sidecar.stop()
    origin.terminate()
    return values
