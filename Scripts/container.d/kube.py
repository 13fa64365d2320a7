#!/usr/bin/env python3
"""Prints the Kubernetes sample in the words of podman 4, with the images of Scripts/container, and without a bucket.

podman knows neither restartable init containers nor seccompProfile: attachd becomes a container beside the gateway, and
its filter an annotation.
"""
import base64
import sys

import yaml

with open(sys.argv[1]) as file:
    deployment = next(each for each in yaml.safe_load_all(file) if each["kind"] == "Deployment")
template = deployment["spec"]["template"]
pod = template["spec"]
deployment["spec"]["replicas"] = 1
attachd, gateway = pod.pop("initContainers")[0], pod["containers"][0]

del attachd["restartPolicy"], attachd["livenessProbe"], attachd["envFrom"]
attachd["image"] = "localhost/attachd:latest"
attachd["imagePullPolicy"] = "Never"
attachd["env"] = [each for each in attachd["env"] if "PUBLI" not in each["name"]]
attachd["env"].append({"name": "ATTACHD_ALLOW_ADDRESSES", "value": "127.0.0.1"})
profile = attachd["securityContext"].pop("seccompProfile")["localhostProfile"]
template["metadata"]["annotations"] = {"container.seccomp.security.alpha.kubernetes.io/attachd": f"localhost/{profile}"}

gateway["image"] = "localhost/attachd-peers:latest"
gateway["imagePullPolicy"] = "Never"
gateway["args"] = ["gateway/gateway.py", "--listen", "127.0.0.1:9000"]
del gateway["securityContext"]["seccompProfile"]
pod["containers"] = [attachd, gateway]

token = base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
secret = {
    "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "attachd-token"}, "type": "Opaque",
    "data": {"token": token},
}
print(yaml.safe_dump_all([secret, deployment], sort_keys=False))
