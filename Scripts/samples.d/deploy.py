"""Checks that each deployment sample is valid, and names only metrics that attachd has."""

import json
import pathlib
import re
import sys

import kubernetes_validate
import yaml

deploy = pathlib.Path("Samples/deploy")
metrics = {
    name for source in pathlib.Path("Sources/Operations/Instruments/Metrics").glob("*.swift")
    for name in re.findall(r'"(attachd_\w+)":', source.read_text())
}
if not metrics:
    sys.exit("Sources/Operations/Instruments names no metrics any more. Update the folder in this check.")


def check_metrics(path, text):
    used = {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"\battachd_\w+", text)}
    unknown = used - metrics
    if not used or unknown:
        sys.exit(f"{path}: attachd has no metric {', '.join(sorted(unknown)) or 'that it names'}")
    print(f"{path}: {len(used)} metrics, all of them attachd's")


def check_dashboard(path):
    dashboard = json.loads(path.read_text())
    panels = dashboard["panels"]
    if len({panel["id"] for panel in panels}) != len(panels):
        sys.exit(f"{path}: two panels have one id")
    if not all(target["expr"] for panel in panels for target in panel["targets"]):
        sys.exit(f"{path}: a panel asks for nothing")
    check_metrics(path, " ".join(target["expr"] for panel in panels for target in panel["targets"]))


def check_kubernetes(path):
    documents = [document for document in yaml.safe_load_all(path.read_text()) if document]
    for document in documents:
        kubernetes_validate.validate(document, "1.30", strict=True)
    print(f"{path}: {', '.join(document['kind'] for document in documents)} as Kubernetes 1.30 has it")


def check_compose(path):
    file = yaml.safe_load(path.read_text())
    for name, service in file["services"].items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if not source.startswith((".", "/")) and source not in file["volumes"]:
                sys.exit(f"{path}: {name} mounts {source}, which is not a volume")
        for secret in service.get("secrets", []):
            if secret not in file["secrets"]:
                sys.exit(f"{path}: {name} takes {secret}, which is not a secret")
        for other in service.get("depends_on", {}):
            if other not in file["services"]:
                sys.exit(f"{path}: {name} waits for {other}, which is not a service")
    print(f"{path}: {', '.join(file['services'])}")


check_metrics(deploy / "prometheus/alerts.yml", (deploy / "prometheus/alerts.yml").read_text())
check_dashboard(deploy / "grafana/attachd.json")
check_kubernetes(deploy / "kubernetes/sidecar.yaml")
check_compose(deploy / "compose.yaml")
