"""Pictures: how fast attachd makes them beside other programs, and what it takes besides the decoding."""

import concurrent.futures
import itertools
import json
import pathlib
import re
import shutil
import tempfile
import threading
import time

from harness import Origin, Worker, compared, in_rounds, median, payload, percentile

LARGE, MEDIUM, SMALL = "photo-12mp.jpg", "photo-1600.jpg", "photo-320.jpg"
HERE = pathlib.Path(__file__).parent
numbers = itertools.count()


def distinct(url):
    """The URL of the same file as a new source, so that nothing is reused."""
    return f"{url}?n={next(numbers)}"


def rewrite(client, url):
    """Sends one notification. Returns its seconds, and the milliseconds of its stages."""
    start = time.monotonic()
    client.request("POST", "/v1/rewrite", json.dumps(payload(distinct(url))).encode())
    response = client.getresponse()
    response.read()
    seconds = time.monotonic() - start
    if response.headers["Attachd-Outcome"] != "complete":
        raise RuntimeError(f"the benchmark's own picture came out as {response.headers['Attachd-Outcome']}")
    stages = re.findall(r"(\w+);dur=([\d.]+)", response.headers["Server-Timing"])
    return seconds, {name: float(value) for name, value in stages}


def rewrites(worker, url, clients, total):
    """The seconds and stages of notifications, each client over a connection of its own."""
    left, lock, samples = iter(range(total)), threading.Lock(), []

    def run():
        client = worker.client()
        while True:
            with lock:
                if next(left, None) is None:
                    return
            samples.append(rewrite(client, url))

    with concurrent.futures.ThreadPoolExecutor(clients) as threads:
        for thread in [threads.submit(run) for _ in range(clients)]:
            thread.result()
    return samples


def one_after_the_other(bench, picture, requests=400, clients=1):
    origin = Origin(bench.program, bench.folder, cores=bench.other_cores)
    worker = Worker(bench.program, "--file-urls", cores=bench.cores, decoders=2)
    worker.wait_until_ready()
    samples = rewrites(worker, origin.url(picture), clients, requests + 50)[50:]
    worker.stop()
    origin.stop()
    return samples


def overhead(bench):
    """The client's time without the stage `decode`, for 1600-pixel photos."""
    samples = one_after_the_other(bench, MEDIUM)
    return {
        "milliseconds_beside_decoding": median([seconds * 1000 - stages["decode"] for seconds,
                                                stages in samples]),
        "milliseconds_in_all": median([seconds * 1000 for seconds, _ in samples]),
        "milliseconds_of_decoding": median([stages["decode"] for _, stages in samples]),
        "milliseconds_of_download": median([stages["download"] for _, stages in samples]),
        "target": "at most 5 ms beside the decoding",
    }


def small(bench):
    """The client's time for pictures of 320 pixels beside that of libvips alone."""
    alone = [seconds * 1000 for seconds, _ in one_after_the_other(bench, SMALL)]
    many = [seconds * 1000 for seconds, _ in one_after_the_other(bench, SMALL, requests=3000, clients=32)]
    whole = median(alone)
    bare = 1000 / bench.printed([bench.folder / "vips-loop", 2000, bench.folder / SMALL])
    return {
        "milliseconds_in_all": whole, "milliseconds_of_libvips_alone": round(bare, 3),
        "milliseconds_beside_it": round(whole - bare, 3),
        "milliseconds_beside_it_at_99_percent": round(percentile(alone, 0.99) - bare, 3),
        "milliseconds_of_32_clients": median(many), "milliseconds_of_32_clients_at_99_percent": percentile(many, 0.99),
        "target": "at most 3 ms beside libvips alone, 6 for 99 %",
    }


def rate(count, work):
    start = time.monotonic()
    work()
    return count / (time.monotonic() - start)


def throughput(bench, rounds=7, images=20):
    """12-megapixel JPEGs, each program on one core in turn, with the client and the origin on the others."""
    folder, photo = bench.folder, bench.folder / LARGE
    python = folder / "quality-python/bin/python"
    origin = Origin(bench.program, folder, cores=bench.other_cores)
    worker = Worker(bench.program, "--file-urls", cores=bench.worker_cores, decoders=1)
    worker.wait_until_ready()
    pinned = ["taskset", "-c", min(bench.worker_cores)]
    thumbnail = [*pinned, "vipsthumbnail", "--size", "1038x1038>", "-o",
                 "/dev/shm/attachd-bench.jpg[Q=82,optimize_coding,strip]", photo]
    contenders = {
        "attachd": lambda: rate(images, lambda: rewrites(worker, origin.url(LARGE), 2, images)),
        "bare_libvips": lambda: bench.printed([*pinned, folder / "vips-loop", images, photo]),
        "opencv": lambda: bench.printed([*pinned, python, HERE / "python-loop.py", "opencv", images, photo]),
        "vipsthumbnail": lambda: rate(images // 2, lambda: [
            bench.run(thumbnail, VIPS_CONCURRENCY="1") for _ in range(images // 2)]),
        "pillow": lambda: bench.printed([*pinned, python, HERE / "python-loop.py", "pillow", images, photo]),
    }
    contenders["attachd"]()
    samples = in_rounds(contenders, bench.rounds or rounds)
    for part in (worker, origin):
        part.stop()
    target = "at least 1.3 of libvips alone, 1.0 of OpenCV, and 1.4 of vipsthumbnail"
    return compared(samples, "attachd", "images_per_second") | {"target": target}


def make_copies(folder, photo, count):
    """Makes files with one picture but different contents: decoders ignore bytes after the end of a JPEG."""
    folder.mkdir()
    picture = photo.read_bytes()
    for number in range(count):
        (folder / f"{number:04}.jpg").write_bytes(picture + b"%d" % number)
    return sorted(folder.iterdir())


def batch(bench, rounds=3, images=400):
    """12-megapixel JPEGs of a folder on all cores, from the command's start to the report."""
    pinned = ["taskset", "-c", ",".join(map(str, sorted(bench.cores)))]
    with tempfile.TemporaryDirectory(dir=bench.folder) as place:
        # An absolute path: to vipsthumbnail, a name that begins with a dot means standard output.
        place = pathlib.Path(place).resolve()
        files = make_copies(place / "in", bench.folder / LARGE, images)
        out = {name: place / name for name in ("out", "thumbnails")}

        def attachd():
            shutil.rmtree(out["out"], ignore_errors=True)
            command = [bench.program, "batch", place / "in", "--out", out["out"], "--decoders",
                       len(bench.cores)]
            summary = json.loads(bench.run(pinned + command))
            if summary["complete"] != images or summary["reused"]:
                raise RuntimeError(f"not every picture was made: {summary}")

        def bare():
            # Each loop has one core and its share of the files, and keeps its results in memory.
            cores = sorted(bench.cores)
            shares = [(core, files[index::len(cores)]) for index, core in enumerate(cores)]
            with concurrent.futures.ThreadPoolExecutor() as threads:
                list(threads.map(lambda one: bench.run(
                    ["taskset", "-c", one[0], bench.folder / "vips-loop", len(one[1]), *one[1]]), shares))

        def thumbnails():
            shutil.rmtree(out["thumbnails"], ignore_errors=True)
            out["thumbnails"].mkdir()
            name = f"{out['thumbnails']}/%s.jpg[Q=82,optimize_coding,strip]"
            one = f"vipsthumbnail --size '1038x1038>' -o '{name}'"
            command = f"find '{place}/in' -type f -print0 | xargs -0 -n 1 -P {len(bench.cores)} {one}"
            bench.run([*pinned, "bash", "-c", command], VIPS_CONCURRENCY="1")

        attachd()
        contenders = {"attachd": attachd, "bare_libvips": bare, "vipsthumbnail": thumbnails}
        samples = in_rounds({name: lambda work=work: rate(images, work) for name, work in contenders.items()},
                            bench.rounds or rounds)
        report = (out["out"] / "report.html").stat().st_size
    return compared(samples, "attachd", "images_per_second") | {
        "kilobytes_of_report_per_file": round(report / images / 1000, 1),
        "target": "at least 0.9 of libvips alone, and 1.4 of vipsthumbnail"}
