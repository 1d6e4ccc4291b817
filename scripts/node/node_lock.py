"""Take, keep or give back the lock of this machine, so that two runs do not change it at the same time.

The lock is one small file in a folder that every user of this machine can write to: ``/run/lock/reaffirm``,
else ``/tmp/reaffirm``, or below NODE_LOCK_FOLDER where the machine sets that. It says which run holds it,
started where and when. It is void when this machine was booted since, and when its time is over without its
run having said that it is still there. Whoever does not ask is not kept out: it keeps runs apart, not people.
It changes nothing else on this machine.

Usage: ``python3 - ORDER … < node_lock.py``; the last line of its output is one JSON object.

* ``take HOLDER SECONDS [TOKEN]``: HOLDER is a JSON object with a ``token``. With TOKEN, a lock that has it
  counts as void: its run is known to be dead. ``{"taken": true, "after": {…}|null}``, or
  ``{"taken": false, "holder": {…}}``; ``token`` is another one where the same process holds it already
* ``keep TOKEN SECONDS``: say that the run is still there. ``{"kept": true}``, or ``{"kept": false, …}``
* ``free TOKEN``: give it back, if it is ours. ``{"freed": true}``
* ``show``: ``{"holder": {…}|null}``
* ``break RUN BY``: remove the lock of that run, whatever its state. ``{"broken": {…}|null, …}``

Needs Python 3.9 or newer and nothing else.
"""

import fcntl
import json
import os
import stat
import sys
import time

NAME, BROKEN = "node.lock", "broken.lock"
# How long another one that is at the same file may take (seconds), and the longest lock that is read (bytes).
PATIENCE, LONGEST = 5.0, 10_000


def since_boot():
    """Return seconds since this machine was booted: no clock that is set can move them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def boot():
    """Return what is another at each boot; empty where the system does not tell."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as text:
            return text.read().strip()
    except OSError:
        return ""


def folder():
    """Return the folder of the lock, made if it is not there; the same for every user of this machine."""
    base = os.environ.get("NODE_LOCK_FOLDER", "")
    if not base:
        base = "/tmp"
        try:
            mode = os.stat("/run/lock").st_mode
            if stat.S_ISDIR(mode) and mode & stat.S_IWOTH:
                base = "/run/lock"
        except OSError:
            pass
    path = os.path.join(base, "reaffirm")
    try:
        os.mkdir(path)
        os.chmod(path, 0o777)  # the lock of a dead run is removed by whoever comes next
    except FileExistsError:
        pass
    if not stat.S_ISDIR(os.lstat(path).st_mode):
        raise OSError(path + " is no folder")
    return path


def alone(path):
    """Wait until nobody else is at the folder; it is let go when this program ends."""
    at = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise OSError(path + " is in use by somebody else") from None
            time.sleep(0.05)


def read(path, name):
    """Return what a file says, or None: it is not there, or it is none of ours."""
    try:
        # whoever put a pipe there would have everybody wait for ever
        at = os.open(os.path.join(path, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(at, encoding="utf-8") as text:
            if not stat.S_ISREG(os.fstat(at).st_mode):
                return None
            said = json.loads(text.read(LONGEST))
    except (OSError, ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def write(path, name, said):
    """Write a file at once or not at all."""
    part = os.path.join(path, "." + str(os.getpid()) + "-" + name)
    at = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    with os.fdopen(at, "w", encoding="utf-8") as text:
        json.dump(said, text)
    os.replace(part, os.path.join(path, name))


def void(said, dead):
    """Return why a lock does not count; empty when it does."""
    if said.get("boot") != boot():
        return "the machine was booted since"
    if dead and said.get("token") == dead:
        return "its run is dead"
    until = said.get("until")
    if not isinstance(until, (int, float)) or until < since_boot():
        return "its run was not heard of any more"
    return ""


def shown(said, why=""):
    """Return a lock as it is told: without what only this program needs."""
    if said is None:
        return None
    told = {key: said[key] for key in said if key not in ("boot", "until")}
    if why:
        told["void"] = why
    return told


def take(path, holder, seconds, dead=""):
    """Take the lock."""
    there = read(path, NAME)
    why = void(there, dead) if there else ""
    if there and not why and there.get("token") != holder["token"]:
        if all(there.get(key) == holder.get(key) for key in ("machine", "pid", "born")):
            write(path, NAME, dict(there, until=since_boot() + seconds))
            return {"taken": True, "token": there.get("token"), "after": None}  # a second time by one process
        return {"taken": False, "holder": shown(there)}
    write(path, NAME, dict(holder, boot=boot(), until=since_boot() + seconds))
    after = there if there and there.get("token") != holder["token"] else None
    return {"taken": True, "after": shown(after, why)}


def keep(path, token, seconds):
    """Say that the run is still there."""
    there = read(path, NAME)
    if there and there.get("token") == token:
        write(path, NAME, dict(there, until=since_boot() + seconds))
        return {"kept": True}
    broken = read(path, BROKEN)
    mine = broken if broken and broken.get("token") == token else None
    return {"kept": False, "holder": shown(there), "broken": mine and mine.get("by")}


def free(path, token):
    """Give the lock back."""
    there = read(path, NAME)
    mine = bool(there and there.get("token") == token)
    if mine:
        os.unlink(os.path.join(path, NAME))
    return {"freed": mine}


def break_(path, run, by):
    """Remove the lock of a run, and note who did it for the run that held it."""
    there = read(path, NAME)
    if there is None or there.get("run") != run:
        return {"broken": None, "holder": shown(there)}
    write(path, BROKEN, {"token": there.get("token"), "run": run, "by": by, "at": time.time()})
    os.unlink(os.path.join(path, NAME))
    return {"broken": shown(there), "holder": None}


def main():
    """Do what was ordered and print how it went."""
    order, words = sys.argv[1], sys.argv[2:]
    path = folder()
    alone(path)
    if order == "take":
        told = take(path, json.loads(words[0]), float(words[1]), *words[2:3])
    elif order == "keep":
        told = keep(path, words[0], float(words[1]))
    elif order == "free":
        told = free(path, words[0])
    elif order == "break":
        told = break_(path, words[0], words[1])
    else:
        told = {"holder": shown(read(path, NAME))}
        if told["holder"]:
            told["holder"]["void"] = void(read(path, NAME), "")
    print(json.dumps(told))


try:
    main()
except OSError as error:
    sys.exit("the lock cannot be used: " + str(error))
