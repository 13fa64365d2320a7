"""Checks a running attachd against its own description: contract.py ATTACHD PYTHON_FOLDER EXAMPLES SEED

Schemathesis sends requests that the description allows and requests that it forbids, and compares every answer with it.
Then a client is made from the description, and its operations are called. Both run without and with a token. The client
also runs without --public-url, where payloads keep the sender's URLs.
"""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

from harness import ROOT, Origin, Worker

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = "0123456789abcdef0123456789abcdef"


@contextlib.contextmanager
def sidecar(attachd, *options, has_links=True):
    """Runs `attachd serve`, and gives its address. It must still run at the end."""
    # Every port is free in the new namespace. The last --listen counts.
    url = "http://127.0.0.1:8080"
    links = ["--public-url", url] if has_links else []
    # There is no address but loopback in the namespace.
    addresses = ["--allow-address", "0.0.0.0/0", "--allow-address", "::/0"]
    worker = Worker(
        attachd, "--listen", "127.0.0.1:8080", "--config", HERE / "attachd.yaml", *addresses, *links, *options)
    try:
        yield url
        if not worker.is_alive:
            raise SystemExit(f"attachd ended with status {worker.process.returncode}:\n{worker.output[-6000:]}")
    finally:
        worker.stop()


def run(*command, **options):
    if subprocess.run([str(word) for word in command], **options).returncode:
        raise SystemExit(f"{pathlib.Path(command[0]).name} failed: see above")


# The link of a ready file, which no generator would find.
LINK = """
[[operations]]
include-name = "{method} /v1/attachments/{{identifier}}"
parameters = {{ "path.identifier" = "{name}", "query.expires" = {expires}, "query.signature" = "{signature}" }}
# Another request may have taken the file back.
checks.positive_data_acceptance.expected-statuses = ["2xx", "3xx", "403", "404", "410"]
"""


def link(url, media_url, headers):
    """Processes an animation, and gives the parts of its link."""
    payload = {"aps": {"alert": "Look!", "mutable-content": 1}, "my-attachment": f"{media_url}/launch.gif"}
    body = json.dumps({"payload": payload}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/notifications", body, headers)) as answer:
        parts = urllib.parse.urlsplit(json.load(answer)["attachments"][0]["url"])
    query = dict(urllib.parse.parse_qsl(parts.query))
    return {"name": parts.path.split("/")[-1], "expires": query["expires"], "signature": query["signature"]}


def test(python, url, media_url, examples, seed, headers):
    # Schemathesis leaves a folder where it runs.
    with tempfile.TemporaryDirectory() as folder:
        found = link(url, media_url, headers)
        config = pathlib.Path(folder, "schemathesis.toml")
        config.write_text("".join(LINK.format(method=method, **found) for method in ("GET", "HEAD")))
        options = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
        run(f"{python}/bin/schemathesis", "--config-file", config, "run", f"{url}/openapi.json",
            "--checks", "all", "--mode", "all",
            "--max-examples", examples, "--seed", seed, "--continue-on-failure", "--generation-database", "none",
            *options, cwd=folder)


def call(python, url, media_url, headers, *options):
    """Makes a client from the description, and calls the operations with it."""
    with tempfile.TemporaryDirectory() as folder:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/openapi.json", headers=headers)) as answer:
            description = pathlib.Path(folder, "openapi.json")
            description.write_text(json.dumps(json.load(answer)))
        run(f"{python}/bin/openapi-python-client", "generate", "--path", description, "--output-path",
            f"{folder}/attachd_client", "--meta", "none", "--config", HERE / "client.yaml", "--fail-on-warning")
        token = ["--token", TOKEN] if headers else []
        run(f"{python}/bin/python", "-B", HERE / "client.py", url, media_url, *token, *options,
            env={"PYTHONPATH": folder})


def main():
    attachd, python, examples, seed = sys.argv[1:]
    python = pathlib.Path(python).resolve()
    origin = Origin(attachd, ROOT / "Samples/media")
    media_url = origin.found.removesuffix("/")
    with tempfile.TemporaryDirectory() as folder:
        token = pathlib.Path(folder, "token")
        token.touch(mode=0o600)
        token.write_text(TOKEN + "\n")
        with sidecar(attachd) as url:
            test(python, url, media_url, examples, seed, {})
            call(python, url, media_url, {})
        with sidecar(attachd, "--api-token-file", token) as url:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            test(python, url, media_url, examples, seed, headers)
            call(python, url, media_url, headers)
        with sidecar(attachd, has_links=False) as url:
            call(python, url, media_url, {}, "--without-links")
    origin.stop()
    print("contract: attachd does what its description says, and refuses what it does not say")


if __name__ == "__main__":
    main()
