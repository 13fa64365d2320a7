"""Compares the modules of the fuzz targets' package with those of the main one: a module that is taken whole must
have the same dependencies and resources in both, and of a part, none that the whole doesn't have. Without this, a new
import or template of a module that is fuzzed would be found only by the build of the fuzz targets, at the end of a
check."""
import json
import subprocess
import sys


def targets(package):
    """Returns the targets of a package: by name, what each depends on and embeds, and whether it is taken whole."""
    dump = subprocess.run(
        ["swift", "package", "--package-path", package, "dump-package"], capture_output=True, text=True
    )
    if dump.returncode:
        sys.exit(f"{package}: {dump.stderr}")
    return {
        target["name"]: (
            {next(iter(kind.values()))[0] for kind in target["dependencies"]}
            | {resource["path"] for resource in target.get("resources", [])},
            target.get("sources") is None,
        )
        for target in json.loads(dump.stdout)["targets"]
    }


main, fuzz = targets("."), targets("Tests/Fuzz")
shared = [name for name in fuzz if name in main]
faults = []
for name in shared:
    (ours, whole), theirs = fuzz[name], main[name][0]
    if whole and theirs - ours:
        faults.append(f"{name} also needs {', '.join(sorted(theirs - ours))}")
    if ours - theirs:
        faults.append(f"{name} doesn't need {', '.join(sorted(ours - theirs))}")
if len(shared) < 10:
    faults.append(f"only {len(shared)} modules are in both packages, so this compares nothing")
for fault in faults:
    print(f"error: Tests/Fuzz/Package.swift: {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print(f"fuzz: {len(shared)} modules, with the dependencies and resources that Package.swift gives them")
