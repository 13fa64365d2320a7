"""Ready files for phones: attachd alone, attachd behind nginx that sends the files, and nginx alone, on one core."""

import os
import pathlib
import re
import subprocess
import urllib.parse

from harness import ROOT, Origin, Program, Worker, compared, exchange, free_port, in_rounds
from pictures import LARGE, MEDIUM

SITE = ROOT / "Samples/deploy/nginx/attachd.conf"


class Nginx(Program):
    """nginx with one worker that runs as its own user, by the sample."""

    def __init__(self, worker, store, cores):
        self.port = free_port()
        site = SITE.read_text().replace("127.0.0.1:8080", f"127.0.0.1:{worker.port}")
        site = site.replace("listen 443 ssl;", f"listen 127.0.0.1:{self.port} reuseport; root {store};")
        site = re.sub(r" *ssl_certificate.*\n", "", site).replace("/var/lib/attachd", store)
        config = pathlib.Path(store).with_name("nginx.conf")
        folders = " ".join(f"{name}_temp_path {store}/../{name};"
                           for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config.write_text(
            f"user www-data; worker_processes 1; daemon off; pid {store}/../pid; error_log stderr notice;\n"
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
    options = ("--config", config, "--public-url", "http://push.example", "--store-group", "www-data", "--decoders", 1)
    plain = Worker(bench.program, *options, cores=bench.worker_cores)
    behind = Worker(bench.program, *options, "--accel-redirect", "nginx:/ready", cores=bench.worker_cores)
    os.chmod(behind.folder.name, 0o755)
    store = f"{behind.folder.name}/store"
    nginx = Nginx(behind, store, bench.worker_cores)
    figures = {}
    for kind, source in (("picture", MEDIUM), ("large", LARGE)):
        ours, links = link(plain, origin.url(source)), link(behind, origin.url(source))
        name = pathlib.Path(links.split("?")[0]).name
        size = pathlib.Path(store, "attachments", name).stat().st_size
        for port, path in ((plain.port, ours), (nginx.port, links)):
            status, _, body = exchange(port, "GET", path)
            assert (status, len(body)) == (200, size), (status, len(body))
        samples = in_rounds({
            "behind_nginx": lambda path=links: requests(nginx.port, path),
            "attachd": lambda path=ours: requests(plain.port, path),
            "nginx": lambda path=f"/attachments/{name}": requests(nginx.port, path),
        }, bench.rounds or rounds)
        behind_nginx = compared(samples, "behind_nginx", "per_second") | {
            "attachd_to_nginx": compared(samples, "attachd", "per_second")["ratio_to_nginx"], "bytes": size}
        figures |= {f"{kind}_{key}": value for key, value in behind_nginx.items()}
    for part in (nginx, behind, plain, origin):
        part.stop()
    return figures | {"target": "0.9 of nginx behind nginx, 0.5 alone"}
