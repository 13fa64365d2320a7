"""How many of ten clips as phones make them move at deadlines of 3, 6 and 10 s on busy cores, beside ffmpeg with all or nothing."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import time

from harness import ffmpeg

DEADLINES = (3, 6, 10)
SCENE = "mandelbrot=s={}:r={}:start_scale=2:end_scale=0.3:end_pts=400,noise=alls=8:allf=t"
HLG = "-color_primaries bt2020 -color_trc arib-std-b67 -colorspace bt2020nc"
X264, X265 = "-pix_fmt yuv420p -c:v libx264 -preset veryfast", "-c:v libx265 -preset ultrafast -x265-params log-level=error -tag:v hvc1"
PHONES = {
    "1080p30-hevc.mov": ("1920x1080", 30, f"-pix_fmt yuv420p {X265} -b:v 8M"),
    "1080p30-hevc10-hlg.mov": ("1920x1080", 30, f"-pix_fmt yuv420p10le {HLG} {X265} -b:v 8M"),
    "1080p60-hevc.mov": ("1920x1080", 60, f"-pix_fmt yuv420p {X265} -b:v 12M"),
    "2160p30-hevc10-hlg.mov": ("3840x2160", 30, f"-pix_fmt yuv420p10le {HLG} {X265} -b:v 24M"),
    "720p30-hevc10.mp4": ("1280x720", 30, f"-pix_fmt yuv420p10le {X265} -b:v 5M"),
    "1080p30-h264.mp4": ("1920x1080", 30, f"{X264} -b:v 16M"),
    "2160p30-h264.mp4": ("3840x2160", 30, f"{X264} -b:v 40M"),
    "480p-h264.mp4": ("848x478", 30, f"{X264} -b:v 1M"),
    "720p-vp9.webm": ("1280x720", 30, "-pix_fmt yuv420p -c:v libvpx-vp9 -cpu-used 8 -deadline realtime -b:v 2M"),
    "screen-h264.mp4": ("886x1920", 60, f"{X264} -b:v 6M"),
}
WHOLE = ("-t 10 -vf scale=w=720:h=720:force_original_aspect_ratio=decrease:force_divisible_by=2 -r 30 "
         "-c:v libx264 -preset veryfast -crf 23 -pix_fmt yuv420p -c:a aac -movflags +faststart").split()


def make(folder):
    folder.mkdir(exist_ok=True)
    for name, (size, rate, coding) in PHONES.items():
        if not (folder / name).exists():
            sound = "-c:a libopus" if name.endswith("webm") else "-c:a aac"
            ffmpeg("-f", "lavfi", "-i", SCENE.format(size, rate), "-f", "lavfi", "-i", "sine=440:r=48000", "-t", "12",
                   *coding.split(), *sound.split(), folder / name)


def delivered(program, path, deadline):
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "in").mkdir()
        shutil.copy(path, work / "in")
        subprocess.run([program, "batch", work / "in", "--out", work / "out", "--store", work / "store", "--deadline", f"{deadline}s"],
                       capture_output=True)
        made = (json.loads((work / "out/manifest.jsonl").read_text())["attachments"] or [{}])[0]
    return made.get("frames") or 0, f"{made.get('rung')} of {(made.get('duration') or 0) / 1000:.1f} s, {made.get('frames')} frames"


def converted(path, deadline):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        try:
            subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, *WHOLE, f"{work}/out.mp4"], timeout=deadline, capture_output=True)
        except subprocess.TimeoutExpired:
            return False, "nothing"
    return True, f"whole after {time.monotonic() - start:.1f} s"


def clips(bench):
    folder = bench.folder / "clips"
    make(folder)
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in bench.cores]
    result = {}
    try:
        for deadline in DEADLINES:
            moving = [0, 0]
            for name in PHONES:
                frames, ours = delivered(bench.program, folder / name, deadline)
                is_whole, theirs = converted(folder / name, deadline)
                moving = [moving[0] + (frames > 1), moving[1] + is_whole]
                result[f"{deadline} s: {name}"] = f"{ours}; ffmpeg: {theirs}"
            result[f"moving after {deadline} s: attachd, ffmpeg"] = moving
    finally:
        for process in busy:
            process.kill()
    return result
