"""Checks a bill of materials against CycloneDX's schema, and that all its references lead somewhere: check_bill.py FILE"""

import collections
import json
import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = pathlib.Path(sys.argv[1]).read_text()
problem = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
if problem:
    sys.exit(f"error: {sys.argv[1]} breaks the schema: {problem}")
document = json.loads(text)


def references(components):
    for component in components:
        yield component["bom-ref"]
        yield from references(component.get("components", []))


names = [document["metadata"]["component"]["bom-ref"], *references(document["components"])]
twice = [name for name, count in collections.Counter(names).items() if count > 1]
unknown = {name for entry in document["dependencies"] for name in (entry["ref"], *entry["dependsOn"])} - set(names)
if twice or unknown:
    sys.exit(f"error: references that are there twice: {twice}; that lead nowhere: {sorted(unknown)}")
kinds = collections.Counter((component.get("purl") or component["type"]).split("/")[0] for component in document["components"])
files = sum(len(component.get("components", [])) for component in document["components"] if component["type"] == "library")
print(f"bill of materials: CycloneDX 1.5, valid; {dict(kinds)}, with {files} files and vendored libraries")
