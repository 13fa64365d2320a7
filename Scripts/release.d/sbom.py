"""Writes what is in a release. Scripts/release calls it.

sbom.py notices SOURCE BUILT                                    the licenses of the Swift packages that are in the programs
sbom.py bill SOURCE BUILT IMAGE PROGRAMS VERSION COMMIT         a bill of materials, as CycloneDX 1.5

SOURCE has the sources and their packages, BUILT the objects, IMAGE the image's files, and PROGRAMS both stripped programs.
"""

import datetime
import json
import os
import pathlib
import re
import sys
import uuid

import debianpackages
import swiftpackages

PROGRAMS = ["attachd", "attachd-decoder"]


def notices(source, built):
    version, license = swiftpackages.toolchain()
    print(f"\nSwift {version}: standard library, Foundation, Dispatch, ICU\n{'=' * 72}\n{license.read_text()}")
    for package in swiftpackages.packages(source, built, PROGRAMS):
        if package.programs:
            print(f"\n{package.name} {package.version} ({package.url})\n{'=' * 72}")
            for file in package.texts():
                print(file.read_text())


def license(expression):
    return [{"expression": expression}] if " " in expression else [{"license": {"id": expression}}]


def swift_component(package):
    component = {
        "type": "library", "bom-ref": package.reference, "group": package.group, "name": package.name,
        "version": package.version or package.revision, "purl": package.reference, "licenses": license(package.license),
        # Packages that others name, and of which nothing is in the programs.
        "scope": "required" if package.programs else "excluded",
        "externalReferences": [{"type": "vcs", "url": package.url}],
        "properties": [{"name": "attachd:revision", "value": package.revision},
                       *({"name": "attachd:program", "value": program} for program in sorted(package.programs))],
    }
    vendored = [{"type": "library", "bom-ref": f"{package.reference}#{name}", "name": name, "version": version or "unknown",
                 "licenses": license(terms)} for name, version, terms in package.vendored()]
    return component | ({"components": vendored} if vendored else {})


def debian_component(package, distribution):
    return {
        "type": "library", "bom-ref": package.reference(distribution), "name": package.name, "version": package.version,
        "description": package.description, "licenses": [{"license": terms} for terms in package.licenses],
        "purl": package.reference(distribution), "properties": [{"name": "attachd:source", "value": package.source}],
        "components": [{"type": "file", "bom-ref": f"file:{name}", "name": name,
                        "hashes": [{"alg": "SHA-256", "content": digest}]} for name, digest in package.files],
    }


def program_component(name, file, version):
    properties = [("attachd:needed", library) for library in sorted(debianpackages.needed(file))]
    properties += [("attachd:loaded", path) for path in sorted(set(debianpackages.loaded(file).values()))]
    return {
        "type": "application", "bom-ref": name, "name": name, "version": version,
        "hashes": [{"alg": "SHA-256", "content": debianpackages.digest(file)}],
        "properties": [{"name": key, "value": value} for key, value in properties],
    }


def bill(source, built, image, programs, version, commit):
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', (image / "etc/os-release").read_text(), re.MULTILINE))
    distribution = f"{release['ID']}-{release['VERSION_ID']}"
    swift = swiftpackages.packages(source, built, PROGRAMS)
    debian = debianpackages.packages(image)
    language, _ = swiftpackages.toolchain()
    references = {package.name: package.reference(distribution) for package in debian}
    toolchain = {"type": "framework", "bom-ref": "swift", "name": "swift", "version": language,
                 "description": "Swift's standard library, Foundation with its ICU, and Dispatch, linked into the programs",
                 "licenses": license("Apache-2.0 WITH Swift-exception")}
    files = {name: programs / name for name in PROGRAMS}
    dependencies = {"attachd-release": ["image", *PROGRAMS], "image": [*PROGRAMS, *references.values()]}
    for name, file in files.items():
        direct, _ = debianpackages.owners(file)
        dependencies[name] = [*(p.reference for p in swift if name in p.programs), "swift", *(references[d] for d in direct)]
    by_identity = {package.identity: package.reference for package in swift}
    dependencies |= {package.reference: [by_identity[need] for need in package.needs] for package in swift}
    dependencies |= {references[package.name]: [references[need] for need in package.needs if need in references]
                     for package in debian}
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'attachd {version} {commit}')}",
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": "attachd-release", "name": "attachd", "version": version,
                          "licenses": license("Apache-2.0"),
                          "properties": [{"name": "attachd:commit", "value": commit}]},
        },
        "components": [
            *(program_component(name, file, version) for name, file in files.items()),
            {"type": "container", "bom-ref": "image", "name": "attachd-image", "version": version,
             "properties": [{"name": "attachd:distribution", "value": distribution}]},
            toolchain, *map(swift_component, swift), *(debian_component(package, distribution) for package in debian),
        ],
        "dependencies": [{"ref": reference, "dependsOn": sorted(set(needs))}
                         for reference, needs in sorted(dependencies.items())],
    }
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


command, *arguments = sys.argv[1:]
if command == "notices":
    notices(*map(pathlib.Path, arguments))
else:
    bill(*map(pathlib.Path, arguments[:4]), *arguments[4:])
