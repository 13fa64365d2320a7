"""Makes of Samples/deploy/kubernetes/sidecar.yaml what podman 4.3 can play: kube.py FILE. The pod's containers, users, memory
and rights stay.

That podman waits forever for an initial container that goes on, so attachd becomes a container like the other. It lets
all users read a secret's file, whatever mode the volume asks for, which attachd refuses, so attachd listens on loopback without
a token. It asks health with a program that the image does not have, and has neither ports nor other hosts without a
network; a bucket would be one.
"""

import sys

import yaml

deployment = next(part for part in yaml.safe_load_all(open(sys.argv[1])) if part["kind"] == "Deployment")
template = deployment["spec"]["template"]
spec = template["spec"]
spec["containers"] = spec.pop("initContainers") + spec["containers"]
spec["volumes"] = [volume for volume in spec["volumes"] if "secret" not in volume]
for container in spec["containers"]:
    for key in ["restartPolicy", "ports", "livenessProbe", "envFrom"]:
        container.pop(key, None)
    if container["name"] == "attachd":
        container["image"] = "localhost/attachd"
        container["args"] += ["--allow-address", "127.0.0.1"]
        left_out = ("ATTACHD_PUBLI", "ATTACHD_API_TOKEN_FILE", "ATTACHD_GROUP_READABLE_KEYS", "ATTACHD_LISTEN")
        container["env"] = [part for part in container["env"] if not part["name"].startswith(left_out)]
        container["volumeMounts"] = [part for part in container["volumeMounts"] if part["name"] != "token"]
    else:
        container["image"] = "localhost/attachd-peers"
        container["args"] = ["gateway/gateway.py", "--listen", "127.0.0.1:9000"]
print(yaml.safe_dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube"}, "spec": spec}))
