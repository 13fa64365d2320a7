"""How fast ready files are served, beside nginx serving the same files."""

import pathlib
import re
import statistics
import subprocess
import urllib.parse

from nginx import Nginx
from sidecar import Origin, Sidecar, published


def _requests_per_second(url, core, connections=64, seconds=4):
    command = ["taskset", "-c", str(core), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(f"not every download succeeded: {text}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def downloads(program, folder, cores, photo, rounds=5):
    """Downloads per second of one ready picture, by 64 clients: server and clients have a core each."""
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
        (_requests_per_second(ours, client), _requests_per_second(theirs, client)) for _ in range(rounds)
    ]
    size = (files / name).stat().st_size
    sidecar.stop()
    nginx.stop()
    return {
        "bytes_of_the_file": size,
        "attachd_downloads_per_second": round(statistics.median(sample[0] for sample in samples)),
        "nginx_downloads_per_second": round(statistics.median(sample[1] for sample in samples)),
        "ratio_to_nginx": round(statistics.median(sample[0] / sample[1] for sample in samples), 3),
        "target": "at least 0.7",
    }
