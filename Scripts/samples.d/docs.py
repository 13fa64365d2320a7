"""Runs the commands of the documentation that are marked <!-- run -->, page by page, each page in its own folder.

A page's folder has payload.json (the sample's photo on loopback) and an album of two photos. A server runs until the
page ends; any other command must succeed.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, "Scripts/docs.d")
import pages

programs = pathlib.Path(sys.argv[1]).resolve()
media = pathlib.Path("Samples/media").resolve()
payloads = pathlib.Path("Samples/payloads").resolve()
servers = ("attachd serve", "attachd work", "attachd origin", "redis-server")


def typed(lines):
    """The commands of a block, each with the output on the page. A command begins with "$ " and continues on the
    next line after a backslash.
    """
    commands, goes_on = [], False
    for line in lines:
        if goes_on:
            commands[-1][0] += "\n" + line
        elif line.startswith("$ "):
            commands.append([line[2:], ""])
        elif commands:
            commands[-1][1] += line + "\n"
        goes_on = (goes_on or line.startswith("$ ")) and line.endswith("\\")
    return commands


def is_as_shown(shown, output):
    """Keeps only the outcome of the output, because times and names differ."""
    return all(word in output for word in ("complete", "finished") if word in shown)


def wait_for_server(process):
    for _ in range(300):
        try:
            urllib.request.urlopen("http://127.0.0.1:8080/readyz", timeout=5)
            return
        except OSError:
            if process.poll() is not None:
                sys.exit(f"the server ended with status {process.returncode}")
            time.sleep(0.1)
    sys.exit("the server never became ready")


def run(page, folder):
    environment = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "ATTACHD_ALLOW_ADDRESSES": "127.0.0.1",
        "ATTACHD_STORE": str(folder / "store"),
        "ATTACHD_LOG_LEVEL": "error",
    }
    work = folder / "work"
    (work / "album").mkdir(parents=True)
    for name in ("hut.jpg", "cut.jpg"):
        shutil.copy(media / "photo.jpg", work / "album" / name)
    shutil.copy(payloads / "photo.json", work / "payload.json")
    started = []
    try:
        for number, mark, lines in pages.commands(page):
            for command, shown in typed(lines) if mark == "<!-- run -->" else []:
                print(f"{page}:{number}: {command}", flush=True)
                if command.startswith(servers):
                    started.append(subprocess.Popen(
                        ["bash", "-c", f"exec {command}"], cwd=work, env=environment, stdout=subprocess.DEVNULL,
                    ))
                    if command.startswith("attachd serve"):
                        wait_for_server(started[-1])
                else:
                    done = subprocess.run(
                        ["bash", "-o", "pipefail", "-c", command], cwd=work, env=environment, timeout=120,
                        stdout=subprocess.PIPE, text=True,
                    )
                    if done.returncode or not is_as_shown(shown, done.stdout):
                        sys.exit(f"{page}:{number}: not as shown, status {done.returncode}: {command}\n{done.stdout}")
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            process.wait(60)


for page in pages.all_pages():
    if pages.is_documentation(page) and any(mark == "<!-- run -->" for _, mark, _ in pages.commands(page)):
        with tempfile.TemporaryDirectory() as folder:
            run(page, pathlib.Path(folder))
