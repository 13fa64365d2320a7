"""The time until a format that is switched off is decoded nowhere in the fleet, under load.

Two workers with one Redis decode pictures as fast as they can. `POST /v1/formats` reaches the first one. SECONDS=20 looks on for
another time afterwards.

It also runs alone, with any build: formats.py PATH-OF-ATTACHD PHOTO.heic heic
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from redisserver import Redis
from sidecar import Origin, Sidecar

SECONDS = int(os.environ.get("SECONDS", 15))
BEFORE = 5
CLIENTS = 4


def _notify(client, url):
    """Sends a notification. Returns the outcome and the reason of its first error."""
    payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": url}
    client.request("POST", "/v1/notifications", json.dumps({"deadline": "20s", "payload": payload}).encode())
    result = json.loads(client.getresponse().read())
    return result["outcome"], next((error["reason"] for error in result["errors"]), None)


def _load(sidecar, origin, name, number, until):
    """Sends one notification after another until then, each with a URL of its own. Returns the end and result of each."""
    client, results = sidecar.client(), []
    while time.monotonic() < until:
        url = origin.url(f"{name}?{sidecar.port}-{number}-{len(results)}")
        begin = time.monotonic()
        results.append((begin, *_notify(client, url), time.monotonic()))
    client.close()
    return results


def _switch(sidecar, names):
    client = sidecar.client()
    client.request("POST", "/v1/formats", json.dumps({"disabled": names}).encode())
    answer = client.getresponse()
    if answer.status != 200:
        raise SystemExit(f"the formats were not switched off: {answer.read().decode()}")
    return time.monotonic()


def switched_off(program, cores, picture, name):
    """Workers, clients, origin and Redis share all cores."""
    os.sched_setaffinity(0, cores)
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as folder:
        shutil.copy(picture, pathlib.Path(folder, "picture"))
        redis, origin = Redis(data), Origin(folder, cores)
        sidecars = [Sidecar(program, cores, 2, ["--queue", redis.url]) for _ in range(2)]
        for sidecar in sidecars:
            sidecar.wait_until_ready()
        until = time.monotonic() + BEFORE + SECONDS
        with concurrent.futures.ThreadPoolExecutor() as pool:
            loads = [
                [pool.submit(_load, sidecar, origin, "picture", number, until) for number in range(CLIENTS)]
                for sidecar in sidecars
            ]
            time.sleep(BEFORE)
            posted = time.monotonic()
            answered = _switch(sidecars[0], [name])
            results = [[result for load in part for result in load.result()] for part in loads]
        values = {"milliseconds_of_the_post": round((answered - posted) * 1000)}
        for index, part in enumerate(results):
            decoded = [end for _, outcome, _, end in part if outcome == "complete"]
            refused = [end for _, _, reason, end in part if reason == "disabled"]
            if not refused or not decoded:
                raise SystemExit(f"worker {index} decoded {len(decoded)} and refused {len(refused)}")
            worker = "the_worker_asked" if index == 0 else "the_other_worker"
            values |= {
                f"decoded_by_{worker}": len(decoded),
                f"refused_by_{worker}": len(refused),
                f"other_results_of_{worker}": len(part) - len(decoded) - len(refused),
                f"seconds_to_the_last_decode_of_{worker}": round(max(0, max(decoded) - posted), 3),
                f"seconds_to_the_first_refusal_of_{worker}": round(min(refused) - posted, 3),
            }
        values["target"] = "the last decode at most 10 s after the POST, on every worker"
        for sidecar in sidecars:
            sidecar.stop()
        origin.stop()
        redis.stop()
    return values


if __name__ == "__main__":
    print(json.dumps(switched_off(sys.argv[1], os.sched_getaffinity(0), sys.argv[2], sys.argv[3]), indent=1))
