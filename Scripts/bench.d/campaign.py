"""A campaign: many notifications with one picture, which is fetched once and decoded once."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

from harness import Origin, Worker
from pictures import MEDIUM

SCRIPT = pathlib.Path(__file__).with_name("campaign.lua")
# The number of notifications between two looks at the memory.
STEPS = (1_000, 49_000, 50_000)
DECODED = "attachd_decoder_processor_seconds_count"


def send(worker, picture, count, first, connections=32):
    command = ["wrk", "-t1", f"-c{connections}", "-d300s", "-s", str(SCRIPT), worker.url, "--",
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


def campaign(bench):
    """Notifications with one picture over `POST /v1/rewrite`: worker, client and origin share all cores."""
    os.sched_setaffinity(0, bench.cores)
    origin = Origin(bench.program, bench.folder, "--log", cores=bench.cores)
    # The picture stays fresh for the whole campaign, even on a slow machine.
    worker = Worker(bench.program, "--public-url", "https://push.example", "--reuse", "10m",
                    cores=bench.cores, decoders=len(bench.cores))
    worker.wait_until_ready()
    # The decoders of the readiness check must have ended before the count.
    time.sleep(1)
    decoded = worker.metrics().get(DECODED, 0)
    results, sizes, sent = [], {}, 0
    for count in STEPS:
        results.append(send(worker, origin.url(MEDIUM), count, sent))
        sent += results[-1]["answered"]
        sizes[f"megabytes_after_{sent}"] = round(worker.resident_bytes / 1e6, 1)
    metrics, later = worker.metrics(), results[1:]
    values = {
        "notifications": sent, "requests_at_the_origin": len(origin.answers()),
        "decoders_used": metrics[DECODED] - decoded,
        **{what: metrics[f"attachd_attachments_{what}_total"] for what in ("started", "joined", "reused")},
        "payloads_per_second": round(sum(r["answered"] for r in later) / sum(r["seconds"] for r in later)),
        "milliseconds_median": round(results[-1]["p50"], 2),
        "milliseconds_99th_percentile": round(results[-1]["p99"], 2),
        **sizes, "target": "1 request, 1 decoder, at least 5000 a second, memory flat",
    }
    worker.stop()
    origin.stop()
    return values
