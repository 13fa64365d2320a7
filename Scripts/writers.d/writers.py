"""writers PROGRAM FOLDER [pillow|vips|clips|sounds…]: writes each file that Pillow, both versions of libvips and ffmpeg can,
lets `attachd batch` read them, and compares each output with what the file shows. Ends with a table, and with status 1 if
something is wrong that the list of known cases doesn't have.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import clip_check
import clip_writer
import pillow_writer
import sound_writer
import still_check
import vips_writer
from known import is_known

# Pictures are read in their size, and so small that loaders shrink and every pixel is scaled.
EDGES = {"apns": 1038, "small": 64}
WRITERS = {"pillow": pillow_writer.write, "vips": vips_writer.write, "clips": clip_writer.write, "sounds": sound_writer.write}
SETTINGS = "profiles: {small: {basedOn: apns, image: {longEdge: 64}, animation: {longEdge: 64}}}\n"


def batch(program, folder, profile):
    out = folder.parent / f"{folder.name}-{profile}"
    shutil.rmtree(out, ignore_errors=True)
    settings = folder.parent / "settings.yaml"
    settings.write_text(SETTINGS)
    command = [program, "batch", folder, "--out", out, "--config", settings, "--profile", profile]
    subprocess.run(command, check=True, capture_output=True)
    rows = map(json.loads, (out / "manifest.jsonl").read_text().splitlines())
    return {row["path"]: (row, out / row["output"] if row["output"] else None) for row in rows}


def judge(name, case, profile, row, output):
    try:
        if name in ("clips", "sounds"):
            return clip_check.check(case, row, output)
        return still_check.check(case, row, output, EDGES[profile])
    except Exception as error:
        return f"the comparison failed: {error!r}"


def main(program, folder, names):
    table = collections.defaultdict(collections.Counter)
    problems = []
    for name in names:
        start = time.monotonic()
        place = folder / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        cases = WRITERS[name](place)
        print(f"{name}: {len(cases)} files in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        for profile in EDGES if name in ("pillow", "vips") else ["apns"]:
            made = batch(program, place, profile)
            with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
                rows = [made[case.path.name] for case in cases]
                found = list(pool.map(judge, itertools.repeat(name), cases, itertools.repeat(profile), *zip(*rows), chunksize=20))
            for case, problem in zip(cases, found):
                failed = made[case.path.name][1] is None
                known = problem and is_known(case, problem)
                kind = "wrong" if problem and not known else "known" if problem and not failed else "refused" if failed else "right"
                table[case.writer, case.format][kind] += 1
                if kind == "wrong":
                    problems.append(f"{profile} {case.path.name}: {problem}")
        print(f"{name}: compared after {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    folder.mkdir(exist_ok=True)
    (folder / "wrong.txt").write_text("\n".join(problems) + "\n")
    print("| writer | format | outputs | right | refused rightly | known | wrong |\n|---|---|---|---|---|---|---|")
    for (writer, format), counts in sorted(table.items()):
        print(f"| {writer} | {format.lower()} | {sum(counts.values())} | {counts['right']} | {counts['refused']} | {counts['known']} | {counts['wrong']} |")
    for problem in problems[:100]:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:] or list(WRITERS)))
