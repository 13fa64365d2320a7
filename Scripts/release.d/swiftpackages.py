"""The Swift packages of a build: versions from Package.resolved, and which of them are in a program."""

import json
import pathlib
import re
import subprocess

# C code of others in the packages: the package, the name, the file that names its version, and the version there.
VENDORED = [
    ("swift-nio-ssl", "BoringSSL", "Sources/CNIOBoringSSL/hash.txt", r"revision ([0-9a-f]{40})", "Apache-2.0"),
    ("yams", "LibYAML", "Sources/CYaml/src/yaml_private.h", r'VERSION_STRING "([0-9.]+)"', "MIT"),
]


class SwiftPackage:
    def __init__(self, pin, checkouts):
        self.identity, self.url = pin["identity"], pin["location"].removesuffix(".git")
        self.version, self.revision = pin["state"].get("version"), pin["state"]["revision"]
        self.name, self.group = self.url.split("/")[-1], self.url.split("/")[-2]
        self.folder = checkouts / self.name
        self.programs, self.needs = set(), []

    @property
    def reference(self):
        host = self.url.split("://")[-1]
        return f"pkg:swift/{host}@{self.version or self.revision}"

    def texts(self):
        """The files with the license and the notices."""
        names = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
        return sorted(file for file in self.folder.iterdir() if file.is_file() and file.name.upper().startswith(names))

    @property
    def license(self):
        text = "".join(file.read_text() for file in self.texts())
        if "Apache License" in text:
            return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
        if "Permission is hereby granted, free of charge" in text:
            return "MIT"
        raise SystemExit(f"error: {self.folder} has no license that is known here")

    def vendored(self):
        for identity, name, file, pattern, license in VENDORED:
            if identity == self.identity:
                found = re.search(pattern, (self.folder / file).read_text())
                yield name, found[1] if found else None, license


def modules(program, built):
    """The modules whose objects are in a program."""
    return set(re.findall(r"/([^/]+)\.build/", (built / f"{program}.product/Objects.LinkFileList").read_text()))


def packages(source, built, programs):
    checkouts = source / ".build/checkouts"
    pins = json.loads((source / "Package.resolved").read_text())["pins"]
    found = {pin["identity"]: SwiftPackage(pin, checkouts) for pin in pins}
    by_folder = {package.name: package for package in found.values()}
    for program in programs:
        for module in modules(program, built):
            sources = built / f"{module}.build/sources"
            for name in re.findall(r"/checkouts/([^/]+)/", sources.read_text() if sources.exists() else ""):
                by_folder[name].programs.add(program)
    command = ["swift", "package", "--skip-update", "show-dependencies", "--format", "json"]
    tree = json.loads(subprocess.run(command, cwd=source, capture_output=True, text=True, check=True).stdout)

    def walk(node):
        for child in node["dependencies"]:
            if node["identity"] in found and child["identity"] not in found[node["identity"]].needs:
                found[node["identity"]].needs.append(child["identity"])
            walk(child)

    walk(tree)
    return sorted(found.values(), key=lambda package: package.identity)


def toolchain():
    """The version of Swift, and the file with its license."""
    version = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    program = subprocess.run(["bash", "-c", "readlink -f \"$(command -v swift)\""], capture_output=True, text=True).stdout
    license = pathlib.Path(program.strip()).parents[1] / "share/swift/LICENSE.txt"
    return re.search(r"Swift version ([0-9.]+)", version)[1], license
