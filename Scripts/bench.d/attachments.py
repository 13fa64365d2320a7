"""The speed of serving ready files, beside nginx with the same files."""

import os
import pathlib
import re
import statistics
import subprocess
import urllib.parse

from nginx import Nginx
from sidecar import Origin, Sidecar, published


def _processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _load(url, server, core, connections=64, seconds=4):
    """Downloads per second, and the server's microseconds of processor time for each."""
    command = ["taskset", "-c", str(core), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url]
    before = _processor_seconds(server)
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    used = _processor_seconds(server) - before
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(f"not every download succeeded: {text}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), 1e6 * used / int(re.search(r"(\d+) requests in", text)[1])


def downloads(program, folder, cores, photo, rounds=5):
    """Downloads per second of one ready picture, by 64 clients. The server and the clients have a core each."""
    server, client = min(cores), max(cores)
    origin = Origin(folder, cores)
    sidecar = Sidecar(program, {server}, 1, ["--public-url", "http://127.0.0.1"])
    sidecar.wait_until_ready()
    path = urllib.parse.urlsplit(published(sidecar.client(), origin.url(photo)))
    origin.stop()
    files = pathlib.Path(sidecar.folder.name, "store/attachments")
    nginx = Nginx(files, core=server)
    name = pathlib.Path(path.path).name
    ours = f"http://127.0.0.1:{sidecar.port}{path.path}?{path.query}"
    theirs = nginx.url(name)
    samples = [
        (_load(ours, sidecar.process, client), _load(theirs, nginx.process, client)) for _ in range(rounds)
    ]
    size = (files / name).stat().st_size
    sidecar.stop()
    nginx.stop()
    return {
        "bytes_of_the_file": size,
        "attachd_downloads_per_second": round(statistics.median(ours for (ours, _), _ in samples)),
        "nginx_downloads_per_second": round(statistics.median(theirs for _, (theirs, _) in samples)),
        "ratio_to_nginx": round(statistics.median(ours / theirs for (ours, _), (theirs, _) in samples), 3),
        "attachd_processor_microseconds": round(statistics.median(cost for (_, cost), _ in samples), 1),
        "nginx_processor_microseconds": round(statistics.median(cost for _, (_, cost) in samples), 1),
        "target": "at least 0.4",
    }
