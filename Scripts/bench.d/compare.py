"""Comparing two results of the benchmarks: better, worse, or within their spread."""

import json

LESS_IS_BETTER = ("milliseconds", "megabytes", "late", "seconds", "mb", "microseconds", "bytes")


def numbers(results):
    """The numbers of a result, by benchmark and name."""
    for name, values in results.items():
        for key, value in values.items():
            for part, number in value.items() if isinstance(value, dict) else [("", value)]:
                if isinstance(number, (int, float)):
                    yield (name, f"{key}_{part}".strip("_")), number


def spread(rounds):
    """The least, the middle and the highest of each number in several rounds."""
    found = {}
    for results in rounds:
        for key, value in numbers(results):
            found.setdefault(key, []).append(value)
    return {key: (min(values), sorted(values)[len(values) // 2], max(values)) for key, values in found.items()}


def compare(old_file, new_rounds):
    """Prints for each number what it was, what it is, and whether that is more than the spread of both."""
    old = spread(json.loads(open(old_file).read())["rounds"])
    new = spread(new_rounds)
    for key in sorted(old.keys() & new.keys()):
        (old_low, old_middle, old_high), (low, middle, high) = old[key], new[key]
        verdict = "noise"
        if low > old_high or high < old_low:
            is_less = any(word in key[1].split("_") for word in LESS_IS_BETTER)
            verdict = "better" if (middle < old_middle) == is_less else "worse"
        print(f"{verdict:7} {' '.join(key).replace('_', ' '):58} {old_middle:g} -> {middle:g}"
              f"   [{old_low:g}, {old_high:g}] [{low:g}, {high:g}]")
