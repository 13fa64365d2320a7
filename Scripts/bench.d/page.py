"""bench.html: the figures of bench.json with plots, in one file that opens offline."""

import html

# The plots of each benchmark: the unit of the bars, and their labels with the keys of their values.
BARS = {
    "throughput": ("12-megapixel JPEGs per second, one core", [
        ("attachd", "attachd_images_per_second"), ("libvips alone", "bare_libvips_images_per_second"),
        ("vipsthumbnail", "vipsthumbnail_images_per_second"), ("Pillow", "pillow_images_per_second"),
        ("thumbor", "thumbor_images_per_second")]),
    "batch": ("12-megapixel JPEGs per second, all cores", [
        ("attachd batch", "attachd_images_per_second"), ("libvips alone", "bare_libvips_images_per_second"),
        ("vipsthumbnail, xargs -P", "vipsthumbnail_images_per_second")]),
    "overhead": ("milliseconds of a 1600-pixel photo's notification, median", [
        ("in all", "milliseconds_in_all"), ("decoding", "milliseconds_of_decoding"),
        ("all beside it", "milliseconds_beside_decoding")]),
    "copied": ("milliseconds for ten seconds copied from 300 MB", [
        ("attachd, index in front", "milliseconds_front"), ("ffmpeg", "milliseconds_of_ffmpeg_front"),
        ("attachd, index at the end", "milliseconds_end"), ("ffmpeg", "milliseconds_of_ffmpeg_end")]),
    "transcoded": ("seconds for ten seconds of 1080p made 720p", [
        ("attachd", "seconds"), ("ffmpeg", "seconds_of_ffmpeg")]),
    "queue": ("jobs per second through SQLite", [
        (f"{waiting} waiting", f"jobs_per_second_with_{waiting}_waiting") for waiting in (0, 10_000, 200_000)]),
    "redis": ("jobs per second through Redis", [
        (f"{waiting} waiting", f"jobs_per_second_with_{waiting}_waiting") for waiting in (0, 10_000, 200_000)]),
    "downloads": ("downloads of a ready picture per second", [
        ("attachd", "attachd_downloads_per_second"), ("nginx", "nginx_downloads_per_second")]),
}
# The plots with lines: the titles of the axes. Each benchmark's `curve` has the points of its lines by name.
LINES = {
    "delivery": ("seconds until the deadline", "share of notifications with their attachment"),
    "memory": ("notifications", "megabytes of the worker's memory"),
    "campaign": ("notifications", "megabytes of the worker's memory"),
}
TITLES = {
    "throughput": "Pictures", "batch": "A directory of pictures", "overhead": "Overhead", "ready": "Start", "memory": "Memory",
    "copied": "Copied clips", "transcoded": "Re-encoded clips", "deadline": "A deadline that is too short",
    "queue": "The queue in SQLite", "redis": "The queue in Redis", "overload": "Overload", "downloads": "Downloads of ready files",
    "delivery": "Delivery from a slow origin", "campaign": "One picture for many", "hiccup": "An origin that stops for a while", "planted": "Planted regressions",
}
STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1d1d1f, #f0f0f2); --faint: light-dark(#6b6b70, #98989f);
  --line: light-dark(#d8d8dc, #3c3c41); --ours: light-dark(#0a6cdb, #5aa9ff); --other: light-dark(#b9bec7, #6c7078);
  --third: light-dark(#d8690b, #ffa45c); }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 60rem; margin: 3rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.8rem } h2 { margin-top: 3rem; font-size: 1.25rem } p, caption { color: var(--faint) }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; margin-top: 1rem }
td { padding: .2rem 1.5rem .2rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere }
svg { width: 100%; height: auto } svg text { font: 13px system-ui, sans-serif; fill: var(--ink) } svg .faint { fill: var(--faint) }
"""


def bars(unit, rows):
    width, label, height = 860, 220, 26
    largest = max(value for _, value in rows) or 1
    parts = []
    for index, (name, value) in enumerate(rows):
        y = 4 + index * (height + 8)
        length = max(2, (width - label - 110) * value / largest)
        colour = "--ours" if name.startswith("attachd") or index == 0 else "--other"
        parts.append(
            f'<text x="{label - 10}" y="{y + 18}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect x="{label}" y="{y}" width="{length:.1f}" height="{height}" rx="3" style="fill:var({colour})"/>'
            f'<text x="{label + length + 8:.1f}" y="{y + 18}">{value:,.4g}</text>')
    tall = len(rows) * (height + 8) + 30
    parts.append(f'<text class="faint" x="{label}" y="{tall - 8}">{html.escape(unit)}</text>')
    return f'<svg viewBox="0 0 {width} {tall}" role="img" aria-label="{html.escape(unit)}">{"".join(parts)}</svg>'


def tick(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def lines(axes, curves):
    """`curves`: for each line its name and its points, as [x, y]."""
    width, height, left, bottom = 860, 340, 60, 50
    points = [point for line in curves.values() for point in line]
    right, top = max(x for x, _ in points), max(y for _, y in points) * 1.05 or 1

    def at(x, y):
        return left + (width - left - 150) * x / right, height - bottom - (height - bottom - 15) * y / top

    parts = []
    for step in range(5):
        (_, y), (x, _) = at(0, top / 1.05 * step / 4), at(right * step / 4, 0)
        parts.append(
            f'<line x1="{left}" x2="{width - 150}" y1="{y:.1f}" y2="{y:.1f}" style="stroke:var(--line)"/>'
            f'<text class="faint" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick(top / 1.05 * step / 4)}</text>'
            f'<text class="faint" x="{x:.1f}" y="{height - bottom + 20}" text-anchor="middle">{tick(right * step / 4)}</text>')
    lowest = 0
    for colour, (name, line) in zip(("--ours", "--other", "--third"), curves.items()):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in line))
        x, y = at(*line[-1])
        lowest = max(lowest + 16, y) if lowest else y
        parts.append(
            f'<polyline points="{path}" style="fill:none;stroke:var({colour});stroke-width:2.5"/>'
            f'<text x="{x + 8:.1f}" y="{lowest + 4:.1f}" style="fill:var({colour})">{html.escape(name)}</text>')
    parts.append(
        f'<text class="faint" x="{(left + width - 150) / 2}" y="{height - 8}" text-anchor="middle">{html.escape(axes[0])}</text>'
        f'<text class="faint" x="{left}" y="12">{html.escape(axes[1])}</text>')
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(axes[1])}">{"".join(parts)}</svg>'


def section(name, figures):
    plot = ""
    if name in BARS:
        unit, keys = BARS[name]
        plot = bars(unit, [(label, figures[key]) for label, key in keys])
    if name in LINES and "curve" in figures:
        plot += lines(LINES[name], figures["curve"])
    rows = "".join(
        f"<tr><td>{html.escape(key.replace('_', ' '))}</td><td>{html.escape(str(value))}</td></tr>"
        for key, value in figures.items() if key not in ("curve", "target"))
    target = f"<p>Target: {html.escape(figures['target'])}.</p>" if "target" in figures else ""
    return f"<h2>{html.escape(TITLES.get(name, name))}</h2>{target}{plot}<table>{rows}</table>"


def made_of(results):
    machine = results["machine"]
    sections = "".join(section(name, figures) for name, figures in results.items() if name != "machine")
    words = f"{machine['cores']} cores, {machine['processor']}, Linux {machine['kernel']}, load {machine['load']:.1f} at the start"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>attachd: benchmarks</title>'
        '<meta name="viewport" content="width=device-width">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{STYLE}</style><h1>attachd beside its peers</h1>"
        f"<p>{html.escape(words)}. Machines differ, ratios less so: all of one section was measured in one run.</p>{sections}</html>")
