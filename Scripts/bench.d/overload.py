"""An overload of three times the capacity on a fixed schedule: the answers and their times.

Open loop: jobs are sent when they are due, whatever happened to earlier ones. They go through Redis as
producers enqueue them, because its entries carry the times: an answer's time is that of its entry in the
reply stream.
"""

import collections
import json
import os
import random
import threading
import time

from harness import Origin, Redis, Worker, ffmpeg, payload, percentile
from pictures import LARGE, MEDIUM, SMALL

USEFUL = ("ok", "degraded")
VIDEO = "overload.mp4"
# As in push campaigns: mostly small pictures, some from cameras, and a few videos.
MIX = [(SMALL, 0.40), (MEDIUM, 0.28), (LARGE, 0.27), (VIDEO, 0.05)]
# The seconds until an answer is no longer wanted, and the share of jobs of that kind.
BUDGETS = [((1.5, 3), 0.25), ((5, 10), 0.55), ((20, 30), 0.20)]

Answer = collections.namedtuple("Answer", "due budget answered status")


class Load:
    """Jobs at a rate, and their answers."""

    def __init__(self, redis, origin, seed=1):
        self.sender, self.reader = redis.producer(), redis.producer()
        self.reader.name = self.sender.name
        self.origin, self.random = origin, random.Random(seed)
        self.open, self.answers, self.refused, self.slips = {}, [], 0, 0
        self.lock, self.ended = threading.Lock(), False
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        stream = f"{self.reader.prefix}reply:{self.reader.name}"
        while not self.ended:
            for _, entries in self.reader.redis.xread({stream: self.reader.last_id}, block=200) or []:
                for entry, fields in entries:
                    self.reader.last_id = entry
                    with self.lock:
                        due, budget = self.open.pop(fields[b"j"].decode())
                        answered = int(entry.split(b"-")[0]) / 1000
                        self.answers.append(Answer(due, budget, answered, fields[b"s"].decode()))

    def pick(self, choices):
        return self.random.choices([value for value, _ in choices], [weight for _, weight in choices])[0]

    def send(self, due, budget):
        name = f"{len(self.open)}-{self.random.getrandbits(64):x}"
        envelope = json.dumps({"payload": payload(self.origin.url(f"{self.pick(MIX)}?n={name}"))})
        with self.lock:
            self.open[name] = (due, budget)
        if self.sender.enqueue(name, envelope, int(budget * 1000))[0] != "OK":
            self.refused += 1
            with self.lock:
                del self.open[name]

    def run(self, rate, seconds, budget=None):
        """Sends for `seconds`, and returns all answers."""
        before = len(self.answers)
        due = start = time.time()
        while due < start + seconds:
            time.sleep(max(0, due - time.time()))
            self.slips += time.time() - due > 0.01
            self.send(due, budget or self.random.uniform(*self.pick(BUDGETS)))
            due += self.random.expovariate(rate)
        self.drain()
        return self.answers[before:]

    def drain(self):
        while True:
            with self.lock:
                latest = max((due + budget for due, budget in self.open.values()), default=None)
            if latest is None:
                return
            if time.time() > latest + 10:
                raise RuntimeError(f"{len(self.open)} jobs were never answered")
            time.sleep(0.05)


def useful_per_second(answers, seconds):
    return sum(answer.status in USEFUL for answer in answers) / seconds


def sustained_per_second(answers):
    """The useful answers a second until the last one: what is answered after the last job was sent took its time, too."""
    time = max(answer.answered for answer in answers) - min(answer.due for answer in answers)
    return useful_per_second(answers, time)


def summary(answers, seconds):
    margins = [answer.due + answer.budget - answer.answered for answer in answers]
    late = [answer.status for answer, margin in zip(answers, margins) if margin < 0]
    return {
        "jobs": len(answers), "useful_per_second": round(useful_per_second(answers, seconds), 1),
        "sustained_per_second": round(sustained_per_second(answers), 1),
        "statuses": dict(collections.Counter(answer.status for answer in answers)),
        "late": len(late), "late_by_status": dict(collections.Counter(late)),
        "least_margin_ms": round(min(margins) * 1000),
    }


def watch_memory(worker, peak, load):
    while not load.ended:
        peak[0] = max(peak[0], worker.resident_bytes)
        time.sleep(0.1)


def overload(bench):
    """Measures the capacity, runs at it and at three times of it, and measures the time to recover.

    Jobs with up to 30 s are still answered when the last one is sent, so the capacity is more than the worker can sustain.
    """
    seconds = int(os.environ.get("DURATION", 60))
    if not (bench.folder / VIDEO).exists():
        # A video of a size that must be encoded again.
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=30", "-f", "lavfi", "-i", "sine", "-t", 4, "-c:v",
               "libx264", "-preset", "veryfast", "-c:a", "aac", "-shortest", bench.folder / VIDEO)
    os.sched_setaffinity(0, bench.cores)
    redis, origin = Redis(), Origin(bench.program, bench.folder)
    worker = Worker(bench.program, "--file-urls", "--queue", redis.url, decoders=len(bench.cores))
    worker.wait_until_ready()
    load = Load(redis, origin)
    try:
        answers = load.run(150, seconds / 3)
        capacity, sustained = useful_per_second(answers, seconds / 3), sustained_per_second(answers)
        result = {"capacity_per_second": round(capacity, 1), "sustained_capacity_per_second": round(sustained, 1)}
        result["at_sustained_capacity"] = summary(load.run(sustained, seconds / 2), seconds / 2)
        result["at_capacity"] = summary(load.run(capacity, seconds / 2), seconds / 2)
        before, peak = worker.resident_bytes, [0]
        threading.Thread(target=watch_memory, args=(worker, peak, load), daemon=True).start()
        result["at_three_times"] = summary(load.run(3 * capacity, seconds), seconds)
        # Few enough clients that a video has a core to itself.
        calm = [answer.answered - answer.due for answer in load.run(capacity / 8, 10, budget=20)]
        ratio = result["at_three_times"]["useful_per_second"] / result["at_capacity"]["useful_per_second"]
        return result | {
            "ratio": round(ratio, 3), "memory_before_mb": round(before / 1e6, 1),
            "memory_peak_mb": round(peak[0] / 1e6, 1),
            "p99_seconds_afterwards": round(percentile(calm, 0.99), 2),
            "refused": load.refused, "slips_of_the_generator": load.slips,
            "target": "nothing late, a ratio of 0.8 at least, and soon as before",
        }
    finally:
        load.ended = True
        for part in (worker, origin, redis):
            part.stop()
