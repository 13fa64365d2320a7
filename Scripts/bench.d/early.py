"""Early results: notifications that wait for one slow picture together with others that have more time.

The peer is the same notification alone, with a source of its own. Without early results, it gets a picture alone and
none in company: the shared work goes on for the others.
"""

import concurrent.futures
import time

from delivery import Origin, make_sources, notify, sources
from sidecar import Sidecar

DEADLINE, LATER = 2, 12
"""The seconds of the notification that is measured, and of those that it shares its source with."""


def early(program, folder, cores, count=60, at_once=12):
    media = make_sources(folder)
    origin = Origin(program, media)
    sidecar = Sidecar(program, cores, len(cores))
    sidecar.wait_until_ready()
    pictures = [source for source in sources(media, 2 * count, "early") if ".mp4" not in source][:count]
    for name in sorted({source.split("?")[0] for source in pictures}):
        notify(sidecar.port, f"{origin.url}{name}", 20)
    late = 0

    def share(name, in_company, threads, others):
        nonlocal late

        def one(source):
            url = f"{origin.url}{source}-{name}"
            companion = others.submit(notify, sidecar.port, url, LATER) if in_company else None
            time.sleep(0.1)
            answer = notify(sidecar.port, url, DEADLINE)
            if companion:
                companion.result()
            return answer

        answers = list(threads.map(one, pictures))
        late += sum(seconds > DEADLINE + 0.05 for _, seconds in answers)
        return sum(outcome != "original" for outcome, _ in answers) / len(answers)

    with concurrent.futures.ThreadPoolExecutor(at_once) as threads, concurrent.futures.ThreadPoolExecutor(at_once) as others:
        alone = share("alone", False, threads, others)
        joined = share("joined", True, threads, others)
    sidecar.stop()
    origin.stop()
    return {
        "share_alone": round(alone, 3),
        "share_in_company": round(joined, 3),
        "ratio": round(joined / alone, 3),
        "late": late,
        "target": "a ratio of at least 0.9, and none late",
    }
