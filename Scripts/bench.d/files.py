"""Ready files for phones, on one core: attachd alone, nginx that keeps the files for seconds, nginx that asks attachd for each,
and nginx alone."""

import os
import pathlib
import re
import subprocess
import urllib.parse

from harness import ROOT, Origin, Program, Worker, compared, exchange, free_port, in_rounds
from pictures import LARGE, MEDIUM

SAMPLES = ROOT / "Samples/deploy/nginx"


class Nginx(Program):
    """nginx with one worker that runs as its own user, by a sample, in front of `worker`."""

    def __init__(self, sample, worker, cores):
        folder = worker.folder.name
        os.chmod(folder, 0o755)
        self.port = free_port()
        site = (SAMPLES / sample).read_text().replace("127.0.0.1:8080", f"127.0.0.1:{worker.port}")
        site = site.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port} reuseport; root {folder}/store;")
        site = re.sub(r" *ssl_certificate.*\n", "", site).replace("/var/lib/attachd", f"{folder}/store")
        site = site.replace("/var/cache/attachd-links", f"{folder}/links")
        config = pathlib.Path(folder, "nginx.conf")
        folders = " ".join(f"{name}_temp_path {folder}/{name};"
                           for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config.write_text(
            f"user www-data; worker_processes 1; daemon off; pid {folder}/pid; error_log stderr notice;\n"
            f"events {{ worker_connections 1024; }}\n"
            f"http {{ access_log off; keepalive_requests 100000000; sendfile on; tcp_nopush on; {folders}\n{site} }}\n")
        super().__init__(["/usr/sbin/nginx", "-c", config], r"(start worker process)", cores)


def requests(port, path, seconds=5):
    """Requests a second of 64 clients that keep their connections."""
    text = subprocess.run(
        ["wrk", "-t1", "-c64", f"-d{seconds}s", f"http://127.0.0.1:{port}{path}"],
        check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(text)
    return float(re.search(r"Requests/sec: +([\d.]+)", text)[1])


def link(worker, source):
    """The path and query of a new ready file."""
    worker.wait_until_ready()
    result, _ = worker.notify(source)
    url = urllib.parse.urlsplit(result["attachments"][0]["url"])
    return f"{url.path}?{url.query}"


def files(bench, rounds=5):
    """A picture and a large one. What serves them has one core, and the clients have the others."""
    os.sched_setaffinity(0, bench.other_cores)
    origin = Origin(bench.program, bench.folder, cores=bench.other_cores)
    config = bench.folder / "files.yaml"
    config.write_text("profile: large\nprofiles: {large: {image: {longEdge: 8192, byteBudget: 10000000}}}\n")
    options = ("--config", config, "--public-url", "http://push.example", "--decoders", 1)
    handover = ("--accel-redirect", "nginx:/ready", "--store-group", "www-data")
    plain = Worker(bench.program, *options, cores=bench.worker_cores)
    behind = Worker(bench.program, *options, *handover, cores=bench.worker_cores)
    nginx = Nginx("attachd.conf", behind, bench.worker_cores)
    cached = Nginx("attachd-cached.conf", plain, bench.worker_cores)
    figures = {}
    for kind, source in (("picture", MEDIUM), ("large", LARGE)):
        ours, links = link(plain, origin.url(source)), link(behind, origin.url(source))
        name = pathlib.Path(links.split("?")[0]).name
        size = pathlib.Path(behind.folder.name, "store/attachments", name).stat().st_size
        for port, path in ((plain.port, ours), (nginx.port, links), (cached.port, ours)):
            status, _, body = exchange(port, "GET", path)
            assert (status, len(body)) == (200, size), (status, len(body))
        samples = in_rounds({
            "nginx_cached": lambda path=ours: requests(cached.port, path),
            "behind_nginx": lambda path=links: requests(nginx.port, path),
            "attachd": lambda path=ours: requests(plain.port, path),
            "nginx": lambda path=f"/attachments/{name}": requests(nginx.port, path),
        }, bench.rounds or rounds)
        result = compared(samples, "nginx_cached", "per_second") | {"bytes": size}
        for way in ("behind_nginx", "attachd"):
            result[f"{way}_to_nginx"] = compared(samples, way, "per_second")["ratio_to_nginx"]
        figures |= {f"{kind}_{key}": value for key, value in result.items()}
    for part in (cached, nginx, behind, plain, origin):
        part.stop()
    return figures | {"target": "0.9 of nginx behind nginx, 0.5 alone"}
