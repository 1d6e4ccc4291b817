"""What a request changes on its node: told by its words alone where they are known, else by who sends it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from reaffirm.model.changes import Change
from reaffirm.nodes.docker_effects import ENGINES, EVERY, NONE, Effect, docker_effect, words_of
from reaffirm.store.node_programs import digest, node_programs
from reaffirm.store.project import Project, find_project

__all__ = ["EVERY", "NONE", "Effect", "effect_of", "hides_docker", "mentions"]

#: Programs that only look, whatever their words are.
_LOOKS = words_of(
    "[ basename cat cmp cut df diff dirname du echo expr factor false file fold free getent getfacl "
    "groups grep head ibdev2netdev ibstat ibv_devinfo id iotop lsblk lscpu lsmem lsof lspci lsusb md5sum "
    "nl nproc numfmt od paste pgrep pidof ping printenv printf ps pwd readlink realpath seq sha1sum "
    "sha256sum sha512sum sleep stat strings tac tail test tr true tty type uname uptime vmstat wc which "
    "who whoami zcat"
)
# Programs that look as long as their words are such ones; a run meets few of them.
_LOOKS_IF: Mapping[str, str] = {
    "hostname": r"-[aAdfiIsy]+|--(?:alias|all-\S+|domain|fqdn|long|ip-address|short)",
    "date": r"\+.*|-u|--utc|-R|-I\S*|-Iseconds|--iso-8601\S*",
    "ss": r"(?s:(?!--kill|-[A-Za-z]*[KD]).*)",
    "nvidia-smi": r"--query-\S*|--format=\S*|-q|-L|-x|topo|-m|-i|-d|\d+|[A-Z,]+|--query|--list-gpus",
    "find": r"(?s:(?!-delete|-exec|-ok|-fprint|-fls).*)",
    "sort": r"(?s:(?!-[A-Za-z]*o|--o|--c).*)",
    "journalctl": r"(?s:(?!--vacuum|--rotate|--flush|--sync|--setup).*)",
    "dmesg": r"(?s:(?!-[A-Za-z]*[cCDEn]|--c|--read-clear).*)",
    "sysctl": r"-n|-a|-e|[a-z0-9_.]+",
}
# The first word that follows decides: `systemctl status x`, `git log`, `pip show vllm`.
_LOOKS_WITH: Mapping[str, frozenset[str]] = {
    "systemctl": words_of("status show is-active is-enabled is-failed cat list-units list-timers"),
    "git": words_of("status log show rev-parse diff describe ls-files"),
    "pip": frozenset(["show", "list", "freeze", "check"]),
    "pip3": frozenset(["show", "list", "freeze", "check"]),
    "timedatectl": frozenset(("status", "show", "timesync-status")),
    "ethtool": frozenset(("-i", "-S", "-k", "-g", "-T", "-m")),
}
# What `ip OBJECT` may be followed by: it takes any beginning of a verb, and `s` is `set` to it.
_IP_LOOKS = words_of("show list ls lst get dev")
_IP_VALUED = words_of("-f -family -n -netns -l -loops -rc -rcvbuf")
# Nothing that it is asked: a name that these follow is written to.
_WRITES = re.compile(r"--output(=.*)?", re.DOTALL)
#: Programs that may destroy what somebody needs.
_DESTROYS = re.compile(
    r"(rm|rmdir|unlink|shred|dd|truncate|wipefs|fdisk|parted|mkfs(\..+)?|mkswap|kill|pkill|killall|skill|"
    r"reboot|shutdown|poweroff|halt|init|telinit|systemctl|service|iptables|nft|ufw|userdel|fuser|crictl|ctr)\Z"
)
# Words before a command that change nothing about what it does; with the options of each that take a value.
_WRAPPERS: Mapping[str, frozenset[str]] = {
    "sudo": words_of("-u -g -h -p -C -T -r -t -D --user --group --host --prompt --chdir"),
    "doas": frozenset(("-u", "-C")),
    "env": frozenset(("-u", "--unset", "-C", "--chdir")),
    "nice": frozenset(("-n", "--adjustment")),
    "ionice": frozenset(("-c", "-n", "-p", "--class", "--classdata")),
    "timeout": frozenset(("-s", "--signal", "-k", "--kill-after")),
    "stdbuf": frozenset(("-i", "-o", "-e")),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "time": frozenset(("-f", "-o")),
    "command": frozenset(),
    "exec": frozenset(("-a",)),
}
#: Of the programs under scripts/node, those that change something.
_PROGRAMS: Mapping[str, Effect] = {
    "fetch_image.py": Effect("docker load", Change.IMAGES),
    "example_server.py": Effect("a server of its own", Change.RUNS),
}
# The options by which sudo opens a shell.
_SHELL = frozenset(("-i", "-s", "--login", "--shell"))
_SHELLS = words_of("sh bash dash zsh ksh ash fish")
# A program that may destroy something, where a shell's text has a command.
_DESTROYS_IN_TEXT = re.compile(
    r"(?:^|[;&|({`\n]|\b(?:then|do|else|exec|sudo|xargs|nohup)\s)\s*(?:/\S*/)?"
    r"(rm|rmdir|unlink|shred|dd|truncate|wipefs|mkfs\S*|kill|pkill|killall|reboot|shutdown|poweroff|halt)\s"
)
_VERBS = re.compile(
    r"\b(?:docker|podman|nerdctl)\b[^\n;|&]*?\b(rm|rmi|remove|stop|kill|restart|pause|unpause|rename|update|prune|down|leave|run|create|"
    r"start|exec|load|pull|tag|compose|cp|commit|build)\b"
)
# A shell may call it by another name: `d=docker; $d rm x`, `v=rm; docker $v x`.
_INDIRECT = re.compile(r"[$`]|\beval\b|\balias\b")
_ENGINE = re.compile(r"\b(?:docker|podman|nerdctl)\b")
_VERB = re.compile(
    r"(?<![\w-])(rm|rmi|remove|stop|kill|restart|pause|unpause|rename|update|prune|down|leave|run|create|start|exec|"
    r"cp|compose)(?![\w-])"
)
_ENDS = words_of("rm rmi remove stop kill restart pause rename update prune down leave compose")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def effect_of(argv: Sequence[str], stdin: str | None = None) -> Effect:
    """Return what a command changes, as far as its words tell."""
    words = _unwrapped(argv)
    if not words and argv and (stdin is not None or _SHELL & set(argv)):
        words = ["sh"]  # sudo -s, and whatever is typed into it
    if not words:
        return NONE
    program = words[0].rpartition("/")[2]
    if program in ENGINES:
        found = docker_effect(words[1:])
        if not found.inside:
            return found
        inner = effect_of(found.inside)
        return NONE if inner == NONE else replace(found, destructive=inner.destructive)
    if program.startswith("python3") and words[1:2] == ["-"] and stdin is not None:
        project = find_project()
        name = _shipped(project.root if project else None).get(digest(stdin), "")
        if name:
            return _PROGRAMS.get(name, NONE)
    if _looks(program, words[1:]):
        return NONE
    gone = bool(_DESTROYS.match(program))
    text = "\n".join((" ".join(words), stdin or "")).replace("\\\n", " ")  # a line that goes on
    if program in _SHELLS:
        gone = gone or any(_DESTROYS_IN_TEXT.search(f"{part}\n") for part in (*words[1:], stdin or ""))
    if hidden := _VERBS.search(text):  # in a shell's text, or in a program's
        gone = gone or hidden[1] in _ENDS
        return Effect(f"{program} with docker {hidden[1]}", Change.RUNS, destructive=gone, known=False)
    if program in _SHELLS and _INDIRECT.search(text) and _ENGINE.search(text):
        verbs = _VERB.findall(text)
        if verbs:
            gone = gone or any(verb in _ENDS for verb in verbs)
            return Effect(f"{program} with docker {verbs[0]}", Change.RUNS, destructive=gone, known=False)
    return Effect(program, Change.RUNS, destructive=gone, known=False)


def hides_docker(effect: Effect) -> bool:
    """Whether a text for a shell or another program holds a command of Docker that changes something."""
    return not effect.known and " with docker " in effect.what


def mentions(argv: Sequence[str], stdin: str | None = None) -> frozenset[str]:
    """Return every word in a command and its input that could be the name of a container."""
    return frozenset(_WORD.findall("\n".join((*argv, stdin or ""))))


def _looks(program: str, words: Sequence[str]) -> bool:
    if program in _LOOKS:
        return True
    if (allowed := _LOOKS_IF.get(program)) is not None:
        return all(re.fullmatch(allowed, word) for word in words)
    if (verbs := _LOOKS_WITH.get(program)) is not None:
        return bool(words) and words[0] in verbs and not any(_WRITES.fullmatch(w) for w in words)
    if program == "ip":
        return _ip_looks(words)
    return list(words) in (["--version"], ["--help"], ["-V"])


def _ip_looks(words: Sequence[str]) -> bool:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if flag.startswith(("-b", "-fo")):  # orders from a file; go on after an error
            return False
        if flag in _IP_VALUED and rest:
            rest.pop(0)
    return len(rest) < 2 or rest[1] in _IP_LOOKS


def _unwrapped(argv: Sequence[str]) -> list[str]:
    words = list(argv)
    while words and (options := _WRAPPERS.get(words[0].rpartition("/")[2])) is not None:
        wrapper = words.pop(0).rpartition("/")[2]
        while words and (words[0].startswith("-") or (wrapper in ("env", "sudo") and "=" in words[0])):
            option = words.pop(0)
            if option in options and words:
                words.pop(0)
        if wrapper == "timeout" and words:
            words.pop(0)
    return words


@lru_cache(maxsize=4)
def _shipped(root: Path | None) -> Mapping[str, str]:
    """The hash of each program for nodes → its file name."""
    return {digest(text): name for name, text in node_programs(Project(root) if root else None).items()}
