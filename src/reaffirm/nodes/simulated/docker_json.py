"""What ``docker inspect`` prints: the shapes of Docker's own JSON, as far as a step may want to read them."""

from datetime import UTC, datetime
from typing import Any

from reaffirm.model.image import ContainerImage
from reaffirm.nodes.simulated.container import Container
from reaffirm.nodes.simulated.machine import GIB, SimulatedNode, image_id, with_tag

_NEVER = "0001-01-01T00:00:00Z"


def rfc3339(at: float) -> str:
    """Return a time as Docker writes it, with nanoseconds."""
    if not at:
        return _NEVER
    whole = int(at)
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}.{round((at - whole) * 1e6):06}000Z"


def inspect_container(container: Container) -> dict[str, Any]:
    """Return one element of what ``docker inspect NAME`` prints."""
    spec = container.spec
    words = [word for word in (spec.entrypoint, *spec.command) if word]
    policy, _, retries = spec.restart.partition(":")
    return {
        "Id": container.id,
        "Created": rfc3339(container.created),
        "Path": words[0] if words else "",
        "Args": words[1:],
        "State": {
            "Status": container.status,
            "Running": container.running,
            "Paused": False,
            "Restarting": container.status == "restarting",
            "OOMKilled": False,
            "Dead": False,
            "Pid": container.pid,
            "ExitCode": container.exit_code,
            "Error": container.error,
            "StartedAt": rfc3339(container.started),
            "FinishedAt": rfc3339(container.finished),
        },
        "Image": image_id(container.image),
        "Name": f"/{container.name}",
        "RestartCount": container.restarts,
        "Driver": "overlay2",
        "Platform": "linux",
        "HostConfig": {
            "Binds": [":".join(part for part in mount if part) for mount in spec.mounts],
            "NetworkMode": spec.network,
            "RestartPolicy": {"Name": policy, "MaximumRetryCount": int(retries or 0)},
            "AutoRemove": spec.remove,
            "CapAdd": list(spec.capabilities) or None,
            "IpcMode": spec.ipc,
            "Privileged": spec.privileged,
            "ShmSize": size_in_bytes(spec.shm_size or "64m"),
            "Devices": [
                {"PathOnHost": device, "PathInContainer": device, "CgroupPermissions": "rwm"}
                for device in spec.devices
            ],
            "DeviceRequests": [
                {"Driver": "", "Count": -1, "DeviceIDs": None, "Capabilities": [["gpu"]], "Options": {}}
            ]
            if spec.gpus
            else None,
            "Ulimits": [_ulimit(text) for text in spec.ulimits],
        },
        "Mounts": [
            {"Type": "bind", "Source": source, "Destination": target, "Mode": mode, "RW": mode != "ro"}
            for source, target, mode in spec.mounts
        ],
        "Config": {
            "Hostname": container.node.hostname if spec.network == "host" else container.id[:12],
            "User": spec.user,
            "Env": [f"{name}={value}" for name, value in spec.env.items()],
            "Cmd": list(spec.command),
            "Image": spec.image,
            "WorkingDir": spec.workdir,
            "Entrypoint": [spec.entrypoint] if spec.entrypoint else None,
            "Labels": dict(spec.labels),
        },
        "NetworkSettings": {"Ports": {}, "Networks": {spec.network: {"IPAddress": ""}}},
    }


def inspect_image(node: SimulatedNode, image: ContainerImage) -> dict[str, Any]:
    """Return one element of what ``docker image inspect REF`` prints."""
    tags = [with_tag(ref) for ref, held in node.images.items() if held is image]
    system, _, architecture = image.platform.partition("/")
    digests = [f"{tag.rsplit(':', 1)[0]}@{image.digest}" for tag in tags] if image.digest else []
    return {
        "Id": image_id(image),
        "RepoTags": tags,
        "RepoDigests": digests,
        "Created": _NEVER,
        "Architecture": architecture.partition("/")[0],
        "Os": system,
        "Size": 22 * GIB,
        "Config": {
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
            "Labels": {},
        },
    }


def size_in_bytes(text: str) -> int:
    """Return ``10g`` or ``64m`` as a number of bytes; 0 where it is neither."""
    text = text.strip().lower().rstrip("b").rstrip("i")
    factor = {"k": 1024, "m": 1024**2, "g": GIB}.get(text[-1:], 0)
    number = text[:-1] if factor else text
    return int(float(number) * (factor or 1)) if number.replace(".", "", 1).isdigit() else 0


def _ulimit(text: str) -> dict[str, Any]:
    name, _, value = text.partition("=")
    soft, _, hard = value.partition(":")
    return {"Name": name, "Hard": int(hard or soft or 0), "Soft": int(soft or 0)}
