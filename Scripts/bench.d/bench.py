"""The benchmarks of attachd; run by Scripts/bench."""

import contextlib
import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import campaign
import clips
import compare
import fairness
import files
import overload
import pictures
import plots
import quality
import traces
from harness import Redis, Worker, median


@dataclasses.dataclass
class Bench:
    """What every benchmark gets."""
    program: str
    folder: pathlib.Path
    cores: set
    rounds: int
    """The number of rounds in place of each benchmark's own, for a trial; 0 if they have their own."""

    # The worker has one core. The client and the origin, which are not measured, have the others.
    @property
    def worker_cores(self):
        return {min(self.cores)}

    @property
    def other_cores(self):
        return self.cores - self.worker_cores or self.cores

    def run(self, command, **environment):
        """Runs a command, and returns its output."""
        return subprocess.run(
            [str(word) for word in command], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
            text=True, env=os.environ | environment).stdout

    def printed(self, command):
        """Runs a command that prints a number."""
        return float(self.run(command).split()[0])


def ready(bench, starts=15):
    """The time from the start of the program to `readyz`, which passes a picture through a real decoder."""
    times = []
    for _ in range(starts):
        worker = Worker(bench.program, "--file-urls", cores=bench.cores, decoders=2)
        times.append(worker.wait_until_ready() * 1000)
        worker.stop()
    return {"milliseconds": median(times), "fastest": round(min(times), 1), "target": "at most 150 ms"}


@contextlib.contextmanager
def sqlite_queue(bench):
    with tempfile.TemporaryDirectory(dir=bench.folder) as place:
        yield f"sqlite:{os.path.abspath(place)}/queue.sqlite"


@contextlib.contextmanager
def redis_queue(bench):
    redis = Redis(bench.cores)
    try:
        yield redis.url
    finally:
        redis.stop()


def queue(bench, open_queue, target, jobs=20_000):
    """Jobs without work through a queue (enqueued, leased, started, answered), while others wait."""
    program = pathlib.Path(bench.program).with_name("queue-program")
    samples = {0: [], 10_000: [], 200_000: []}
    for _ in range(bench.rounds or 5):
        for waiting in samples:
            with open_queue(bench) as address:
                command = ["taskset", "-c", ",".join(map(str, bench.cores)), program, "bench", address,
                           waiting, jobs]
                samples[waiting].append(json.loads(bench.run(command)))

    def middle(waiting, key):
        return median([sample[key] for sample in samples[waiting]])

    ratio = middle(200_000, "jobs_per_second") / middle(0, "jobs_per_second")
    return {
        **{f"jobs_per_second_with_{waiting}_waiting": middle(waiting, "jobs_per_second")
           for waiting in samples},
        **{f"microseconds_of_processor_with_{count}": middle(count, "microseconds_per_job")
           for count in samples},
        "ratio": round(ratio, 3), "target": f"at least {target}, and a ratio of 0.8",
    }


benchmarks = {
    "throughput": pictures.throughput, "overhead": pictures.overhead, "small": pictures.small, "ready": ready,
    "batch": pictures.batch, "campaign": campaign.campaign,
    "queue": lambda bench: queue(bench, sqlite_queue, 5000),
    "redis": lambda bench: queue(bench, redis_queue, 8000), "overload": overload.overload,
    "clips": clips.clips, "files": files.files, "traces": traces.traces, "quality": quality.quality, "plots": plots.plots,
    "fairness": lambda bench: fairness.fairness(bench.program, bench.folder, bench.cores),
}


# They run only by name.
BY_NAME = ("clips", "fairness", "files", "plots")


def main(program, folder, *chosen):
    old = chosen[1] if chosen[:1] == ("--compare",) else None
    chosen = chosen[2:] if old else chosen
    unknown = [name for name in chosen if name not in benchmarks]
    if unknown:
        raise SystemExit(f"there is no benchmark {unknown[0]}; choose from {', '.join(benchmarks)}")
    bench = Bench(program, pathlib.Path(folder), os.sched_getaffinity(0), int(os.environ.get("ROUNDS", 0)))
    machine = {
        "cores": len(bench.cores), "processor": platform.processor() or platform.machine(),
        "kernel": platform.release(), "load": os.getloadavg()[0]}
    rounds = []
    for _ in range(int(os.environ.get("REPEAT", 1))):
        results = {}
        for name in chosen or [name for name in benchmarks if name not in BY_NAME]:
            # This process is the client.
            os.sched_setaffinity(0, bench.other_cores)
            results[name] = benchmarks[name](bench)
            print(name)
            for key, value in results[name].items():
                print(f"    {key.replace('_', ' '):34} {value}", flush=True)
        rounds.append(results)
    (bench.folder / "bench.json").write_text(json.dumps({"machine": machine, "rounds": rounds}, indent=2))
    print(f"written to {bench.folder / 'bench.json'}")
    if old:
        compare.compare(old, rounds)


main(*sys.argv[1:])
