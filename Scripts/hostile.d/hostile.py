"""hostile.py PROGRAM SECONDS: attacks one worker with everything at once. Run by Scripts/hostile."""

import asyncio
import collections
import contextlib
import os
import pathlib
import random
import signal
import statistics
import sys
import tempfile
import time

from adversaries import SAMPLES, Adversaries, shared_media
from clients import Clients
from harness import Origin, Program, Worker, children

program, seconds = sys.argv[1], int(sys.argv[2])
# The number of simultaneous attacks, and the allowed differences from the quiet worker's figures at the end.
attackers = 48
allowed = {"MB": 96, "descriptors": 32, "threads": 8}
# Time for hanging requests, kept files, and remembered origins to go away.
settle = min(90, max(20, seconds // 10))

faults = [
    "latency=2s", "latency=45s", "jitter=500ms", "bandwidth=20kB/s", "drip=1B/100ms", "stall=10kB", "stall=10kB/2s",
    "truncate=10kB",
    "reset=10kB", "reset=0B", "length=%2B100", "length=-100", "length=5000", "length=9223372036854775807",
    "type=text/html",
    "type=none", "status=503", "status=429", "status=204", "status=404", "redirect=3", "redirect=loop",
    "ranges=off", "ranges=lie", "ranges=refuse", "chunked=on", "hiccup=0s/2s", "",
]


def sample(worker):
    """The resident megabytes, open descriptors, and threads; `None` if the process has ended."""
    process = f"/proc/{worker.process.pid}"
    try:
        counts = [len(os.listdir(f"{process}/{folder}")) for folder in ("fd", "task")]
        return worker.resident_bytes >> 20, *counts
    except (OSError, TypeError):
        return None


def crash_decoder(worker, draw):
    """Kills a decoder, or sometimes the zygote, as a fault in a library would. Returns how many it killed."""
    victims = children(worker.process.pid) if draw.random() < 0.05 else worker.decoders
    with contextlib.suppress(OSError):
        if victims:
            os.kill(draw.choice(victims), draw.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT]))
            return 1
    return 0


def verdict(quiet, end, busy):
    """The figures that grew: compared with the quiet worker, and over the time of the attack."""
    problems = []
    for index, (name, more) in enumerate(allowed.items()):
        if end[index] > quiet[index] + more:
            problems.append(f"{name} {quiet[index]} before and {end[index]} after")
        third = len(busy) // 3
        if third >= 4:
            early = statistics.median(figures[index] for figures in busy[third:2 * third])
            late = statistics.median(figures[index] for figures in busy[2 * third:])
            # Figures vary under attack, so growth must be clear: by a quarter, and by more than the allowed
            # difference.
            if late > early * 1.25 and late > early + more:
                problems.append(f"{name} grew from {early:.0f} to {late:.0f} under attack")
    return problems


async def main(folder):
    draw = random.Random(1)
    worker = Worker(program, "--allow-address", "127.0.0.0/8", "--keep", "60s", "--quota", "500MB", "--reuse",
                    "5s", decoders=os.cpu_count())
    good = Origin(program, SAMPLES, listen="127.0.3.1:0")
    files = pathlib.Path(folder, "files")
    files.mkdir()
    for number, path in enumerate([*SAMPLES.glob("*.[jgm]*"), *shared_media()]):
        (files / f"{number}{path.suffix}").symlink_to(path.resolve())
    names = os.listdir(files)
    faulty = [Origin(program, files, listen=f"127.0.2.{n}:0") for n in range(1, 5)]
    raw = Adversaries(folder, ["random"])

    def random_answer():
        kind = draw.choice(["jpg", "gif", "mp4", "png", "heic", "m4a", "bin"])
        return raw.url("random", f"127.0.1.{draw.randrange(1, 33)}", f"{draw.randrange(10 ** 9)}.{kind}")

    def fault():
        query = "&".join({*draw.choices(faults, k=draw.choice([1, 1, 2, 3]))})
        return draw.choice(faulty).url(f"{draw.choice(names)}?{query}&seed={draw.randrange(10 ** 9)}")

    def odd():
        return draw.choice([
            "http://127.0.0.1:1/a", "http://10.0.0.1/a", "http://[::1]/a", "file:///etc/passwd", "",
            "http://", "a" * 5000,
            "http://nowhere.invalid/a.jpg", f"{worker.url}/v1/jobs", "http://a\0b/", "javascript:1"])

    def honest_url():
        return good.url(f"photo.jpg?seed={draw.randrange(10 ** 9)}")

    # The payload's description of a picture counts only if there is a picture.
    sources = [random_answer, random_answer, fault, fault, odd]
    clients = Clients(worker.port, [*sources, lambda: good.url(f"launch.gif?seed={draw.randrange(99)}")])
    for _ in range(5):
        if await clients.honest(honest_url()) != "complete":
            raise SystemExit(f"hostile: an honest notification failed before the attack:\n{worker.output}")
    await asyncio.sleep(2)
    quiet, outcomes, busy = sample(worker), collections.Counter(), []
    counts, start, ended = collections.Counter(), time.monotonic(), False
    print(f"{'s':>6} {'MB':>6} {'fds':>6} {'threads':>8} {'attacks':>8} {'crashes':>8} honest", flush=True)

    async def attacker():
        while not ended:
            await clients.attack()
            counts["attacks"] += 1

    # A source whose decoder crashes is not decoded again for ten minutes: the honest one must not be blamed.
    crashing = asyncio.Lock()

    async def honest():
        while not ended:
            async with crashing:
                outcomes[await clients.honest(honest_url())] += 1
            await asyncio.sleep(1)

    async def crasher():
        while not ended:
            await asyncio.sleep(draw.uniform(1, 8))
            async with crashing:
                counts["crashes"] += crash_decoder(worker, draw)

    def show(figures):
        memory, descriptors, threads = figures
        shares = ", ".join(f"{count} {name or 'unanswered'}" for name, count in outcomes.most_common())
        print(f"{time.monotonic() - start:6.0f} {memory:6} {descriptors:6} {threads:8} {counts['attacks']:8} "
              f"{counts['crashes']:8} {shares}", flush=True)

    tasks = [asyncio.create_task(part()) for part in [attacker] * attackers + [honest, crasher]]
    step = max(1, min(15, seconds // 40))
    while worker.is_alive and time.monotonic() - start < seconds:
        await asyncio.sleep(step)
        if figures := sample(worker):
            busy.append(figures)
            show(figures)
    ended, end, problems = True, None, []
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    problems += [f"the attack itself failed: {error!r}" for error in results
                 if isinstance(error, Exception) and not isinstance(error, asyncio.CancelledError)][:1]
    answers = raw.stop()

    waited = time.monotonic()
    while worker.is_alive and time.monotonic() - waited < settle:
        await asyncio.sleep(1)
    if worker.is_alive and (end := sample(worker)):
        if await clients.honest(honest_url()) != "complete":
            problems.append("an honest notification is not complete after the attack")
        show(end)
        problems += verdict(quiet, end, busy)
    if outcomes[None] > 0.01 * outcomes.total():
        problems.append(f"{outcomes[None]} honest notifications were not answered")
    if outcomes["complete"] < 0.5 * outcomes.total():
        problems.append("fewer than half of the honest notifications were complete")
    code = worker.process.poll()
    if code is not None:
        problems.append(f"the worker died with status {code}")
    elif (code := worker.stop(30)) != 0:
        how = "SIGKILL after 30 s" if code is None else f"status {code}"
        problems.append(f"the worker, told to end, ended with {how}")
    for origin in [good, *faulty]:
        if not origin.is_alive:
            problems.append("attachd origin died")
        origin.stop()
    print("origins' answers:", ", ".join(f"{count} {name}" for name, count in sorted(answers.items())))
    print(f"quiet {quiet}, after {end}")
    if problems:
        kept = pathlib.Path(".build/hostile.log")
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(worker.log.read_bytes()[-5_000_000:])
        print(f"hostile: FAILED after {time.monotonic() - start:.0f} s: {'; '.join(problems)}. "
              f"The worker's log is in {kept}.")
        return 1
    print(f"hostile: passed: {seconds} s, {counts['attacks']} attacks, {counts['crashes']} crashed decoders, "
          f"0 deaths of the worker, memory, descriptors and threads flat; "
          f"honest notifications: {dict(outcomes)}")
    return 0


with tempfile.TemporaryDirectory(prefix="attachd-hostile-") as folder:
    try:
        status = asyncio.run(main(folder))
    finally:
        Program.stop_all()
sys.exit(status)
