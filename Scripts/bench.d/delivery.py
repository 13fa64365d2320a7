"""The delivery curve: the share of notifications with an attachment at each deadline, from a slow origin.

Each notification's source has its own rate, with a median of MEDIAN seconds for the whole source: half of them take
longer, some much longer. The other contender is what gateways do today: `curl` with the deadline as its time limit,
then `vipsthumbnail`, or `ffmpeg` for a video. Files that are incomplete by then do not count. Both get the same sources,
one right after the other, so that the machine's other work hits both.
"""

import concurrent.futures
import http.client
import json
import math
import random
import subprocess
import tempfile
import time

from sidecar import Sidecar

MEDIAN, SPREAD = 3.0, 0.8
"""The median of the sources' seconds, and the standard deviation of their logarithm."""
DEADLINES = (1, 2, 3, 4, 6, 10)
# A mix as on content servers: progressive pictures prepared for the web, photos as cameras make them, with and without
# a thumbnail inside, and videos made for streaming, of a size that both contenders copy.
MIX = [("progressive.jpg", 0.4), ("camera.jpg", 0.25), ("baseline.jpg", 0.15), ("stream.mp4", 0.2)]


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL, capture_output=True)


def make_sources(folder):
    photo = folder / "photo-12mp.jpg"
    media = folder / "delivery"
    media.mkdir(exist_ok=True)
    if not (media / "stream.mp4").exists():
        run("vips", "copy", photo, f"{media}/baseline.jpg[Q=85,strip]")
        run("vips", "copy", photo, f"{media}/progressive.jpg[Q=85,strip,interlace]")
        run("vipsthumbnail", photo, "-s", 320, "-o", f"{media.resolve()}/thumbnail.jpg[Q=80,strip]")
        run("cp", photo, media / "camera.jpg")
        run("exiftool", "-overwrite_original", f"-ThumbnailImage<={media}/thumbnail.jpg", media / "camera.jpg")
        run("ffmpeg", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30,noise=alls=10:allf=t", "-t", 15, "-c:v", "libx264",
            "-preset", "veryfast", "-pix_fmt", "yuv420p", "-b:v", "1M", "-g", 60, "-movflags", "+faststart", media / "stream.mp4")
    return media


def sources(media, count, seed):
    """Names with the faults that make them slow: the same for both contenders."""
    lots = random.Random(seed)
    for number in range(count):
        name = lots.choices([name for name, _ in MIX], [weight for _, weight in MIX])[0]
        seconds = math.exp(lots.gauss(math.log(MEDIAN), SPREAD))
        rate = max(1, (media / name).stat().st_size / seconds / 1000)
        yield f"{name}?latency=40ms&bandwidth={rate:.0f}kB/s&n={seed}-{number}"


class Origin:
    def __init__(self, program, media):
        self.process = subprocess.Popen([program, "origin", str(media), "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def notify(port, url, deadline):
    """Sends one notification. Returns its outcome and its seconds."""
    body = json.dumps({"payload": {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url}, "deadline": f"{deadline}s"})
    client = http.client.HTTPConnection("127.0.0.1", port)
    start = time.monotonic()
    client.request("POST", "/v1/notifications", body.encode())
    outcome = json.loads(client.getresponse().read())["outcome"]
    return outcome, time.monotonic() - start


def all_or_nothing(url, deadline):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        file = f"{place}/source"
        if subprocess.run(["curl", "-sf", "-m", str(deadline), "-o", file, url]).returncode != 0:
            return "nothing", time.monotonic() - start
        make = ["ffmpeg", "-v", "error", "-i", file, "-t", "10", "-c", "copy", f"{place}/clip.mp4"] if ".mp4" in url \
            else ["vipsthumbnail", "-s", "1038x1038>", "-o", f"{place}/picture.jpg[Q=82,strip]", file]
        made = subprocess.run(make, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    seconds = time.monotonic() - start
    return "complete" if made and seconds <= deadline else "nothing", seconds


def delivery(program, folder, cores, count=400, at_once=20):
    media = make_sources(folder)
    origin = Origin(program, media)
    sidecar = Sidecar(program, cores, len(cores))
    sidecar.wait_until_ready()
    # Lets the sidecar learn the cost of its work, as in its first minute of operation.
    for name, _ in MIX:
        notify(sidecar.port, f"{origin.url}{name}", 20)
    curve = {"attachd, all": [], "attachd, complete": [], "all or nothing": []}
    late, figures = 0, {}
    with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
        for seed, deadline in enumerate(DEADLINES):
            def both(numbered):
                number, source = numbered
                contenders = [lambda url: notify(sidecar.port, url, deadline), lambda url: all_or_nothing(url, deadline)]
                answers = {index: contenders[index](origin.url + source) for index in ((0, 1) if number % 2 else (1, 0))}
                return answers[0], answers[1]

            ours, theirs = zip(*threads.map(both, enumerate(sources(media, count, seed))))
            # Allows a twentieth of a second for the request and the answer on a machine that everything here shares.
            late += sum(seconds > deadline + 0.05 for _, seconds in ours)
            share = {
                "attachd, all": sum(outcome != "original" for outcome, _ in ours) / count,
                "attachd, complete": sum(outcome == "complete" for outcome, _ in ours) / count,
                "all or nothing": sum(outcome == "complete" for outcome, _ in theirs) / count,
            }
            for name, value in share.items():
                curve[name].append([deadline, round(value, 3)])
            figures[f"at_{deadline}_seconds"] = ", ".join(f"{name} {value:.1%}" for name, value in share.items())
    sidecar.stop()
    origin.stop()
    at_half = min(range(len(DEADLINES)), key=lambda index: abs(curve["all or nothing"][index][1] - 0.5))
    return figures | {
        "late": late,
        "deadline_where_all_or_nothing_delivers_half": DEADLINES[at_half],
        "share_of_attachd_there": curve["attachd, all"][at_half][1],
        "curve": curve,
        "target": "at least 0.9 where all-or-nothing delivers half, none late, and at each deadline as many complete as it delivers",
    }
