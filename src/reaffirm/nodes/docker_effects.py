"""What a ``docker`` command changes, by its verb and its flags. Pure: nothing is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reaffirm.model.changes import Change

#: The words by which the command line of a container engine is known.
ENGINES = ("docker", "podman", "nerdctl")
#: In place of a name: it cannot be told which containers, or it may be all of them.
EVERY = "*"


@dataclass(frozen=True)
class Effect:
    """What one request changes. ``what`` is the verb in words.

    ``known`` is false where only whoever wrote it can say: then the declaration of the step counts.
    ``touches`` are containers, by name or id, that it ends, removes, replaces or works in; ``starts`` are
    the names of containers that it creates, empty text for one without a name.
    """

    what: str = ""
    change: Change = Change.NOTHING
    destructive: bool = False
    touches: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    known: bool = True
    inside: tuple[str, ...] = field(default=(), compare=False)


NONE = Effect()


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


# Global options with a value of their own: `docker --context lab ps`.
_GLOBAL = words_of(
    "--context -c --host -H --config --log-level -l --connection --url --tlscacert --tlscert --tlskey "
    "--address -a --namespace -n --root --runroot --identity --storage-driver --storage-opt --cgroup-manager "
    "--conmon --runtime --tmpdir --volumepath --ssh --module --data-root --snapshotter --hosts-dir"
)
_LOOKS = words_of(
    "ps inspect logs images version info stats top port diff events history wait search ls list show df "
    "exists healthcheck"
)
_ENDS = words_of("rm stop kill restart pause rename update remove")
_IMAGES = words_of("tag load pull import build commit push save buildx builder")
_GROUPS = words_of(
    "container image volume network system context manifest trust plugin secret config node service stack "
    "swarm buildx builder compose pod machine"
)
# Flags of the verbs above that are followed by a value.
_VALUED = words_of("-t --time --timeout -s --signal --memory -m --cpus --restart --filter --cidfile --depend")
# Flags of `docker run` that are followed by a value (docker 28 and podman 5); any other stands alone.
_ALONE = words_of(
    "-d --detach --rm -i --interactive -t --tty --init --privileged -P --publish-all --read-only "
    "--replace --no-healthcheck --oom-kill-disable --sig-proxy --quiet -q --no-hosts --help -it -ti -dit "
    "-di -id"
)
# All that a throw-away container may be given and still be no more than a look; any other flag may give it a
# hold on the node. Its network and its image are judged apart.
_HARMLESS = words_of(
    "--rm --network --net --pull --entrypoint -e --env --env-file -i --interactive -t --tty -it -ti --init "
    "--gpus -w --workdir -u --user -m --memory --memory-swap --cpus --shm-size --pids-limit --ulimit "
    "--read-only --tmpfs --platform --log-driver --hostname -h --quiet -q --no-healthcheck --stop-timeout "
    "-l --label --cap-drop"
)


def docker_effect(words: Sequence[str]) -> Effect:
    """Return what ``docker WORDS…`` changes (without the word ``docker`` itself)."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if flag in _GLOBAL and rest:
            rest.pop(0)
    if not rest:
        return NONE
    group = ""
    if rest[0] in _GROUPS:
        group = rest.pop(0)
        if group == "compose":
            return _compose(rest)
        if not rest or rest[0].startswith("-"):
            return NONE
    verb, arguments = rest[0], rest[1:]
    what = " ".join(filter(None, ("docker", group, verb)))
    if verb in _LOOKS and group in ("", "container", "image", "volume", "network", "system", "context"):
        return NONE
    if verb == "prune":
        hits = (EVERY,) if group in ("container", "system", "pod") else ()
        return Effect(what, Change.REMOVES, destructive=True, touches=hits)
    if group in ("", "container"):
        return _container(what, verb, arguments)
    if group == "image":
        gone = verb in ("rm", "remove")
        return Effect(what, Change.IMAGES, destructive=gone)
    if group in ("buildx", "builder", "manifest", "trust"):
        return Effect(what, Change.IMAGES)
    gone = verb in ("rm", "remove", "down", "leave", "disconnect", "stop", "kill")
    if group == "network" and verb in ("connect", "disconnect"):
        # docker network disconnect [-f] NETWORK CONTAINER
        named = _after_flags(arguments, frozenset(("-f", "--force")))
        return Effect(what, Change.RUNS, destructive=gone, touches=tuple(named[1:2]) or (EVERY,))
    return Effect(what, Change.RUNS, destructive=gone, touches=(EVERY,) if group == "pod" else ())


def _container(what: str, verb: str, arguments: Sequence[str]) -> Effect:
    if verb in ("run", "create"):
        return _run(what, verb, arguments)
    if verb in _ENDS:
        return Effect(what, Change.REMOVES, destructive=True, touches=_targets(verb, arguments))
    if verb in ("start", "unpause", "attach", "checkpoint", "restore", "init"):
        return Effect(what, Change.STARTS, touches=_targets(verb, arguments))
    if verb == "exec":
        rest = _after_flags(arguments, _ALONE)
        return Effect(what, Change.RUNS, touches=tuple(rest[:1]) or (EVERY,), inside=tuple(rest[1:]))
    if verb == "cp":
        return Effect(what, Change.FILES, touches=_copied_into(arguments))
    if verb in ("save", "export"):
        to_file = any(word.startswith(("-o", "--output")) for word in arguments)
        return Effect(what, Change.FILES) if to_file else NONE
    if verb == "rmi":
        return Effect(what, Change.IMAGES, destructive=True)
    if verb in _IMAGES:
        return Effect(what, Change.IMAGES)
    return Effect(what, Change.RUNS, known=False)


def _run(what: str, verb: str, arguments: Sequence[str]) -> Effect:
    """A throw-away container that sees neither network nor node is a look into an image."""
    flags: list[tuple[str, str]] = []
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        flag, equals, value = rest.pop(0).partition("=")
        if not equals and _takes_next(flag, _ALONE) and rest:
            value = rest.pop(0)
        flags.append((flag, value))
    given = dict(flags)
    often = len([flag for flag, _ in flags if flag in ("--network", "--net")]) > 1
    network = given.get("--network", given.get("--net", ""))
    alone = given.get("--rm") in ("", "true") and network == "none" and not often
    if verb == "run" and alone and given.get("--pull") == "never" and given.keys() <= _HARMLESS:
        return NONE
    # podman's --replace removes the container that has the name.
    replaces = (given.get("--name", EVERY),) if "--replace" in given else ()
    return Effect(
        what,
        Change.STARTS,
        destructive=bool(replaces),
        touches=replaces,
        starts=(given.get("--name", ""),),
    )


def _compose(words: Sequence[str]) -> Effect:
    rest = _after_flags(words, frozenset(("--ansi", "--compatibility", "--dry-run", "--all-resources")))
    verb = rest[0] if rest else ""
    if verb in _LOOKS or not verb:
        return NONE
    gone = verb in ("down", "stop", "rm", "kill", "restart", "pause", "up")
    return Effect(f"docker compose {verb}", Change.STARTS, destructive=gone, touches=(EVERY,))


def _targets(verb: str, arguments: Sequence[str]) -> tuple[str, ...]:
    names: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word in ("-a", "--all", "-l", "--latest") and verb not in ("start", "attach"):
            return (EVERY,)
        if word.startswith("-"):
            if word in _VALUED and rest and not (verb == "rm" and word == "-s"):
                rest.pop(0)
        else:
            names.append(word)
    return tuple(names)


def _copied_into(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the container that ``docker cp`` writes into: ``docker cp x vllm-head:/x``."""
    places = _after_flags(arguments, frozenset(("-a", "--archive", "-L", "--follow-link", "-q", "--quiet")))
    name, colon, _ = places[-1].partition(":") if len(places) > 1 else ("", "", "")
    # "./a:b" and "/x" are files of the node.
    return (name,) if colon and "/" not in name and name != "." else ()


def _after_flags(words: Sequence[str], alone: frozenset[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if "=" not in flag and _takes_next(flag, alone) and rest:
            rest.pop(0)
    return rest


def _takes_next(flag: str, alone: frozenset[str]) -> bool:
    """Whether the next word is the value of a flag: not after `-p8080:80`, nor after `-dt`."""
    return flag not in alone and (flag.startswith("--") or len(flag) == 2)
