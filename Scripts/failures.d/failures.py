"""Makes things fail, and prints what says so."""

import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

from harness import ROOT, Origin, Receiver, Worker, exchange, payload, table, wait_until

program = sys.argv[1]
PHOTO = (ROOT / "Samples/media/photo.jpg").read_bytes()
rows, silent = [], []


class Watched(Worker):
    """A running attachd with a collector of its spans, to see what log, metrics and traces say."""

    def __init__(self, *options, command="serve", collector=None, store=None):
        self.spans = []
        collector = collector or Receiver(self.receive).url
        super().__init__(program, *options, command=command, store=store, environment={
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
            "OTEL_BSP_SCHEDULE_DELAY": "50"})

    def receive(self, headers, body):
        for resource in json.loads(body)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                self.spans += scope["spans"]
        return 200

    def post(self, path, body, **headers):
        return json.loads(exchange(self.port, "POST", path, body, headers)[2] or b"{}")

    def wait_for(self, what, found):
        return wait_until(found, 20, f"attachd did not do what it should: {what}\n{self.output}")

    def lines_with(self, word):
        return self.wait_for(word, lambda: [line for line in self.lines if word in json.dumps(line)])

    def watch(self, url, deadline="5s"):
        """Sends a notification, and returns the result, its lines, the changed metrics, and its spans."""
        before, start, trace = self.metrics(), len(self.lines), secrets.token_hex(16)
        body = {"payload": payload(url), "deadline": deadline}
        result = self.post("/v1/notifications", body, traceparent=f"00-{trace}-{'1' * 16}-01")

        def spans():
            return [span for span in self.spans if span["traceId"] == trace]

        self.wait_for("the trace", lambda: any(span["name"].startswith("POST") for span in spans()))
        telling = re.compile("fail|refus|death|outcome|open|circuit|problem")
        changed = [name for name, value in self.metrics().items()
                   if value != before.get(name, 0) and telling.search(name)]
        return result, self.lines[start:], changed, spans()


def media(folder):
    """Writes the sources, good and bad, into a folder."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    # A PNG that says it has 40,000 x 40,000 pixels.
    header = struct.pack(">IIBBBBB", 40000, 40000, 8, 2, 0, 0, 0)
    bomb = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")
    folder.mkdir()
    for name, content in {
            "a.jpg": PHOTO, "empty.jpg": b"",
            "page.jpg": b"<!doctype html><title>Sign in</title>" + b" " * 2000,
            "corrupt.jpg": PHOTO[:600] + bytes(range(256)) * 40,
            "bomb.png": b"\x89PNG\r\n\x1a\n" + bomb}.items():
        (folder / name).write_bytes(content)
    return folder


def words(text):
    return text.strip().replace("|", "\\|").replace(port, "PORT")


def add(name, process="", log="", metric="", span=""):
    rows.append([words(cell) for cell in (name, process, log, metric, span)])
    # What a command refuses at its start reaches no log and no metric.
    if not process and not (log and metric):
        silent.append(name)


def process(folder, url, *options, program=program, content=None):
    done = subprocess.run(
        [program, "process", "--store", f"{folder}/store", "--allow-address", "127.0.0.1", "--deadline", "5s",
         *options],
        input=(content or json.dumps(payload(url))).encode(), capture_output=True)
    said = done.stderr.decode().strip().splitlines()
    return f"{said[-1]} (status {done.returncode})" if said else ""


def shown(lines):
    chosen = sorted(lines, key=lambda line: line["level"] == "info")
    return "; ".join(
        f"{line['level']}: {line['message']} " + " ".join(
            f"{key}={line[key]}" for key in ("outcome", "reason", "signal", "source_host", "callback_host")
            if key in line)
        for line in chosen[:2])


def failed(spans):
    found = []
    for span in spans:
        kinds = [a["value"]["stringValue"] for a in span["attributes"]
                 if a["key"] in ("error.type", "attachd.reason")]
        if kinds:
            found.append(f"{span['name']}: {kinds[0]}")
    return ", ".join(sorted(set(found)))


def fail(worker, name, url, deadline="5s", folder=None):
    said = process(folder, url, "--deadline", deadline) if folder else ""
    result, lines, changed, spans = worker.watch(url, deadline)
    reasons = [name for name in changed if "failures" in name or "deaths" in name]
    if result["outcome"] == "complete":
        silent.append(f"{name} did not fail")
    add(name, said, shown(lines), ", ".join(reasons[:2]), failed(spans))


def end_decoders(worker, number):
    """Ends the decoder that holds the source, of which the second half is still to come."""
    for decoder in worker.wait_for("a decoder with a source", lambda: worker.busy_decoders):
        os.kill(decoder, number)


def sources_and_decoders(folder, u):
    for name, url in [
        ("URL without a host", "https:///a.jpg"), ("scheme", "ftp://media.example/a.jpg"),
        ("private address", "http://10.0.0.1/a.jpg"), ("unknown host", "http://nowhere.invalid/a.jpg"),
        ("nobody listens", "http://127.0.0.1:1/a.jpg"), ("no TLS", u("a.jpg").replace("http:", "https:")),
        ("not found", u("a.jpg?status=404")), ("origin fails", u("a.jpg?status=503")),
        ("redirects in a circle", u("a.jpg?redirect=loop")), ("empty", u("empty.jpg")),
        ("says it has a gigabyte", u("a.jpg?length=1000000000")), ("broken off", u("a.jpg?truncate=20B")),
        ("web page", u("page.jpg")), ("corrupt picture", u("corrupt.jpg")),
        ("too many pixels", u("bomb.png")),
    ]:
        worker = Watched()
        fail(worker, name, url, folder=folder)
        worker.stop()
    worker = Watched()
    fail(worker, "stalls until the deadline", u("a.jpg?stall=20B"), "2s", folder)
    worker.stop()
    half = len(PHOTO) // 2000
    for name, number in [("decoder crashes", signal.SIGSEGV),
                         ("decoder killed by the kernel", signal.SIGKILL)]:
        worker = Watched()
        killer = threading.Thread(target=end_decoders, args=[worker, number])
        killer.start()
        fail(worker, name, u(f"a.jpg?stall={half}kB/3s&n={number}"), "8s")
        killer.join()
        worker.stop()
    worker = Watched()
    for number in range(30):
        worker.watch(u(f"a.jpg?status=500&n={number}"), "1s")
    fail(worker, "origin that failed often", u("a.jpg?status=500&n=last"))
    worker.stop()


def stores(folder, u):
    away = ["--publish", "s3://media/pushes", "--publish-endpoint", "http://127.0.0.1:1", "--public-url",
            "https://push.example"]
    os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    said = process(folder, u("a.jpg"), *away, "--deadline", "2s")
    worker = Watched(*away)
    _, lines, changed, spans = worker.watch(u("a.jpg"), "2s")
    metrics = [name for name in changed if "publish" in name or "failures" in name]
    add("bucket is away", said, shown(lines), ", ".join(metrics[:2]), failed(spans))
    worker.stop()

    small = folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", small]
    if os.geteuid() != 0 or subprocess.run(mount).returncode != 0:
        print("failures: the full disk was left out, because this user cannot mount one", file=sys.stderr)
        return
    worker = Watched("--queue", f"sqlite:{folder}/queue.sqlite", store=f"{small}/store")
    subprocess.run(["dd", "if=/dev/zero", f"of={small}/filler", "bs=4k"], stderr=subprocess.DEVNULL)
    _, lines, changed, spans = worker.watch(u("a.jpg"))
    metrics = [name for name in changed if "failures" in name]
    add("disk is full", "", shown(lines), ", ".join(metrics[:2]), failed(spans))
    worker.stop()
    subprocess.run(["umount", small])


def services(u):
    worker = Watched()
    envelope = {"id": "a", "payload": {"aps": {"alert": "Hi"}}, "callback": u("a.jpg?status=410")}
    worker.post("/v1/jobs", envelope)
    lines = worker.lines_with("callback")
    spans = worker.wait_for("its span", lambda: [span for span in worker.spans if span["name"] == "callback"])
    add("callback wants no more", "", shown(lines), 'attachd_callbacks_total{outcome="refused"}',
        failed(spans))
    answer = worker.post("/v1/jobs", envelope | {"id": "b", "callback": "http://10.0.0.1/done"})
    add("callback at a private address", f"HTTP {answer['status']}: {answer['detail']}")
    worker.stop()

    worker = Watched(collector="http://127.0.0.1:1")
    worker.post("/v1/notifications", {"payload": payload(u("a.jpg?status=404"))})
    add("collector is away", "", shown(worker.lines_with("collector")),
        'attachd_spans_dropped_total{reason="collector"}', "none arrives")
    worker.stop()

    worker = Watched("--queue", "redis://127.0.0.1:1", command="work")
    add("Redis is away", "", shown(worker.lines_with("queue")),
        "attachd_queue_available 0, attachd_queue_failures_total", "none: no job")
    worker.stop()


def starts(folder, u):
    """What fails before a log or a metric is there."""
    def says(*arguments):
        done = subprocess.run([program, *arguments], input="{}", capture_output=True, text=True)
        return f"{done.stderr.strip().splitlines()[-1]} (status {done.returncode})"

    add("payload is not JSON", process(folder, "", content="{"))
    alone = folder / "alone"
    alone.mkdir()
    shutil.copy(program, alone)
    add("decoder program is missing", process(folder, u("a.jpg"), program=alone / "attachd"))
    file = folder / "file"
    file.write_text("")
    add("store is a file", says("process", "--store", file))
    add("port in use", says("serve", "--listen", f"127.0.0.1:{port}", "--store", f"{folder}/s"))


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    origin = Origin(program, media(folder / "media"))
    port = re.search(r":(\d+)/", origin.found)[1]
    sources_and_decoders(folder, origin.url)
    stores(folder, origin.url)
    services(origin.url)
    starts(folder, origin.url)
    origin.stop()

print(table(["failure", "`attachd process`, or the answer", "log", "metric", "span"], rows))
print(f"failures: {len(rows)}, of which {len(silent)} say nothing: {', '.join(silent) or 'none'}",
      file=sys.stderr)
sys.exit(1 if silent else 0)
