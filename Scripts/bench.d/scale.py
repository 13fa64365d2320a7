#!/usr/bin/env python3
"""Draws the simulated day of the rule for the number of workers: scale.py QUEUE-PROGRAM PICTURE.svg

The day is the one that the tests check (`FleetDay.standard`).
"""

import csv
import pathlib
import subprocess
import sys

program, picture = sys.argv[1:]
text = subprocess.run([program, "day"], check=True, capture_output=True, text=True).stdout
minutes = [{key: int(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]

LEFT, WIDTH = 150, 700
DAY = 86_400
panels = [
    # The title, the series with their colours, and the height.
    ("arrivals a second", [("arrivals", "#8a93a3", 60)], 60),
    ("backlog", [("backlog", "#cf7b2e", 1)], 70),
    ("workers", [("needed", "#8a93a3", 1), ("asked", "#9b5fc0", 1), ("running", "#3c9a6b", 1)], 110),
    ("late", [("late", "#c43d3d", 1)], 30),
]
names = {"needed": "needed now", "asked": "asked for", "running": "running"}
body, top = [], 34
for title, series, height in panels:
    highest = max(max(row[key] / per for row in minutes) for key, _, per in series)
    ceiling = max(highest, 1)
    bottom = top + height
    body.append(f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{LEFT + WIDTH}" y2="{bottom}"/>')
    body.append(f'<text x="12" y="{top + 12}">{title}</text>')
    body.append(f'<text class="quiet" x="12" y="{top + 28}">highest {highest:.0f}</text>')
    for index, (key, colour, per) in enumerate(series):
        def place(row):
            return LEFT + row["time"] / DAY * WIDTH, bottom - row[key] / per / ceiling * height
        steps, last = [], None
        for row in minutes:
            x, y = place(row)
            if last is None:
                steps.append(f"M{x:.1f} {y:.1f}")
            elif y != last:
                steps.append(f"H{x:.1f}V{y:.1f}")
            last = y
        steps.append(f"H{LEFT + WIDTH}")
        body.append(f'<path d="{"".join(steps)}" stroke="{colour}"/>')
        if key in names:
            body.append(f'<text class="quiet" x="12" y="{top + 46 + 16 * index}" style="fill:{colour}">{names[key]}</text>')
    top = bottom + 26
for hour in range(0, 25, 3):
    x = LEFT + hour * 3600 / DAY * WIDTH
    body.append(f'<text class="quiet" x="{x:.1f}" y="{top - 4}" text-anchor="middle">{hour}:00</text>')
late = sum(row["late"] for row in minutes)
total = sum(row["arrivals"] for row in minutes)
body.append(f'<text x="12" y="20">A day of {total:,} jobs, of which {late:,} were late</text>')
pathlib.Path(picture).write_text(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {top + 8}" role="img" aria-label="A day of the number of workers">
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1d2430 }}
.quiet {{ fill: #5b6472; font-size: 12px }}
.paper {{ fill: #fff }}
.axis {{ stroke: #c9ced8 }}
path {{ fill: none; stroke-width: 1.4 }}
</style>
<rect class="paper" width="880" height="{top + 8}"/>
{chr(10).join(body)}
</svg>
""")
print(f"{picture}: {total} jobs, {late} late, at most {max(row['running'] for row in minutes)} workers")
