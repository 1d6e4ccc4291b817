"""The three orders: up, down, status."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

import hosts
import model
import network
import packages
import ssh
import status
import wheels
from obstacles import CannotRunError, CommandFailedError
from places import CACHE, HOSTS, RECIPES, STATE
from stages import alone, stage

import images

NEXT = "papermill runbooks/pivot_to_vllm.py -p nodes lab"
INTERRUPTED = 130  # as a shell tells of Ctrl-C


def main(words: list[str]) -> int:
    """Parse the words and obey. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/lab", description=__doc__)
    orders = parser.add_subparsers(dest="order", required=True)
    orders.add_parser("up", help="make the lab, or what is missing of it")
    orders.add_parser("down", help=f"take it away; images stay in {CACHE}")
    orders.add_parser("status", help="what is there").add_argument("--json", action="store_true")
    try:
        asked = parser.parse_args(words)
    except SystemExit as error:
        return 3 if error.code else 0
    try:
        packages.root()
        if asked.order == "status":
            return status.show(as_json=asked.json)
        packages.permitted()
        with alone():
            return up() if asked.order == "up" else down()
    except CannotRunError as error:
        print(f"scripts/lab: cannot run here: {error}", file=sys.stderr)
        return 2
    except CommandFailedError as error:
        print(f"scripts/lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        print(f"scripts/lab: {interrupted(asked.order, *stop.args)}", file=sys.stderr)
        return INTERRUPTED


def interrupted(order: str, name: str = "") -> str:
    """What to say after Ctrl-C in a stage: what was done stays, so the same order goes on from there."""
    where = f"interrupted in stage {name!r}" if name else "interrupted"
    if order == "up":
        return f"{where}; run `scripts/lab up` again, it goes on from there, or `scripts/lab down`"
    return f"{where}; run `scripts/lab {order}` again"


def next_command() -> str:
    """What to type next, in the environment of the README where that is there and none is active."""
    own = not os.environ.get("VIRTUAL_ENV") and (RECIPES.parents[1] / ".venv/bin/papermill").exists()
    return f".venv/bin/{NEXT}" if own else NEXT


def up() -> int:
    """Make what is missing, stage by stage, and say what to type next."""
    with stage("packages") as this:
        this.say(packages.install())
    STATE.mkdir(parents=True, exist_ok=True)
    stale = [image for image in images.IMAGES if not images.fresh(image)]
    if stale:
        # A running container rests on layers that a rebuild may take away.
        for host in HOSTS:
            hosts.stop(host)
        packages.room(CACHE)
        with stage("torch") as this:
            this.say(f"torch {wheels.torch_build()}")
        for image in stale:
            with stage(f"image {image.reference}") as this:
                this.say(images.build(image))
        images.prune()
    else:
        with stage("images") as this:
            this.say("all in the cache, inputs unchanged")
    with stage("keys") as this:
        this.say(ssh.keys())
    with stage("network") as this:
        if not network.complete():
            for host in HOSTS:
                hosts.stop(host)
        this.say(network.up())
    for host in HOSTS:
        with stage(f"host {host.name}") as this:
            started = hosts.start(host)
            ssh.wait(host)
            this.say(f"{'started' if started else 'already up'}, sshd at {host.address}")
    with stage("model") as this:
        this.say(model.make())
    print(f"\nThe lab is up. Next:\n  {next_command()}")
    return 0


def down() -> int:
    """End the hosts and what runs on them, take networks and state away; keep the images."""
    for host in HOSTS:
        with stage(f"host {host.name}") as this:
            this.say("stopped" if hosts.stop(host) else "was not up")
    with stage("network") as this:
        network.down()
        hosts.sweep_cgroups()
        images.unmount()
        this.say("gone")
    with stage("state") as this:
        shutil.rmtree(STATE / "hosts", ignore_errors=True)
        this.say(f"hosts' folders removed; keys and model stay in {STATE}, images in {CACHE}")
    return 0
