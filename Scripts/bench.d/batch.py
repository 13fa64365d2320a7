"""Batch throughput on 12-megapixel JPEGs, beside a libvips loop on each core and vipsthumbnail under xargs -P."""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time


def _pictures(folder, photo, count):
    """Makes `count` files with one picture but different contents: decoders ignore bytes after the end of a JPEG."""
    folder.mkdir()
    picture = photo.read_bytes()
    for number in range(count):
        (folder / f"{number:04}.jpg").write_bytes(picture + b"%d" % number)
    return sorted(folder.iterdir())


def _rate(count, work):
    start = time.monotonic()
    work()
    return count / (time.monotonic() - start)


def throughput(program, folder, cores, photo, rounds=3, images=400):
    """Images per second of the whole command, from its start to the report. Every program has the same cores."""
    pinned = ["taskset", "-c", ",".join(map(str, sorted(cores)))]
    environment = dict(os.environ, VIPS_CONCURRENCY="1")
    with tempfile.TemporaryDirectory(dir=folder) as place:
        # An absolute path: to vipsthumbnail, a name that begins with a dot means standard output.
        place = pathlib.Path(place).resolve()
        files = _pictures(place / "in", folder / photo, images)

        def attachd():
            shutil.rmtree(place / "out", ignore_errors=True)
            command = [program, "batch", place / "in", "--out", place / "out", "--decoders", str(len(cores))]
            run = subprocess.run(pinned + command, check=True, capture_output=True, text=True)
            summary = json.loads(run.stdout)
            if summary["complete"] != images or summary["reused"]:
                raise RuntimeError(f"not every picture was made: {summary}")

        def bare():
            # Each loop has one core and its share of the files, and keeps its results in memory.
            shares = [files[index :: len(cores)] for index in range(len(cores))]
            loops = [
                subprocess.Popen(
                    ["taskset", "-c", str(core), folder / "vips-loop", str(len(share)), *share], stdout=subprocess.DEVNULL
                )
                for core, share in zip(sorted(cores), shares)
            ]
            if any([loop.wait() for loop in loops]):
                raise RuntimeError("a libvips loop failed")

        def started():
            shutil.rmtree(place / "thumbnails", ignore_errors=True)
            (place / "thumbnails").mkdir()
            one = f"vipsthumbnail --size '1038x1038>' -o '{place}/thumbnails/%s.jpg[Q=82,optimize_coding,strip]'"
            command = f"find '{place}/in' -type f -print0 | xargs -0 -n 1 -P {len(cores)} {one}"
            subprocess.run(pinned + ["bash", "-c", command], check=True, env=environment)

        attachd()
        samples = [tuple(_rate(images, work) for work in (attachd, bare, started)) for _ in range(rounds)]
        report = (place / "out" / "report.html").stat().st_size
    return {
        "attachd_images_per_second": round(statistics.median(sample[0] for sample in samples), 2),
        "bare_libvips_images_per_second": round(statistics.median(sample[1] for sample in samples), 2),
        "vipsthumbnail_images_per_second": round(statistics.median(sample[2] for sample in samples), 2),
        "ratio_to_bare_libvips": round(statistics.median(sample[0] / sample[1] for sample in samples), 3),
        "ratio_to_vipsthumbnail": round(statistics.median(sample[0] / sample[2] for sample in samples), 3),
        "kilobytes_of_report_per_file": round(report / images / 1000, 1),
        "target": "at least 0.9 and 1.4",
    }
