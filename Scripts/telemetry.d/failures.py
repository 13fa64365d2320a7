"""Makes things fail, and prints what says so."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from origin import Origin
from watched import Watched

program = sys.argv[1]
origin = Origin()
rows, silent = [], []


def words(text):
    return text.strip().replace("|", "\\|").replace(str(origin.server_port), "PORT")


def add(name, process="", log="", metric="", span=""):
    rows.append([words(cell) for cell in (name, process, log, metric, span)])
    # What a command refuses at its start reaches no log and no metric.
    if not process and not (log and metric):
        silent.append(name)


def process(folder, url, *options, program=program, payload=None):
    body = payload or json.dumps({"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url})
    done = subprocess.run(
        [program, "process", "--store", f"{folder}/store", "--allow-address", "127.0.0.1", "--deadline", "5s", *options],
        input=body.encode(), capture_output=True)
    said = done.stderr.decode().strip().splitlines()
    return f"{said[-1]} (status {done.returncode})" if said else ""


def shown(lines):
    chosen = [line for line in lines if line["level"] != "info"] + [line for line in lines if line["level"] == "info"]
    return "; ".join(
        f"{line['level']}: {line['message']} " + " ".join(
            f"{key}={line[key]}" for key in ("outcome", "reason", "signal", "source_host", "callback_host") if key in line)
        for line in chosen[:2])


def failed(spans):
    found = []
    for span in spans:
        kinds = [a["value"]["stringValue"] for a in span["attributes"] if a["key"] in ("error.type", "attachd.reason")]
        if kinds:
            found.append(f"{span['name']}: {kinds[0]}")
    return ", ".join(sorted(set(found)))


def fail(worker, name, url, deadline="5s", folder=None, with_process=True):
    said = process(folder, url, "--deadline", deadline) if with_process else ""
    result, lines, changed, spans = worker.notify(url, deadline)
    reasons = [name for name in changed if "failures" in name or "deaths" in name]
    if result["outcome"] == "complete":
        silent.append(f"{name} did not fail")
    add(name, said, shown(lines), ", ".join(reasons[:2]), failed(spans))


with tempfile.TemporaryDirectory() as folder:
    allow = ["--store", f"{folder}/serve", "--allow-address", "127.0.0.1"]
    worker = Watched(program, folder, *allow)
    u = origin.url
    for name, url in [
        ("URL without a host", "https:///a.jpg"), ("scheme", "ftp://media.example/a.jpg"),
        ("private address", "http://10.0.0.1/a.jpg"), ("unknown host", "http://nowhere.invalid/a.jpg"),
        ("nobody listens", "http://127.0.0.1:1/a.jpg"), ("no TLS", u("/a.jpg").replace("http:", "https:")),
        ("not found", u("/404-a.jpg")), ("origin fails", u("/503-a.jpg")), ("redirects in a circle", u("/loop-a.jpg")),
        ("empty", u("/empty.jpg")), ("says it has a gigabyte", u("/huge.jpg")), ("broken off", u("/truncated.jpg")),
        ("web page", u("/page.jpg")), ("corrupt picture", u("/corrupt.jpg")), ("too many pixels", u("/bomb.png")),
    ]:
        fail(worker, name, url, folder=folder)
        worker.stop()
        worker = Watched(program, folder, *allow)
    fail(worker, "stalls until the deadline", u("/stalled.jpg"), "2s", folder)

    def end_decoders(number):
        origin.half_sent.wait(20)
        # Until the decoder has them, its death would not be the source's fault.
        time.sleep(0.5)
        for decoder in worker.decoders():
            try:
                os.kill(decoder, number)
            except ProcessLookupError:
                pass
        origin.go_on.set()

    for name, number in [("decoder crashes", signal.SIGSEGV), ("decoder killed by the kernel", signal.SIGKILL)]:
        worker.stop()
        worker = Watched(program, folder, *allow)
        origin.half_sent.clear()
        origin.go_on.clear()
        threading.Thread(target=end_decoders, args=[number]).start()
        fail(worker, name, u(f"/halves-{number}.jpg"), with_process=False)
    for number in range(30):
        worker.notify(u(f"/500-{number}.jpg"), "1s")
    fail(worker, "origin that failed often", u("/500-last.jpg"), with_process=False)
    worker.stop()

    away = ["--publish", "s3://media/pushes", "--publish-endpoint", "http://127.0.0.1:1", "--public-url", "https://push.example"]
    os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    said = process(folder, u("/a.jpg"), *away, "--deadline", "2s")
    worker = Watched(program, folder, *allow, *away)
    result, lines, changed, spans = worker.notify(u("/a.jpg"), "2s")
    add("bucket is away", said, shown(lines), ", ".join([c for c in changed if "publish" in c or "failures" in c][:2]),
        failed(spans))
    worker.stop()

    small = f"{folder}/small"
    os.mkdir(small)
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "none", small]).returncode == 0:
        worker = Watched(program, folder, "--store", f"{small}/store", "--allow-address", "127.0.0.1", "--queue",
                         f"sqlite:{folder}/queue.sqlite")
        filler = pathlib.Path(small) / "filler"
        try:
            with filler.open("wb") as file:
                while True:
                    file.write(bytes(4096))
                    file.flush()
        except OSError:
            pass
        result, lines, changed, spans = worker.notify(u("/a.jpg"))
        add("disk is full", "", shown(lines), ", ".join([c for c in changed if "failures" in c][:2]), failed(spans))
        worker.stop()
        subprocess.run(["umount", small])

    worker = Watched(program, folder, *allow)
    before = worker.metrics()
    envelope = {"id": "a", "payload": {"aps": {"alert": "Hi"}}, "callback": u("/done")}
    worker.post("/v1/jobs", envelope)
    lines = worker.wait(lambda: [json.loads(line) for line in worker.log.read_text().splitlines() if "callback" in line])
    spans = worker.wait(lambda: [s for s in worker.collector.spans if s["name"] == "callback"])
    add("callback wants no more", "", shown(lines), 'attachd_callbacks_total{outcome="refused"}', failed(spans))
    answer = worker.post("/v1/jobs", envelope | {"id": "b", "callback": "http://10.0.0.1/done"})
    add("callback at a private address", f"HTTP {answer['status']}: {answer['detail']}")
    worker.stop()

    worker = Watched(program, folder, *allow, collector="http://127.0.0.1:1")
    worker.post("/v1/notifications", {"payload": {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": u("/404-b.jpg")}})
    lines = worker.wait(lambda: [json.loads(line) for line in worker.log.read_text().splitlines() if "collector" in line])
    add("collector is away", "", shown(lines), 'attachd_spans_dropped_total{reason="collector"}', "none arrives")
    worker.stop()

    worker = Watched(program, folder, *allow, "--queue", "redis://127.0.0.1:1", command="work")
    lines = worker.wait(lambda: [json.loads(line) for line in worker.log.read_text().splitlines() if "queue" in line])
    add("Redis is away", "", shown(lines), "attachd_queue_available 0, attachd_queue_failures_total", "none: no job")
    worker.stop()

    add("payload is not JSON", process(folder, "", payload="{"))
    alone = f"{folder}/alone"
    os.mkdir(alone)
    shutil.copy(program, f"{alone}/attachd")
    add("decoder program is missing", process(folder, u("/a.jpg"), program=f"{alone}/attachd"))
    store = pathlib.Path(folder) / "file"
    store.write_text("")
    done = subprocess.run([program, "process", "--store", store], input="{}", capture_output=True, text=True)
    add("store is a file", f"{done.stderr.strip().splitlines()[-1]} (status {done.returncode})")
    done = subprocess.run([program, "serve", "--listen", f"127.0.0.1:{origin.server_port}", "--store", f"{folder}/s"],
                          capture_output=True, text=True)
    add("port in use", f"{done.stderr.strip().splitlines()[-1]} (status {done.returncode})")

print("| failure | `attachd process`, or the answer | log | metric | span |\n|---|---|---|---|---|")
for row in rows:
    print("| " + " | ".join(cell or "–" for cell in row) + " |")
print(f"failures: {len(rows)}, of which {len(silent)} say nothing: {', '.join(silent) or 'none'}", file=sys.stderr)
sys.exit(1 if silent else 0)
