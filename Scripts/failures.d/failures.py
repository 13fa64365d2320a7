"""Makes things fail, and prints the tables of docs/failures.md: what attachd says, and what to do."""

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
import time
import zlib

from harness import ROOT, Origin, Receiver, Worker, exchange, payload, table, wait_until

program = sys.argv[1]
PHOTO = (ROOT / "Samples/media/photo.jpg").read_bytes()
attachments, dependencies, commands, silent = {}, [], [], []


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
    """A text as a cell of a table. The port and the folder of this run get names."""
    for value, name in ((port, "PORT"), (str(folder), "FOLDER")):
        text = text.replace(value, name)
    return text.strip().replace("|", "\\|")


def add(name, lines, reason, metric, do):
    """Adds the failure of something that attachd needs: what the log says, the reason, the metric, and what to do."""
    sign = logged(lines) + (f" The reason is `{reason}`." if reason else "")
    dependencies.append([words(cell) for cell in (name, sign, metric, do)])


def add_refusal(name, sign):
    """Adds what is refused at once: there is no log and no metric, and the message says what to do."""
    commands.append([name, words(sign)])
    if not sign:
        silent.append(name)


def check_metric(worker, name, metric):
    """Checks that a metric is above 0, whatever its other labels are."""
    family, _, label = metric.rstrip("}").partition("{")
    worker.wait_for(metric, lambda: any(
        value for each, value in worker.metrics().items() if each.startswith(family) and label in each))


def logged(lines):
    """The message of the most severe line of the log."""
    line = min(lines, key=lambda line: line["level"] == "info")
    signal = f" `signal` is {line['signal']}." if "signal" in line else ""
    return f"{'only ' if line['level'] == 'info' else ''}“{line['message']}”{signal}"


def process(folder, url, *options, program=program, content=None):
    """What `attachd process` says in its last line, as a sentence."""
    done = subprocess.run(
        [program, "process", "--store", f"{folder}/store", "--allow-address", "127.0.0.1", "--deadline", "5s",
         *options],
        input=(content or json.dumps(payload(url))).encode(), capture_output=True)
    return ended(done)


def ended(done):
    said = done.stderr.decode().strip().splitlines()
    return f"Exit status {done.returncode}: “{said[-1].removeprefix('attachd: ')}”" if said else ""


def fail(worker, name, url, deadline="5s", folder=None):
    """Makes an attachment fail. Checks that the command, the log, a metric and a span have the reason. Returns the reason,
    the message, and the lines of the log.
    """
    said = process(folder, url, "--deadline", deadline) if folder else "nothing was run"
    result, lines, changed, spans = worker.watch(url, deadline)
    if not result["errors"]:
        silent.append(f"{name}: it did not fail")
        return "", "", lines
    reason, message = result["errors"][0]["reason"], result["errors"][0]["message"]
    finished = [line for line in lines if line["message"] == "Notification finished."]
    found = {
        "command": said,
        "log": any(line.get("reason") == reason for line in finished),
        "metric": any("attachd_failures_total" in each and f'reason="{reason}"' in each for each in changed),
        "span": any(reason in reasons(span) for span in spans),
    }
    silent.extend(f"{name}: {sign}" for sign, has in found.items() if not has)
    return reason, message, lines


def reasons(span):
    return [a["value"]["stringValue"] for a in span["attributes"] if a["key"] in ("error.type", "attachd.reason")]


def fail_attachment(worker, name, url, *options, **more):
    """Makes an attachment fail, and adds it to those with the same reason, whose messages differ at most in a host."""
    reason, message, _ = fail(worker, name, url, *options, **more)
    host = re.match(r"\w+:/+([^/:]*)", url)[1]
    names, _ = attachments.setdefault(reason, ([], words(message.replace(host, "HOST"))))
    names.append(name)


def end_decoders(worker, number):
    """Ends the decoder that holds the source, of which the second half is still to come."""
    for decoder in worker.wait_for("a decoder with a source", lambda: worker.busy_decoders):
        os.kill(decoder, number)


def sources_and_decoders(folder, u):
    for name, url in [
        ("URL without a host", "https:///a.jpg"), ("FTP URL", "ftp://media.example/a.jpg"),
        ("private address", "http://10.0.0.1/a.jpg"), ("unknown host", "http://nowhere.invalid/a.jpg"),
        ("closed port", "http://127.0.0.1:1/a.jpg"), ("origin without TLS", u("a.jpg").replace("http:", "https:")),
        ("missing file", u("a.jpg?status=404")), ("failing origin", u("a.jpg?status=503")),
        ("redirect loop", u("a.jpg?redirect=loop")), ("empty file", u("empty.jpg")),
        ("wrong length", u("a.jpg?length=1000000000")), ("broken connection", u("a.jpg?truncate=20B")),
        ("web page", u("page.jpg")), ("damaged picture", u("corrupt.jpg")),
        ("too many pixels", u("bomb.png")),
    ]:
        worker = Watched()
        fail_attachment(worker, name, url, folder=folder)
        worker.stop()
    worker = Watched()
    fail_attachment(worker, "stalled origin", u("a.jpg?stall=20B"), "2s", folder)
    worker.stop()
    worker = Watched()
    for number in range(30):
        worker.watch(u(f"a.jpg?status=500&n={number}"), "1s")
    # While a slow request tests whether the origin works again, the next one is not sent.
    time.sleep(1.1)
    test = {"payload": payload(u("a.jpg?latency=4s")), "deadline": "5s"}
    tester = threading.Thread(target=worker.post, args=["/v1/notifications", test])
    tester.start()
    time.sleep(0.3)
    fail_attachment(worker, "origin that failed often", u("a.jpg?n=last"))
    tester.join()
    worker.stop()
    half = len(PHOTO) // 2000
    for name, number, metric, do in [
        ("crash of a decoder", signal.SIGSEGV, 'attachd_decoder_deaths_total{signal="11"}',
         "Update Debian's packages, or [switch the format off](security.md#formats-that-are-switched-off)."),
        ("decoder killed by the kernel", signal.SIGKILL, 'attachd_failures_total{reason="resourceLimit"}',
         "Give the worker more memory, or lower `--decoders`."),
    ]:
        worker = Watched()
        killer = threading.Thread(target=end_decoders, args=[worker, number])
        killer.start()
        reason, _, lines = fail(worker, name, u(f"a.jpg?stall={half}kB/3s&n={number}"), "8s")
        killer.join()
        check_metric(worker, name, metric)
        add(name, lines, reason, f"`{metric}`", do)
        worker.stop()


def stores(folder, u):
    away = ["--publish", "s3://media/pushes", "--publish-endpoint", "http://127.0.0.1:1", "--public-url",
            "https://push.example"]
    os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    worker = Watched(*away)
    reason, _, lines = fail(worker, "bucket", u("a.jpg"), "2s")
    check_metric(worker, "bucket", "attachd_publish_failures_total")
    add("unreachable bucket", lines, reason, "`attachd_publish_failures_total`",
        "Run `attachd doctor`; see [buckets](files.md#a-bucket).")
    worker.stop()

    small = folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", small]
    if os.geteuid() != 0 or subprocess.run(mount).returncode != 0:
        print("failures: the full disk was left out, because this user cannot mount one", file=sys.stderr)
        return
    worker = Watched("--queue", f"sqlite:{folder}/queue.sqlite", store=f"{small}/store")
    subprocess.run(["dd", "if=/dev/zero", f"of={small}/filler", "bs=4k"], stderr=subprocess.DEVNULL)
    reason, _, lines = fail(worker, "full disk", u("a.jpg"))
    check_metric(worker, "full disk", 'attachd_store_failures_total{reason="full"}')
    add("full disk", lines, reason, '`attachd_store_failures_total{reason="full"}`', "Free disk space.")
    worker.stop()
    subprocess.run(["umount", small])


def services(u):
    worker = Watched()
    envelope = {"id": "a", "payload": {"aps": {"alert": "Hi"}}, "callback": u("a.jpg?status=410")}
    worker.post("/v1/jobs", envelope)
    lines = worker.lines_with("callback")
    worker.wait_for("its span", lambda: any(
        reasons(span) for span in worker.spans if span["name"] == "callback"))
    check_metric(worker, "callback", 'attachd_callbacks_total{outcome="refused"}')
    add("callback answered with 410", lines, None, '`attachd_callbacks_total{outcome="refused"}`',
        "Nothing, if the receiver wants no more results.")
    answer = worker.post("/v1/jobs", envelope | {"id": "b", "callback": "http://10.0.0.1/done"})
    add_refusal("callback to a private address", f"HTTP {answer['status']}: “{answer['detail']}”")
    worker.stop()

    worker = Watched(collector="http://127.0.0.1:1")
    worker.post("/v1/notifications", {"payload": payload(u("a.jpg?status=404"))})
    lines = worker.lines_with("collector")
    check_metric(worker, "collector", 'attachd_spans_dropped_total{reason="collector"}')
    add("unreachable trace collector", lines, None, '`attachd_spans_dropped_total{reason="collector"}`',
        "Check the collector. Notifications are not affected.")
    worker.stop()

    worker = Watched("--queue", "redis://127.0.0.1:1", command="work")
    lines = worker.lines_with("queue")
    check_metric(worker, "Redis", "attachd_queue_failures_total")
    add("unreachable Redis", lines, None, "`attachd_queue_available` is 0.",
        "Check the Redis server. attachd connects as soon as the server answers.")
    if worker.metrics().get("attachd_queue_available") != 0:
        silent.append("Redis: attachd_queue_available")
    worker.stop()


def starts(folder, u):
    """Adds the failures of a command at its start."""
    def says(*arguments):
        return ended(subprocess.run([program, *arguments], input=b"{}", capture_output=True))

    add_refusal("payload that is not JSON", process(folder, "", content="{"))
    alone = folder / "alone"
    alone.mkdir()
    shutil.copy(program, alone)
    add_refusal("missing decoder program", process(folder, u("a.jpg"), program=alone / "attachd"))
    file = folder / "file"
    file.write_text("")
    add_refusal("store that is a file", says("process", "--store", file))
    add_refusal("port in use", says("serve", "--listen", f"127.0.0.1:{port}", "--store", f"{folder}/s"))


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    origin = Origin(program, media(folder / "media"))
    port = re.search(r":(\d+)/", origin.found)[1]
    sources_and_decoders(folder, origin.url)
    stores(folder, origin.url)
    services(origin.url)
    starts(folder, origin.url)
    origin.stop()

causes = [[", ".join(names), f"`{reason}`", message] for reason, (names, message) in attachments.items()]
print(table(["failure", "reason", "message"], causes), end="\n\n")
print(table(["failure", "log", "metric", "what to do"], dependencies), end="\n\n")
print(table(["failure", "answer"], commands))
count = len(causes) + len(dependencies) + len(commands)
print(f"failures: {count} rows; missing signs: {', '.join(silent) or 'none'}", file=sys.stderr)
sys.exit(1 if silent else 0)
