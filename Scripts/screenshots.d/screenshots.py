"""Takes pictures of the preview and of the reports: screenshots.py ATTACHD FOLDER [README_FOLDER]"""

import contextlib
import functools
import pathlib
import subprocess
import sys
import tempfile

from harness import ROOT, Origin, Program, Worker
from webdriver import Browser

SAMPLES = ROOT / "Samples"
# Name, sample, width, switches to turn on, and the part of the page; None is all of it.
PICTURES = [
    ("page", "event-invite", 1440, [], None),
    ("page-dark", "photo", 1440, ["theme"], None),
    ("page-narrow", "message", 420, [], None),
    ("invitation", "event-invite", 1440, [], ".places"),
    ("message-dark", "message", 1440, ["theme"], ".places"),
    ("video", "video", 1440, [], ".places"),
    ("animation", "animation", 1440, [], ".places"),
    ("sound", "sound", 1440, [], ".places"),
    ("right-to-left", "onesignal", 1440, ["direction", "width"], ".places"),
    ("before", "photo", 1440, ["state"], ".places"),
    ("phone", "event-invite", 390, [], None),
    ("phone-dark", "photo", 390, ["theme"], None),
    ("desk", "photo", 1280, [], None),
]
WIDTHS = {"phone": 390, "desk": 1280}
# The pictures for the documentation. They are made small with few colours and a width of 900 pixels.
README = {"report": ("photo", ["theme"], ".report"), "preview": ("event-invite", [], ".places")}
SMALL = "scale='min(900,iw)':-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=160[p];[b][p]paletteuse=dither=none"


# A notification before and after, for the README. It has twice its size, because it is mostly text.
BEFORE_AFTER = pathlib.Path(__file__).with_name("before-after.html").resolve()
CRISP = "scale='min(1600,iw)':-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a"


@contextlib.contextmanager
def preview(attachd):
    """Runs media, webhook and `attachd serve` on free ports. Gives a function that shows a sample in a browser."""
    media = Origin(attachd, SAMPLES / "media")
    webhook = Program([sys.executable, "-u", SAMPLES / "preview/webhook.py", "0"], r"(\d+)\n")
    worker = Worker(attachd, "--config", SAMPLES / "preview/attachd.yaml", "--response-webhook",
                    f"http://127.0.0.1:{webhook.found}/responses")
    yield functools.partial(show, f"{worker.url}/preview", media.url(""))
    for program in (worker, webhook, media):
        program.stop()


def show(page, media, browser, sample, switches):
    payload = (SAMPLES / f"payloads/{sample}.json").read_text().replace("http://127.0.0.1:8099/", media)
    browser.open(page)
    browser.run(
        """document.getElementById("payload").value = arguments[0];
           document.getElementById("payload").dispatchEvent(new Event("input"));
           document.getElementById("show").click();""",
        payload,
    )
    browser.wait("return document.getElementById('status').textContent === 'Shown.'")
    browser.wait("return [...document.querySelectorAll('iframe')].every(frame => 'settled' in frame.dataset)")
    browser.wait("return [...document.querySelectorAll('video')].every(video => video.readyState >= 3)")
    for switch in switches:
        browser.run("document.querySelector(`[data-switch=${arguments[0]}]`).click()", switch)
    browser.run("return new Promise(resolve => setTimeout(resolve, 600))")


def take_reports(browser, attachd, folder):
    """Takes pictures of the reports of a small batch and of a short load test, on a phone and on a desk."""
    with tempfile.TemporaryDirectory() as work:
        pages = {"batch": f"{work}/ready/report.html", "load-test": f"{work}/load.html"}
        run = functools.partial(subprocess.run, check=True, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        run([attachd, "batch", SAMPLES / "media", "--out", f"{work}/ready"])
        run([attachd, "loadtest", "--spawn", "--rate", "0.5x,0.8x", "--duration", "4s", "--warm-up", "2s",
             "--budget", "late=0", "--report", pages["load-test"]])
        for name, page in pages.items():
            for kind, width in WIDTHS.items():
                browser.resize(width, 900)
                browser.open(pathlib.Path(page).as_uri())
                (folder / f"{name}-{kind}.png").write_bytes(browser.picture())


def write_small(picture, filters, target):
    command = ["ffmpeg", "-v", "error", "-y", "-f", "png_pipe", "-i", "-", "-vf", filters, target]
    subprocess.run(command, input=picture, check=True)


def before_after(browser, target):
    browser.resize(1120, 700, scale=2)
    browser.open(BEFORE_AFTER.as_uri())
    browser.wait("return [...document.images].every(image => image.complete)")
    write_small(browser.picture(".figure"), CRISP, target)


def main():
    attachd, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with preview(attachd) as show, Browser() as browser:
        for name, sample, width, switches, part in PICTURES:
            browser.resize(width, 1000, dark="theme" in switches)
            show(browser, sample, switches)
            (folder / f"{name}.png").write_bytes(browser.picture(part))
        take_reports(browser, attachd, folder)
    if len(sys.argv) > 3:
        # In a preview of its own, nothing was made before.
        with preview(attachd) as show, Browser() as browser:
            for name, (sample, switches, part) in README.items():
                browser.resize(1440, 1000, dark="theme" in switches)
                show(browser, sample, switches)
                write_small(browser.picture(part), SMALL, pathlib.Path(sys.argv[3]) / f"{name}.png")
            before_after(browser, pathlib.Path("docs/before-after.png"))


if __name__ == "__main__":
    main()
