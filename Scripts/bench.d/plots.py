"""The three plots of docs/performance.md, each from its own measurement."""

import concurrent.futures
import os
import pathlib

import campaign
from harness import Origin, Redis, Worker, median
from overload import Load, useful_per_second
from pictures import MEDIUM, SMALL, one_after_the_other

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
STYLE = ("text{font:13px system-ui,sans-serif;fill:#1d2430}.quiet{fill:#5b6472}.paper{fill:#fff}"
         ".p0{fill:#3566d6}.p1{fill:#7aa2f0}.p2{fill:#e0a03a}.p3{fill:#3f9d6b}.p4{fill:#9aa3b2}")


def bars(name, title, unit, rows):
    """Writes horizontal bars: each row is its name and its parts, a dictionary from names to numbers."""
    names = list(dict.fromkeys(part for _, parts in rows for part in parts))
    longest = max(sum(parts.values()) for _, parts in rows)
    height = 70 + 34 * len(rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {height}" role="img" aria-label="{title}">',
             f"<style>{STYLE}</style>", f'<rect class="paper" width="880" height="{height}"/>',
             f'<text x="12" y="24">{title}, {unit}</text>']
    for index, part in enumerate(names):
        x = 160 + 140 * index
        lines.append(f'<rect class="p{index}" x="{x}" y="38" width="12" height="12"/>')
        lines.append(f'<text class="quiet" x="{x + 18}" y="49">{part}</text>')
    for row, (label, parts) in enumerate(rows):
        x, y = 160, 62 + 34 * row
        lines.append(f'<text x="12" y="{y + 17}">{label}</text>')
        for part, value in parts.items():
            width = value / longest * 620
            lines.append(f'<rect class="p{names.index(part)}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="24"/>')
            x += width
        lines.append(f'<text class="quiet" x="{x + 8:.1f}" y="{y + 17}">{sum(parts.values()):.4g}</text>')
    (DOCS / f"{name}.svg").write_text("\n".join(lines) + "\n</svg>\n")
    return {label: {part: round(value, 2) for part, value in parts.items()} for label, parts in rows}


def small(bench):
    samples = one_after_the_other(bench, SMALL)
    stages = {stage: sum(sample[1][stage] for sample in samples) / len(samples)
              for stage in ("download", "decode", "store")}
    whole = median([seconds * 1000 for seconds, _ in samples])
    bare = 1000 / bench.printed([bench.folder / "vips-loop", 2000, bench.folder / SMALL])
    parts = stages | {"the rest": max(0, whole - sum(stages.values()))}
    return bars("performance-small", "A picture of 320 px", "ms", [("attachd", parts), ("libvips", {"decode": bare})])


def loads(bench):
    os.sched_setaffinity(0, bench.cores)
    seconds = int(os.environ.get("DURATION", 60)) / 2
    redis, origin = Redis(), Origin(bench.program, bench.folder)
    worker = Worker(bench.program, "--file-urls", "--queue", redis.url, decoders=len(bench.cores))
    worker.wait_until_ready()
    load, rows = Load(redis, origin), []
    capacity = useful_per_second(load.run(150, seconds), seconds)
    for times in (0.5, 1, 2, 3):
        answers = load.run(times * capacity, seconds)
        useful = useful_per_second(answers, seconds)
        rows.append((f"{times:g} × the capacity",
                     {"useful": useful, "without a picture": len(answers) / seconds - useful}))
    load.ended = True
    for part in (worker, origin, redis):
        part.stop()
    return bars("performance-load", "Answers by load", "a second", rows)


def workers(bench, count=20_000):
    os.sched_setaffinity(0, bench.cores)
    origin, rows = Origin(bench.program, bench.folder), []
    for number in (1, 2, 4):
        group = [Worker(bench.program, "--public-url", "https://push.example", "--reuse", "10m", cores=bench.cores,
                        decoders=1) for _ in range(number)]
        for worker in group:
            worker.wait_until_ready()
            campaign.send(worker, origin.url(MEDIUM), 500, 0)
        with concurrent.futures.ThreadPoolExecutor(number) as threads:
            sent = list(threads.map(
                lambda worker: campaign.send(worker, origin.url(MEDIUM), count // number, 500, 32 // number), group))
        rows.append((f"{number} on {len(bench.cores)} cores",
                     {"payloads": sum(result["answered"] / result["seconds"] for result in sent)}))
        for worker in group:
            worker.stop()
    origin.stop()
    return bars("performance-workers", "A campaign by workers", "payloads a second", rows)


def plots(bench):
    """Draws the plots, and returns their numbers."""
    return {"small": small(bench), "load": loads(bench), "workers": workers(bench)}
