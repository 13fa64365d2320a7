"""The benchmarks of attachd; run by Scripts/bench."""

import contextlib
import functools
import json
import os
import pathlib
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import attachments
import batch
import campaign
import clips
import delivery
import early
import fairness
import formats
import hiccup
import images
import inline
import overload
import page
import planted
import prepare
import quality
import sentinel
import tenants
import traces
from images import Rewrites, in_parallel
from sidecar import Origin, Sidecar

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
chosen = sys.argv[3:]
# The worker has one core. The client and the origin, which are not measured, have the others.
cores = sorted(os.sched_getaffinity(0))
worker_cores, other_cores = {cores[0]}, set(cores[1:]) or {cores[0]}
os.sched_setaffinity(0, other_cores)
photo, medium, small = "photo-12mp.jpg", "photo-1600.jpg", "photo-320.jpg"


def median(values):
    return round(statistics.median(values), 4)


def one_after_the_other(picture, requests=400):
    """The client's seconds and the stages' milliseconds of each request, for a picture from a URL of its own each."""
    origin = Origin(folder, other_cores)
    sidecar = Sidecar(program, set(cores), 2)
    sidecar.wait_until_ready()
    rewrites = Rewrites(sidecar, origin.url(picture))
    in_parallel(1, requests + 50, rewrites)
    sidecar.stop()
    origin.stop()
    return rewrites.samples[50:]


def overhead():
    """The client's time without the stage `decode`, for 1600-pixel photos."""
    samples = one_after_the_other(medium)
    return {
        "milliseconds_beside_decoding": median([seconds * 1000 - stages["decode"] for seconds, stages in samples]),
        "milliseconds_in_all": median([seconds * 1000 for seconds, _ in samples]),
        "milliseconds_of_decoding": median([stages["decode"] for _, stages in samples]),
        "milliseconds_of_download": median([stages["download"] for _, stages in samples]),
        "target": "at most 5 ms beside the decoding",
    }


def small_pictures():
    """The client's time for pictures of 320 pixels beside that of libvips alone."""
    whole = median([seconds * 1000 for seconds, _ in one_after_the_other(small)])
    loop = subprocess.run([str(folder / "vips-loop"), "2000", str(folder / small)], check=True, capture_output=True, text=True)
    bare = 1000 / float(loop.stdout)
    return {
        "milliseconds_in_all": whole,
        "milliseconds_of_libvips_alone": round(bare, 3),
        "milliseconds_beside_it": round(whole - bare, 3),
        "target": "at most 3 ms beside libvips alone",
    }


def ready(starts=15):
    """The time from the start of the program to `readyz`, which passes a picture through a real decoder."""
    times = []
    for _ in range(starts):
        sidecar = Sidecar(program, set(cores), 2)
        times.append(sidecar.wait_until_ready() * 1000)
        sidecar.stop()
    return {"milliseconds": median(times), "fastest": round(min(times), 1), "target": "at most 150 ms"}


def memory(steps=(500, 2000, 4000, 6000, 8000, 10_000)):
    """The worker's resident memory over many requests."""
    origin = Origin(folder, set(cores))
    sidecar = Sidecar(program, set(cores), 2)
    sidecar.wait_until_ready()
    curve, done = [], 0
    for step in steps:
        in_parallel(4, step - done, Rewrites(sidecar, origin.url(small)))
        done = step
        curve.append([step, round(sidecar.resident_bytes() / 1e6, 1)])
    sidecar.stop()
    origin.stop()
    return {
        f"megabytes_after_{steps[0]}": curve[0][1],
        f"megabytes_after_{steps[-1]}": curve[-1][1],
        "ratio": round(curve[-1][1] / curve[0][1], 3),
        "curve": {"attachd": curve},
        "target": "at most 1.2",
    }


@contextlib.contextmanager
def sqlite_queue(place):
    yield f"sqlite:{place}/queue.sqlite"


@contextlib.contextmanager
def redis_queue(place):
    """A Redis that logs its writes and syncs them each second, on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", place, "--save", ""]
    command += ["--appendonly", "yes", "--appendfsync", "everysec"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=free_of_core) as server:
        try:
            if not any("Ready to accept" in line for line in server.stdout):
                raise SystemExit("redis-server did not start")
            yield f"redis://127.0.0.1:{port}"
        finally:
            server.kill()


def queue(name, target, rounds=5, jobs=20_000):
    """Jobs without work through a queue (enqueued, leased, started, answered), while others wait."""
    program_of_queues = pathlib.Path(program).with_name("queue-program")
    samples = {0: [], 10_000: [], 200_000: []}
    for _ in range(rounds):
        for waiting in samples:
            with tempfile.TemporaryDirectory(dir=folder) as place, name(os.path.abspath(place)) as address:
                command = [program_of_queues, "bench", address, str(waiting), str(jobs)]
                run = subprocess.run(command, check=True, capture_output=True, text=True, preexec_fn=free_of_core)
                samples[waiting].append(json.loads(run.stdout))

    def middle(waiting, key):
        return median([sample[key] for sample in samples[waiting]])

    first, last = (middle(waiting, "jobs_per_second") for waiting in (0, 200_000))
    return {
        **{f"jobs_per_second_with_{waiting}_waiting": middle(waiting, "jobs_per_second") for waiting in samples},
        **{f"microseconds_of_processor_with_{waiting}": middle(waiting, "microseconds_per_job") for waiting in samples},
        "ratio": round(last / first, 3),
        "target": f"at least {target}, and a ratio of 0.8",
    }


def scale():
    """A simulated day of the number of workers, drawn as docs/scale.svg."""
    script = pathlib.Path(__file__).with_name("scale.py")
    command = [sys.executable, script, pathlib.Path(program).with_name("queue-program"), "docs/scale.svg"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return {"day": run.stdout.strip(), "target": "none late, at most 8 workers"}


def free_of_core():
    os.sched_setaffinity(0, cores)


def on_all_cores(benchmark):
    return lambda: benchmark(program, folder, set(cores))


benchmarks = {
    "throughput": lambda: images.throughput(program, folder, photo, worker_cores, other_cores), "overhead": overhead,
    "small": small_pictures, "ready": ready, "memory": memory,
    "copied": on_all_cores(clips.copied), "transcoded": on_all_cores(clips.transcoded),
    "deadline": on_all_cores(clips.deadline), "queue": functools.partial(queue, sqlite_queue, 5000),
    "redis": functools.partial(queue, redis_queue, 8000),
    "delivery": on_all_cores(delivery.delivery),
    "early": on_all_cores(early.early), "traces": on_all_cores(traces.traces), "quality": lambda: quality.quality(program, folder), "fairness": on_all_cores(fairness.fairness),
    "inline": lambda: inline.inline(program, folder, worker_cores, other_cores),
    "batch": lambda: batch.throughput(program, folder, set(cores), photo),
    "overload": on_all_cores(overload.overload),
    "prepare": lambda: prepare.prepared(program, folder, set(cores), medium),
    "formats": lambda: formats.switched_off(program, set(cores), folder / medium, "jpeg"),
    "campaign": lambda: campaign.campaign(program, folder, set(cores), medium),
    "tenants": on_all_cores(tenants.tenants), "scale": scale,
    "hiccup": on_all_cores(hiccup.hiccup), "planted": on_all_cores(planted.planted),
    "sentinel": lambda: sentinel.sentinel(program, folder),
    "downloads": lambda: attachments.downloads(program, folder, set(cores), medium),
}
unknown = [name for name in chosen if name not in benchmarks]
if unknown:
    raise SystemExit(f"there is no benchmark {unknown[0]}; choose from {', '.join(benchmarks)}")

results = {
    "machine": {
        "cores": len(cores),
        "processor": platform.processor() or platform.machine(),
        "kernel": platform.release(),
        "load": os.getloadavg()[0],
    }
}
for name in chosen or benchmarks:
    results[name] = benchmarks[name]()
    print(name)
    for key, value in results[name].items():
        if key != "curve":
            print(f"    {key.replace('_', ' '):34} {value}")
(folder / "bench.json").write_text(json.dumps(results, indent=2))
(folder / "bench.html").write_text(page.made_of(results))
print(f"written to {folder / 'bench.json'} and bench.html")
