"""The ``docker`` command of a simulated node: answers, error texts and exit statuses of Docker 28."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reaffirm.nodes.simulated.container import Container, LogLine
from reaffirm.nodes.simulated.docker_json import inspect_container, inspect_image
from reaffirm.nodes.simulated.docker_run import DockerError, bad_usage
from reaffirm.nodes.simulated.docker_start import Spend, run_container
from reaffirm.nodes.simulated.docker_templates import log_text, render, status, take_format
from reaffirm.nodes.simulated.machine import SimulatedNode, image_id
from reaffirm.nodes.simulated.output import Output
from reaffirm.nodes.simulated.troubles import cannot_remove

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


class Docker:
    """One call of ``docker`` on a node. ``spend`` lets the time pass that it takes."""

    def __init__(self, world: "World", node: SimulatedNode, spend: Spend) -> None:
        self.world = world
        self.node = node
        self.spend = spend

    def answer(self, words: Sequence[str], stdin: str | None) -> Output:
        """Answer ``docker WORDS…``."""
        commands: Mapping[str, Callable[[list[str]], Output]] = {
            "version": self._version,
            "info": self._info,
            "ps": self._ps,
            "inspect": self._inspect,
            "logs": self._logs,
            "rm": self._rm,
            "stop": self._stop,
            "kill": self._kill,
            "start": self._start,
            "wait": self._wait,
        }
        rest = list(words)
        try:
            match rest:
                case ["run", *arguments]:
                    return run_container(self.world, self.node, arguments, stdin, self.spend)
                case ["container", command, *arguments] if command in commands:
                    return commands[command](arguments)
                case ["image", "inspect", *arguments]:
                    return self._image_inspect(arguments)
                case ["images" | "image", *_]:
                    return self._images(rest)
                case [command, *arguments] if command in commands:
                    return commands[command](arguments)
                case _:
                    shown = rest[0] if rest else ""
                    text = (
                        f"docker: unknown command: docker {shown}\n\nRun 'docker --help' for more information"
                    )
                    return Output(1, "", text + "\n")
        except DockerError as error:
            return Output(error.exit_status, "", error.text + "\n")

    # --- small ones

    def _version(self, words: list[str]) -> Output:
        template, _ = take_format(words, "version")
        data = {"Client": {"Version": self.world.docker}, "Server": {"Version": self.world.docker}}
        shown = f"Client:\n Version: {self.world.docker}"
        return Output(0, (render(template, data) if template else shown) + "\n")

    def _info(self, words: list[str]) -> Output:
        template, _ = take_format(words, "info")
        data = {"DockerRootDir": "/var/lib/docker", "ServerVersion": self.world.docker}
        shown = f"Server:\n Server Version: {self.world.docker}\n Docker Root Dir: /var/lib/docker"
        return Output(0, (render(template, data) if template else shown) + "\n")

    def _ps(self, words: list[str]) -> Output:
        template, rest = take_format(words, "ps")
        everything = any(word in ("-a", "--all", "-aq", "-qa") for word in rest)
        for word in rest:
            if word not in ("-a", "--all", "--no-trunc", "-q", "-aq", "-qa"):
                bad_usage(f"unknown flag: {word}", "ps")
        template = template or (
            "{{.ID}}" if any("q" in word for word in rest) else "{{.ID}} {{.Image}} {{.Names}}"
        )
        newest_first = reversed(list(self.node.containers.values()))
        rows = [
            {
                "ID": container.id[:12],
                "Names": container.name,
                "Image": container.spec.image,
                "State": container.status,
                "Status": status(container, self.world.clock.now()),
                "Labels": ",".join(f"{k}={v}" for k, v in container.spec.labels.items()),
                "Command": json.dumps(" ".join(container.spec.command)),
            }
            for container in newest_first
            if everything or container.running
        ]
        return Output(0, "".join(render(template, row) + "\n" for row in rows))

    def _inspect(self, words: list[str]) -> Output:
        template, names = take_format(words, "inspect")
        names = [name for name in names if name not in ("--type", "container", "-s", "--size")]
        found: list[dict[str, Any]] = []
        errors: list[str] = []
        for name in names:
            container = self._find(name)
            image = self.node.find_image(name)
            if container is not None:
                found.append(inspect_container(container))
            elif image is not None:
                found.append(inspect_image(self.node, image))
            else:
                errors.append(f"error: no such object: {name}\n")
        return _inspected(template, found, errors)

    def _image_inspect(self, words: list[str]) -> Output:
        template, names = take_format(words, "image inspect")
        found, errors = [], []
        for name in names:
            image = self.node.find_image(name)
            if image is None:
                shown = name if ":" in name else f"{name}:latest"
                errors.append(f"Error response from daemon: No such image: {shown}\n")
            else:
                found.append(inspect_image(self.node, image))
        return _inspected(template, found, errors)

    def _images(self, words: list[str]) -> Output:
        arguments = words[2:] if words[:2] == ["image", "ls"] else words[1:]
        template, _ = take_format(arguments, "images")
        rows = []
        for reference, image in self.node.images.items():
            repository, _, tag = reference.partition(":")
            row = {"Repository": repository, "Tag": tag or "latest", "ID": image_id(image)[7:19]}
            row["Size"] = f"{inspect_image(self.node, image)['Size'] / 1e9:.1f}GB"
            rows.append(render(template or "{{.Repository}}:{{.Tag}} {{.ID}}", row) + "\n")
        return Output(0, "".join(rows))

    def _logs(self, words: list[str]) -> Output:
        lines, name, follow, stamps = self.log_request(words)
        container = self.find(name)
        if follow:
            while container.running or container.status == "restarting":
                self.spend(1.0)
            lines = container.logs
        out, err = (
            "".join(
                log_text(line, stamps, self.node.troubles.clock_ahead) + "\n"
                for line in lines
                if line.stream == stream
            )
            for stream in ("stdout", "stderr")
        )
        return Output(0, out, err)

    def log_request(self, words: Sequence[str]) -> tuple[list[LogLine], str, bool, bool]:
        """Read the arguments of ``docker logs``: lines there are, name, whether to follow, with times.

        Raises:
            DockerError: an unknown flag or no such container.
        """
        follow = stamps = False
        tail, names = "all", []
        rest = list(words)
        while rest:
            flag, given, value = rest.pop(0).partition("=")
            if flag in ("-f", "--follow"):
                follow = True
            elif flag in ("-t", "--timestamps"):
                stamps = True
            elif flag in ("-ft", "-tf"):
                follow = stamps = True
            elif flag in ("-n", "--tail"):
                tail = value if given else rest.pop(0) if rest else "all"
            elif flag.startswith("-"):
                bad_usage(f"unknown flag: {flag}", "logs")
            else:
                names.append(flag)
        if len(names) != 1:
            bad_usage("docker: 'docker logs' requires 1 argument", "logs")
        lines = self.find(names[0]).logs
        if tail.isdigit():
            lines = lines[len(lines) - min(int(tail), len(lines)) :]
        return list(lines), names[0], follow, stamps

    # --- ends of containers

    def _each(
        self, names: Sequence[str], act: Callable[[Container], None], *, forgiving: bool = False
    ) -> Output:
        out, err, code = "", "", 0
        for name in names:
            container = self._find(name)
            if container is None:
                err += f"Error response from daemon: No such container: {name}\n"
                code = code if forgiving else 1
                continue
            try:
                act(container)
            except DockerError as error:
                err += error.text + "\n"
                code = 1
                continue
            out += f"{name}\n"
        return Output(code, out, err)

    def _rm(self, words: list[str]) -> Output:
        force, names = False, []
        for word in words:
            if word in ("-f", "--force", "-fv", "-vf"):
                force = True
            elif word.startswith("-") and word not in ("-v", "--volumes"):
                bad_usage(f"unknown flag: {word}", "rm")
            elif not word.startswith("-"):
                names.append(word)

        def remove(container: Container) -> None:
            if container.running and not force:
                text = "container is running: stop the container before removing or force remove"
                msg = f'Error response from daemon: cannot remove container "/{container.name}": {text}'
                raise DockerError(msg)
            self.spend(self.world.durations["docker-remove"])
            if why := cannot_remove(self.node, container.name):
                raise DockerError(why)
            container.stop()
            container.kill()
            self.node.containers.pop(container.name, None)

        return self._each(names, remove, forgiving=force)

    def _stop(self, words: list[str]) -> Output:
        grace, names = self.world.durations["docker-stop"], []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in ("-t", "--time", "--timeout") and rest:
                grace = float(rest.pop(0))
            else:
                names.append(word)

        def stop(container: Container) -> None:
            container.stop()
            rank = self.world.rank_of(container)
            if rank is not None and rank.ready:
                self.spend(min(1.0, grace))
                container.exit(0)
            elif container.running:
                self.spend(grace)
                container.kill()

        return self._each(names, stop)

    def _kill(self, words: list[str]) -> Output:
        names = [
            word
            for word in words
            if not word.startswith("-") and word.upper() not in ("KILL", "SIGKILL", "9")
        ]

        def kill(container: Container) -> None:
            if not container.running:
                text = f"container {container.id} is not running"
                msg = f"Error response from daemon: cannot kill container: {container.name}: {text}"
                raise DockerError(msg)
            container.stop()
            container.kill()

        return self._each(names, kill)

    def _start(self, words: list[str]) -> Output:
        def start(container: Container) -> None:
            if not container.running:
                self.spend(self.world.durations["docker-start"])
                container.start()

        return self._each(words, start)

    def _wait(self, words: list[str]) -> Output:
        out = ""
        for name in words:
            container = self.find(name)
            while container.running or container.status == "restarting":
                self.spend(1.0)
            out += f"{container.exit_code}\n"
        return Output(0, out)

    # --- finding

    def _find(self, name: str) -> Container | None:
        wanted = name.lstrip("/")
        for container in self.node.containers.values():
            if container.name == wanted or (len(wanted) >= 6 and container.id.startswith(wanted)):
                return container
        return None

    def find(self, name: str) -> Container:
        """Return the container of that name or id.

        Raises:
            DockerError: there is none.
        """
        container = self._find(name)
        if container is None:
            msg = f"Error response from daemon: No such container: {name}"
            raise DockerError(msg)
        return container


def _inspected(template: str, found: list[dict[str, Any]], errors: list[str]) -> Output:
    if template:
        out = "".join(render(template, entry) + "\n" for entry in found)
    else:
        out = json.dumps(found, indent=4) + "\n"
    return Output(1 if errors else 0, out, "".join(errors))
