"""Checks that each deployment sample is valid, and names only metrics that attachd has."""

import json
import pathlib
import re
import sys

import kubernetes_validate
import yaml

deploy = pathlib.Path("Samples/deploy")
metrics = {
    name for source in pathlib.Path("Sources/Operations/Observability/Observers").glob("*.swift")
    for name in re.findall(r'\b(?:Counter|Gauge|Histogram)\(\s*"(attachd_\w+)"', source.read_text())
}
if not metrics:
    sys.exit("Sources/Operations/Observability/Observers names no metrics any more. Update the folder in this check.")


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


def check_keda(path):
    """Checks what attachd's answer has to do with; the schema of KEDA's own resources is not at hand."""
    documents = [document for document in yaml.safe_load_all(path.read_text()) if document]
    workers = list(yaml.safe_load_all((path.parent / "workers.yaml").read_text()))
    names = {document["metadata"]["name"] for document in workers if document["kind"] == "Deployment"}
    services = {document["metadata"]["name"] for document in workers if document["kind"] == "Service"}
    description = json.loads(pathlib.Path("Sources/Faces/Sidecar/openapi.json").read_text())
    logins = set()
    for document in documents:
        if document["apiVersion"] != "keda.sh/v1alpha1":
            sys.exit(f"{path}: {document['apiVersion']} is not KEDA's")
        if document["kind"] == "TriggerAuthentication":
            logins.add(document["metadata"]["name"])
            continue
        if document["kind"] != "ScaledObject":
            sys.exit(f"{path}: a {document['kind']} is not expected here")
        spec = document["spec"]
        if spec["scaleTargetRef"]["name"] not in names or not 0 == spec["minReplicaCount"] < spec["maxReplicaCount"]:
            sys.exit(f"{path}: it does not scale a deployment of workers.yaml from 0")
        for trigger in spec["triggers"]:
            metadata = trigger["metadata"]
            if not all(isinstance(text, str) for text in metadata.values()):
                sys.exit(f"{path}: a value of a trigger is not a text")
            if trigger["type"] == "metrics-api":
                host, route = re.fullmatch(r"http://([\w-]+)\.[\w.-]+:8080(/.*)", metadata["url"]).groups()
                schema = description["components"]["schemas"]["Scale"]
                if route not in description["paths"] or metadata["valueLocation"] not in schema["required"]:
                    sys.exit(f"{path}: {route} has no {metadata['valueLocation']}")
                if host not in services or trigger["authenticationRef"]["name"] not in logins:
                    sys.exit(f"{path}: {host} or its token is not there")
            elif trigger["type"] == "prometheus":
                check_metrics(path, metadata["query"])
            else:
                sys.exit(f"{path}: a trigger of type {trigger['type']}")
    print(f"{path}: {', '.join(document['kind'] for document in documents)}, by their structure")


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


def check_filter(path):
    """Checks that the profile has only what every runtime reads, and that it allows the decoder's calls as they are made.

    containerd reads the fields of the OCI runtime specification and ignores Docker's own (includes, excludes, archMap), so
    a rule that Docker restricts by them would hold for everybody.
    """
    profile = json.loads(path.read_text())
    foreign = set(profile) - {"defaultAction", "defaultErrnoRet", "syscalls"}
    for rule in profile["syscalls"]:
        foreign |= set(rule) - {"comment", "names", "action", "errnoRet", "args"}
    if foreign:
        sys.exit(f"{path}: {', '.join(sorted(foreign))} is not read by every runtime")
    source = pathlib.Path("Sources/C/CLinux/CLinux.c").read_text()
    flags = re.search(r"int kinds = ([A-Z_| ]*);", source)[1] + " | CLONE_NEWUSER"
    expected = {("unshare", 0, value(flags))} | {("umount2", 1, value(each)) for each in calls(source, "umount2", 1)}
    expected |= {("mount", 3, value(each)) for each in calls(source, "mount", 3)}
    allowed = {
        (name, argument["index"], argument["value"]) for rule in profile["syscalls"] for name in rule["names"]
        for argument in rule.get("args", []) if name in ("unshare", "mount", "umount2")
    }
    if allowed != expected:
        sys.exit(f"{path}: allows {allowed}, and Sources/C/CLinux/CLinux.c calls {expected}")
    unbound = {
        name for rule in profile["syscalls"] for name in rule["names"] if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args")
    }
    if unbound & {"unshare", "mount", "umount2", "clone", "clone3", "setns", "ptrace", "bpf", "keyctl"}:
        sys.exit(f"{path}: allows a call without a condition that has to have one")
    print(f"{path}: {len(unbound)} calls, and {len(allowed)} as the decoder makes them")


def calls(source, name, index):
    """The arguments at `index` of all calls of a function."""
    return [re.split(r",\s*", each)[index] for each in re.findall(rf"\b{name}\(([^;]*?)\) != 0", source)]


def value(flags):
    """The number of flags of unshare(2), mount(2) and umount2(2)."""
    numbers = {
        "CLONE_NEWNS": 0x20000, "CLONE_NEWUTS": 0x4000000, "CLONE_NEWIPC": 0x8000000, "CLONE_NEWUSER": 0x10000000,
        "CLONE_NEWNET": 0x40000000, "MS_RDONLY": 1, "MS_NOSUID": 2, "MS_NODEV": 4, "MS_NOEXEC": 8, "MS_REMOUNT": 32,
        "MS_REC": 0x4000, "MS_PRIVATE": 0x40000, "MNT_DETACH": 2,
    }
    return sum(numbers[flag.strip()] for flag in flags.split("|"))


check_metrics(deploy / "prometheus/alerts.yml", (deploy / "prometheus/alerts.yml").read_text())
check_dashboard(deploy / "grafana/attachd.json")
check_kubernetes(deploy / "kubernetes/sidecar.yaml")
check_kubernetes(deploy / "kubernetes/workers.yaml")
check_kubernetes(deploy / "kubernetes/hpa.yaml")
check_metrics(deploy / "kubernetes/hpa.yaml", (deploy / "kubernetes/hpa.yaml").read_text())
check_keda(deploy / "kubernetes/keda-metrics-api.yaml")
check_keda(deploy / "kubernetes/keda-prometheus.yaml")
check_compose(deploy / "compose.yaml")
check_filter(deploy / "seccomp.json")
