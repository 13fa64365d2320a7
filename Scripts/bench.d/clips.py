"""Clips of long videos, beside ffmpeg with the same settings on the same cores."""

import json
import os
import pathlib
import struct
import subprocess
import time

from harness import Origin, Worker, exchange, in_rounds, median, payload
from pictures import distinct

# The copy needs a profile that allows 1080p. The other benchmark goes from 1080p to 720p.
PROFILES = """
profiles:
  large: {basedOn: apns, video: {longEdge: 1920, byteBudget: 9000000, byteLimit: 50000000, duration: 10s}}
  hd: {basedOn: apns, video: {longEdge: 1280, byteBudget: 5000000, byteLimit: 50000000, duration: 10s}}
"""
FRONT, END = "clip-front.mp4", "clip-end.mp4"
OUTPUT = pathlib.Path("/dev/shm/attachd-bench.mp4")


def ffmpeg(*arguments, pinned=()):
    """Runs ffmpeg. Returns its seconds."""
    start = time.monotonic()
    command = [*pinned, "ffmpeg", "-v", "error", "-y", *map(str, arguments)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return time.monotonic() - start


def make_sources(folder):
    """Ten minutes of 1080p in 300 MB, with the index in front and at the end."""
    if (folder / END).exists():
        return
    picture = ["-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30,noise=alls=12:allf=t"]
    sound = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000"]
    x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", 60, "-c:a", "aac", "-b:a",
            "128k"]
    rate = ["-b:v", "4M", "-maxrate", "4.5M", "-bufsize", "8M"]
    ffmpeg(*picture, *sound, "-t", 20, *x264, *rate, folder / "part.mp4")
    ffmpeg("-stream_loop", 28, "-i", folder / "part.mp4", "-c", "copy", "-movflags", "+faststart",
           folder / FRONT)
    ffmpeg("-i", folder / FRONT, "-c", "copy", folder / END)


def index_size(path):
    """The size of the outermost box `moov`, in bytes."""
    with path.open("rb") as file:
        while header := file.read(16):
            size, kind = struct.unpack(">I4s", header[:8])
            size = struct.unpack(">Q", header[8:])[0] if size == 1 else size
            if kind == b"moov":
                return size
            file.seek(size - 16, os.SEEK_CUR)


class Clips:
    """A worker that takes clips, and an origin that counts its bytes."""

    def __init__(self, bench):
        make_sources(bench.folder)
        self.pinned = ["taskset", "-c", ",".join(map(str, sorted(bench.cores)))]
        self.origin = Origin(bench.program, bench.folder, "--log", cores=bench.cores)
        configuration = bench.folder / "profiles.yaml"
        configuration.write_text(PROFILES)
        self.worker = Worker(bench.program, "--file-urls", "--config", configuration, cores=bench.cores,
                             decoders=len(bench.cores))
        self.worker.wait_until_ready()

    def stop(self):
        self.worker.stop()
        self.origin.stop()

    def clip(self, name, profile, rung):
        """Processes one notification, which must end with this rung. Returns its attachment and seconds."""
        body = {"payload": payload(distinct(self.origin.url(name))), "profile": profile, "deadline": "60s"}
        start = time.monotonic()
        result = json.loads(exchange(self.worker.port, "POST", "/v1/notifications", body)[2])
        seconds = time.monotonic() - start
        attachment = result["attachments"][0] if result["attachments"] else {}
        if attachment.get("rung") != rung:
            raise RuntimeError(f"expected {rung}, got {json.dumps(result)[:2000]}")
        return attachment, seconds

    def compared(self, name, profile, rung, rounds, *settings):
        """The seconds of both, the ratio, and our attachment."""
        attachment, _ = self.clip(name, profile, rung)
        samples = in_rounds({
            "attachd": lambda: self.clip(name, profile, rung)[1],
            "ffmpeg": lambda: ffmpeg(*settings, OUTPUT, pinned=self.pinned)}, rounds)
        ratio = median([ours / theirs for ours, theirs in zip(samples["attachd"], samples["ffmpeg"])])
        return attachment, median(samples["attachd"]), median(samples["ffmpeg"]), ratio


def copied(bench):
    """The copied clip of a 300 MB file, with its index in front and at the end."""
    clips, results = Clips(bench), {}
    for place, name in (("front", FRONT), ("end", END)):
        clips.clip(name, "large", "copied")
        before = len(clips.origin.answers())
        attachment, _ = clips.clip(name, "large", "copied")
        sent = clips.origin.answers()[before:]
        needed = index_size(bench.folder / name) + attachment["bytes"]
        settings = ["-i", clips.origin.url(name), "-t", 10, "-c", "copy"]
        _, ours, theirs, ratio = clips.compared(name, "large", "copied", bench.rounds or 11, *settings)
        results |= {
            f"bytes_index_in_{place}": sum(sent), f"requests_index_in_{place}": len(sent),
            f"ratio_to_index_and_clip_{place}": round(sum(sent) / needed, 3), f"seconds_{place}": ours,
            f"seconds_of_ffmpeg_{place}": theirs, f"ratio_to_ffmpeg_{place}": ratio,
        }
    clips.stop()
    return results | {"target": "at most 1.1 times the bytes of index and clip, and ffmpeg's time"}


def transcoded(bench):
    """1080p to 720p, beside ffmpeg with the same preset, rates, scaler and threads."""
    clips = Clips(bench)
    rate = int(5_000_000 * 8 * 0.92 / 11) - 128_000
    settings = ["-threads", 2, "-i", clips.origin.url(FRONT), "-t", 10, "-vf", "scale=1280:720:flags=bicubic",
                "-c:v", "libx264", "-preset", "veryfast", "-crf", 23, "-maxrate", rate, "-bufsize", rate,
                "-threads", 2, "-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart"]
    attachment, ours, theirs, ratio = clips.compared(FRONT, "hd", "transcoded", bench.rounds or 5, *settings)
    clips.stop()
    return {
        "seconds": ours, "seconds_of_ffmpeg": theirs, "ratio_to_ffmpeg": ratio, "bytes": attachment["bytes"],
        "bytes_of_ffmpeg": OUTPUT.stat().st_size, "target": "at most 1.05 times ffmpeg's time",
    }
