"""Clips of long videos, beside ffmpeg with the same settings on the same cores."""

import json
import os
import pathlib
import statistics
import struct
import subprocess
import time

from nginx import Nginx
from sidecar import Sidecar, distinct

# The copy needs a profile that allows 1080p. The other benchmark goes from 1080p to 720p.
PROFILES = """
profiles:
  large: {basedOn: apns, video: {longEdge: 1920, byteBudget: 9000000, byteLimit: 50000000, duration: 10s}}
  hd: {basedOn: apns, video: {longEdge: 1280, byteBudget: 5000000, byteLimit: 50000000, duration: 10s}}
"""
FRONT, END, HUGE = "clip-front.mp4", "clip-end.mp4", "clip-2160p.mp4"


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


def make_sources(folder):
    """Ten minutes of 1080p in 300 MB, with the index in front and at the end; ten seconds of 2160p."""
    x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", 60, "-c:a", "aac", "-b:a", "128k"]
    sound = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000"]
    if not (folder / END).exists():
        picture = ["-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30,noise=alls=12:allf=t"]
        rate = ["-b:v", "4M", "-maxrate", "4.5M", "-bufsize", "8M"]
        ffmpeg(*picture, *sound, "-t", 20, *x264, *rate, folder / "part.mp4")
        ffmpeg("-stream_loop", 28, "-i", folder / "part.mp4", "-c", "copy", "-movflags", "+faststart", folder / FRONT)
        ffmpeg("-i", folder / FRONT, "-c", "copy", folder / END)
    if not (folder / HUGE).exists():
        picture = ["-f", "lavfi", "-i", "testsrc2=size=3840x2160:rate=120,noise=alls=20:allf=t"]
        ffmpeg(*picture, *sound, "-t", 11, *x264, "-b:v", "40M", "-movflags", "+faststart", folder / HUGE)


def index_size(path):
    """The size of the outermost box `moov`, in bytes."""
    with path.open("rb") as file:
        while header := file.read(16):
            size, kind = struct.unpack(">I4s", header[:8])
            size = struct.unpack(">Q", header[8:])[0] if size == 1 else size
            if kind == b"moov":
                return size
            file.seek(size - 16, os.SEEK_CUR)


def median(values):
    return round(statistics.median(values), 4)


class Clips:
    """A sidecar that takes clips, and an origin that counts its bytes."""

    def __init__(self, program, folder, cores):
        make_sources(folder)
        self.folder, self.cores = folder, cores
        self.origin = Nginx(folder, logs=True)
        configuration = folder / "profiles.yaml"
        configuration.write_text(PROFILES)
        self.sidecar = Sidecar(program, cores, len(cores), ["--config", str(configuration)])
        self.sidecar.wait_until_ready()

    def stop(self):
        self.sidecar.stop()
        self.origin.stop()

    def clip(self, name, profile, deadline="60s"):
        """Processes one notification. Returns its seconds and its result."""
        payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": distinct(self.origin.url(name))}
        body = json.dumps({"payload": payload, "profile": profile, "deadline": deadline})
        client = self.sidecar.client()
        start = time.monotonic()
        client.request("POST", "/v1/notifications", body.encode())
        response = client.getresponse()
        result = json.loads(response.read())
        return time.monotonic() - start, result

    def ffmpeg(self, *arguments):
        """Runs ffmpeg on the sidecar's cores. Returns its seconds."""
        cores = ",".join(map(str, sorted(self.cores)))
        start = time.monotonic()
        subprocess.run(["taskset", "-c", cores, "ffmpeg", "-v", "error", "-y", *map(str, arguments), "/dev/shm/attachd-bench.mp4"],
                       check=True, stdin=subprocess.DEVNULL)
        return time.monotonic() - start


def rung(result, expected):
    attachment = result["attachments"][0] if result["attachments"] else {}
    if attachment.get("rung") != expected:
        raise RuntimeError(f"expected {expected}, got {json.dumps(result)[:2000]}")
    return attachment


def copied(program, folder, cores, rounds=11):
    """The copied clip of a 300 MB file, with its index in front and at the end."""
    clips = Clips(program, folder, cores)
    results = {}
    for place, name in (("front", FRONT), ("end", END)):
        clips.clip(name, "large")
        clips.origin.forget()
        attachment = rung(clips.clip(name, "large")[1], "copied")
        sent = clips.origin.sent()
        needed = index_size(folder / name) + attachment["bytes"]
        samples = [(clips.clip(name, "large")[0], clips.ffmpeg("-i", clips.origin.url(name), "-t", 10, "-c", "copy"))
                   for _ in range(rounds)]
        results |= {
            f"bytes_index_in_{place}": sum(count for count, _ in sent),
            f"requests_index_in_{place}": len(sent),
            f"ratio_to_index_and_clip_{place}": round(sum(count for count, _ in sent) / needed, 3),
            f"milliseconds_{place}": median([sample[0] * 1000 for sample in samples]),
            f"milliseconds_of_ffmpeg_{place}": median([sample[1] * 1000 for sample in samples]),
            f"ratio_to_ffmpeg_{place}": median([sample[0] / sample[1] for sample in samples]),
        }
    clips.stop()
    return results | {"target": "at most 1.1 times the bytes of index and clip, and 1 time ffmpeg's time"}


def transcoded(program, folder, cores, rounds=5):
    """1080p to 720p, beside ffmpeg with the same preset, rates, scaler and threads."""
    clips = Clips(program, folder, cores)
    attachment = rung(clips.clip(FRONT, "hd")[1], "transcoded")
    rate = int(5_000_000 * 8 * 0.92 / 11) - 128_000
    settings = ["-threads", 2, "-i", clips.origin.url(FRONT), "-t", 10, "-vf", "scale=1280:720:flags=bicubic",
                "-c:v", "libx264", "-preset", "veryfast", "-crf", 23, "-maxrate", rate, "-bufsize", rate, "-threads", 2,
                "-c:a", "aac", "-b:a", "128k", "-movflags", "+faststart"]
    samples = [(clips.clip(FRONT, "hd")[0], clips.ffmpeg(*settings)) for _ in range(rounds)]
    size = pathlib.Path("/dev/shm/attachd-bench.mp4").stat().st_size
    clips.stop()
    return {
        "seconds": median([sample[0] for sample in samples]),
        "seconds_of_ffmpeg": median([sample[1] for sample in samples]),
        "ratio_to_ffmpeg": median([sample[0] / sample[1] for sample in samples]),
        "bytes": attachment["bytes"],
        "bytes_of_ffmpeg": size,
        "target": "at most 1.05 times ffmpeg's time",
    }


def deadline(program, folder, cores, jobs=100):
    """Jobs whose re-encoding takes longer than their two seconds. Counts the answers in time by their rungs."""
    clips = Clips(program, folder, cores)
    # Runs before the sidecar has learned the cost, so that it tries each time.
    answers = [clips.clip(HUGE, "apns", "2s") for _ in range(jobs)]
    whole, result = clips.clip(HUGE, "apns")
    rung(result, "transcoded")
    clips.stop()
    others = [result for seconds, result in answers
              if result["outcome"] != "degraded" or seconds > 2
              or result["attachments"][0]["rung"] not in ("copied", "poster")]
    return {
        "seconds_without_deadline": round(whole, 2),
        "degraded_in_time": f"{jobs - len(others)} of {jobs}",
        "others": [[result["outcome"], result["errors"], result["timings"]] for result in others],
        "slowest_seconds": round(max(seconds for seconds, _ in answers), 3),
        "least_margin_milliseconds": min(result["margin"] for _, result in answers),
        "target": "all of them, and some ten seconds without the deadline",
    }
