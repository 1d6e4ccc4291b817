"""Parses ``docker run`` as Docker does: its flags, the image, and the command for the container."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from reaffirm.nodes.simulated.container import RunSpec


class DockerError(Exception):
    """What the container engine answers instead: text for standard error, and an exit status."""

    def __init__(self, text: str, exit_status: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.exit_status = exit_status


_HELP = "\n\nRun 'docker run --help' for more information"


def bad_usage(text: str, command: str = "run") -> NoReturn:
    """Answer a command line that Docker does not understand (exit status 125).

    Raises:
        DockerError: always.
    """
    more = f"Usage:  docker {command} [OPTIONS]\n\nRun 'docker {command} --help' for more information"
    msg = f"{text}\n\n{more}"
    raise DockerError(msg, 125)


def refused(text: str) -> DockerError:
    """Return the error of a ``docker run`` that the daemon refuses (exit status 125)."""
    return DockerError(f"docker: {text}{_HELP}", 125)


def refuse(text: str) -> NoReturn:
    """Answer a ``docker run`` that the daemon refuses (exit status 125).

    Raises:
        DockerError: always.
    """
    raise refused(text)


#: Flags without a value, and the field they set.
_SWITCHES = {
    "-d": "detach",
    "--detach": "detach",
    "--rm": "remove",
    "-i": "interactive",
    "--interactive": "interactive",
    "-t": "",
    "--tty": "",
    "--init": "",
    "--privileged": "privileged",
}
#: Flags with a value that is kept as it is.
_VALUES = {
    "--name": "name",
    "--entrypoint": "entrypoint",
    "--gpus": "gpus",
    "--network": "network",
    "--net": "network",
    "--ipc": "ipc",
    "--shm-size": "shm_size",
    "--restart": "restart",
    "-w": "workdir",
    "--workdir": "workdir",
    "-u": "user",
    "--user": "user",
    "--hostname": "",
    "-h": "",
    "--pull": "",
    "--platform": "",
    "--runtime": "",
    "--memory": "",
    "-m": "",
    "--cpus": "",
    "--pid": "",
    "--uts": "",
    "--userns": "",
    "--log-driver": "",
    "--log-opt": "",
    "--security-opt": "",
    "--cgroupns": "",
    "--stop-timeout": "",
}
#: Flags that may come several times.
_LISTS = {
    "-e": "env",
    "--env": "env",
    "-l": "labels",
    "--label": "labels",
    "-v": "mounts",
    "--volume": "mounts",
    "--device": "devices",
    "--ulimit": "ulimits",
    "--cap-add": "capabilities",
    "--add-host": "",
    "--tmpfs": "",
    "--group-add": "",
    "--sysctl": "",
    "-p": "",
    "--publish": "",
}


def parse_run(words: Sequence[str], node_env: Callable[[str], str | None] = lambda _: None) -> RunSpec:
    """Return what ``docker run WORDS…`` asks for.

    Args:
        words: what follows ``docker run``.
        node_env: looks up a variable of the node's own, for ``-e NAME`` without a value.

    Raises:
        DockerError: an unknown flag, a flag without its value, no image, or a volume Docker refuses.
    """
    rest = list(words)
    single: dict[str, Any] = {}
    lists: dict[str, list[str]] = {}
    while rest and rest[0].startswith("-") and rest[0] != "-":
        flag, given, value = rest.pop(0).partition("=")
        if not flag.startswith("--") and len(flag) > 2:
            # Short flags may be joined: -it, and -eNAME=value.
            if flag[:2] in _SWITCHES:
                rest.insert(0, "-" + flag[2:] + given + value)
                flag, given, value = flag[:2], "", ""
            else:
                flag, given, value = flag[:2], "=", flag[2:] + given + value
        if flag in _SWITCHES:
            if _SWITCHES[flag]:
                single[_SWITCHES[flag]] = value != "false"
            continue
        if flag not in _VALUES and flag not in _LISTS:
            known = "unknown shorthand flag: " + repr(flag[1]) + " in " + flag
            bad_usage(f"unknown flag: {flag}" if flag.startswith("--") else known)
        if not given:
            if not rest:
                bad_usage(f"flag needs an argument: {flag}")
            value = rest.pop(0)
        if flag in _VALUES:
            if _VALUES[flag]:
                single[_VALUES[flag]] = value
        elif _LISTS[flag]:
            lists.setdefault(_LISTS[flag], []).append(value)
    if not rest:
        bad_usage("docker: 'docker run' requires at least 1 argument")
    return RunSpec(
        image=rest[0],
        command=tuple(rest[1:]),
        env=_env(lists.get("env", []), node_env),
        labels=dict(_pair(label) for label in lists.get("labels", [])),
        mounts=tuple(_mount(volume) for volume in lists.get("mounts", [])),
        devices=tuple(device.partition(":")[0] for device in lists.get("devices", [])),
        ulimits=tuple(lists.get("ulimits", [])),
        capabilities=tuple(lists.get("capabilities", [])),
        **single,
    )


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def _env(given: Sequence[str], node_env: Callable[[str], str | None]) -> dict[str, str]:
    env: dict[str, str] = {}
    for entry in given:
        name, has_value, value = entry.partition("=")
        if has_value:
            env[name] = value
        elif (own := node_env(name)) is not None:
            env[name] = own
    return env


def _mount(volume: str) -> tuple[str, str, str]:
    source, _, rest = volume.partition(":")
    target, _, options = rest.partition(":")
    if not target:
        return "", source, options
    if not source.startswith("/") and not all(c.isalnum() or c in "_.-" for c in source):
        # No shell has expanded a '~' in an argument list; Docker does not either.
        text = (
            f'create {source}: "{source}" includes invalid characters for a local volume name, only '
            '"[a-zA-Z0-9][a-zA-Z0-9_.-]" are allowed. If you intended to pass a host directory, use absolute '
            "path"
        )
        refuse(f"Error response from daemon: {text}")
    if not target.startswith("/"):
        text = 'invalid mount config for type "bind": invalid mount path'
        text = f"invalid volume specification: '{volume}': {text}: '{target}' mount path must be absolute"
        refuse(f"Error response from daemon: {text}")
    return source, target, options
