"""typecheck.py MANIFEST TRAPPING: checks the types of every module below Sources again, with the module at TRAPPING in view
of every file, and prints each place where a deprecated conversion is called. Exits with
status 1 if there is one, and 2 if the check failed.

MANIFEST is SwiftPM's build manifest, which has the compiler's arguments for each module.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

manifest, trapping = sys.argv[1:]
command = re.compile(r'^    args: (\[.*"-module-name",.*\])$')
# Options for output files, and options that hide a warning or make it an error.
single = {"-emit-module", "-emit-dependencies", "-emit-objc-header", "-incremental", "-c", "-serialize-diagnostics",
          "-warnings-as-errors", "-parseable-output", "-enable-batch-mode", "-g"}
double = {"-emit-module-path", "-output-file-map", "-emit-objc-header-path", "-index-store-path"}


def modules():
    for line in open(manifest):
        match = command.match(line)
        if not match:
            continue
        args = json.loads(match[1])
        sources = next((arg[1:] for arg in args if arg.startswith("@") and arg.endswith("/sources")), None)
        if sources is None or not os.path.exists(sources):
            continue
        files = [name.strip("'\n") for name in open(sources)]
        if any(name.startswith(f"{os.getcwd()}/Sources/") for name in files):
            yield args[args.index("-module-name") + 1], args


def check(module):
    name, args = module
    kept, rest = [args[0], "-typecheck"], iter(args[1:])
    for arg in rest:
        if arg == "-Xcc":
            kept += [arg, next(rest)]
        elif arg in double:
            next(rest)
        elif arg not in single:
            kept.append(arg)
    kept += ["-I", trapping, "-Xfrontend", "-import-module", "-Xfrontend", "Trapping", "-diagnostic-style", "llvm"]
    done = subprocess.run(kept, capture_output=True, text=True)
    return name, done.returncode, done.stderr


found, broken, count = set(), [], 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for name, status, text in pool.map(check, list(modules())):
        count += 1
        places = {line for line in text.splitlines() if "#DeprecatedDeclaration" in line and "traps" in line}
        found |= places
        if status and not places:
            broken.append(f"{name}: {text[:2000]}")
for line in sorted(found):
    print(line.replace(os.getcwd() + "/", ""), file=sys.stderr)
for text in broken:
    print(text, file=sys.stderr)
if count < 20:
    print(f"only {count} modules were found in {manifest}", file=sys.stderr)
sys.exit(1 if found else 2 if broken or count < 20 else 0)
