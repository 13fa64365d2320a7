"""Inline pictures: what they add to the payloads of all dialects, and what they cost the decoder."""

import json
import pathlib
import statistics
import tempfile
import time

from sidecar import Origin, Sidecar, distinct

PROJECT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATION = """
profile: phone
profiles:
  phone: {basedOn: apns, inline: %s}
"""
PICTURES = ["photo-320.jpg", "photo-1600.jpg", "photo-12mp.jpg"]


def _located(value, origin, numbers):
    """The payload with a picture of the origin in place of each URL that it names."""
    if isinstance(value, dict):
        return {key: _located(item, origin, numbers) for key, item in value.items()}
    if isinstance(value, list):
        return [_located(item, origin, numbers) for item in value]
    if isinstance(value, str) and value.startswith(("http://", "https://")):
        return origin.url(PICTURES[next(numbers) % len(PICTURES)])
    return value


def _without_inline(value):
    """The payload without inline pictures, with all file URLs and identifiers alike: each sidecar has its own."""
    if isinstance(value, dict):
        return {key: _without_inline(item) for key, item in value.items() if key not in ["inline", "identifier"]}
    if isinstance(value, list):
        return [_without_inline(item) for item in value]
    return "file" if isinstance(value, str) and "file:" in value else value


def _inline_pictures(value):
    if isinstance(value, dict):
        found = [value["inline"]] if isinstance(value.get("inline"), dict) and "thumbhash" in value["inline"] else []
        return found + [picture for item in value.values() for picture in _inline_pictures(item)]
    return [picture for item in value for picture in _inline_pictures(item)] if isinstance(value, list) else []


def _rewrite(client, payload):
    start = time.monotonic()
    client.request("POST", "/v1/rewrite", payload)
    response = client.getresponse()
    body = response.read()
    return response, body, time.monotonic() - start


def _payloads(origin):
    """The payloads of the golden files of all dialects, and of the samples, at least 200."""
    files = sorted(PROJECT.glob("Tests/PayloadsTests/Golden/*.json"))
    payloads = [json.loads(file.read_text()).get("payload") for file in files]
    payloads += [json.loads(file.read_text()) for file in sorted(PROJECT.glob("Samples/payloads/*.json"))]
    # Once more, nearly full.
    payloads = [payload for payload in payloads if isinstance(payload, dict)]
    payloads += [payload | {"filler": "x" * 2_500} for payload in payloads]
    numbers = iter(range(1_000_000))
    return [json.dumps(_located(payload, origin, numbers)).encode() for payload in payloads]


def inline(program, folder, worker_cores, other_cores, images=120):
    origin = Origin(folder, other_cores)
    sidecars = {}
    for rule in ["auto", "off"]:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(CONFIGURATION % rule)
        sidecars[rule] = Sidecar(program, worker_cores, 1, ["--config", file.name])
        sidecars[rule].wait_until_ready()
    clients = {rule: sidecar.client() for rule, sidecar in sidecars.items()}
    counts = {"payloads": 0, "with_attachments": 0, "with_hash": 0, "with_picture": 0, "over_limit": 0, "otherwise_different": 0}
    added = []
    for payload in _payloads(origin):
        answers = {}
        for rule, client in clients.items():
            response, body, _ = _rewrite(client, payload)
            answers[rule] = (response.status, response.headers["Attachd-Outcome"], body)
        counts["payloads"] += 1
        if answers["auto"][:2] != answers["off"][:2]:
            counts["otherwise_different"] += 1
            continue
        if answers["auto"][0] != 200 or answers["auto"][1] == "original":
            continue
        counts["with_attachments"] += 1
        with_inline, without = (json.loads(answers[rule][2]) for rule in ["auto", "off"])
        pictures = _inline_pictures(with_inline)
        counts["with_hash"] += bool(pictures)
        counts["with_picture"] += any("data" in picture for picture in pictures)
        # A service's request contains payloads, each with the limit for itself.
        counts["over_limit"] += "aps" in with_inline and len(answers["auto"][2]) > 4096
        # A payload that is nearly full may lose its picture, but nothing that it has without.
        counts["otherwise_different"] += _without_inline(with_inline) != _without_inline(without)
        added.append(len(answers["auto"][2]) - len(answers["off"][2]))
    seconds = {rule: [] for rule in sidecars}
    for name in PICTURES:
        for _ in range(images // len(PICTURES)):
            for rule, client in clients.items():
                payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": distinct(origin.url(name))}
                seconds[rule].append((name, _rewrite(client, json.dumps(payload).encode())[2]))
    times = {
        f"milliseconds_{rule}_{name.removesuffix('.jpg')}":
            round(1000 * statistics.median(second for which, second in samples if which == name), 2)
        for rule, samples in seconds.items() for name in PICTURES
    }
    for sidecar in sidecars.values():
        sidecar.stop()
    origin.stop()
    return counts | {
        "bytes_added_median": statistics.median(added), "bytes_added_most": max(added),
        **times, "target": "none over its limit, none different otherwise, at most 1 ms for each attachment",
    }
