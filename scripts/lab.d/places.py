"""Names, addresses and folders of the lab, in one place."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

STATE = Path("/var/lib/reaffirm-lab")
CACHE = Path(os.environ.get("REAFFIRM_LAB_CACHE") or "/var/cache/reaffirm-lab")
RECIPES = Path(__file__).resolve().parent
SSH = STATE / "ssh"
MODELS = STATE / "models"
STORE = CACHE / "store"  # read-only for the hosts: each image exists once
WHEELS = CACHE / "wheels"
ROOTS = CACHE / "roots"
MARKER = "reaffirm-lab"  # /etc/reaffirm-lab, on the hosts only
LOCK = Path("/run/reaffirm-lab.lock")

# The machine's end of the management cable. Not 192.0.2.1/24: on a machine whose own network is
# 192.0.2.0/24 that is the gateway ("default via 192.0.2.1 dev eth0", 2026-11-30), and taking the address
# would cut the machine off. A host route of one address disturbs nobody.
MACHINE_ADDRESS = "198.51.100.1"
MACHINE_INTERFACE = "lab-mgmt"
FABRIC_INTERFACE = "enp1s0f1np1"
OFFICE_INTERFACE = "enP7s7"
OFFICE_NAMESPACE = "reaffirm-office"
MANAGEMENT_INTERFACE = "mgmt0"


@dataclass(frozen=True)
class Host:
    """One host: its name and its addresses (the fabric is a /24, so is each office)."""

    name: str
    role: str
    fabric: str
    office: str
    office_gateway: str
    management: str | None = None

    @property
    def namespace(self) -> str:
        """Name of the network namespace, as `ip netns list` shows it."""
        return f"reaffirm-{self.name}"

    @property
    def folder(self) -> Path:
        """What belongs to this host alone: its /etc, /root, /var and so on."""
        return STATE / "hosts" / self.name

    @property
    def address(self) -> str:
        """Where its sshd is reached: by the machine for the head, through the head for the worker."""
        return self.management or self.fabric


HOSTS = (
    Host("spark-1", "head", "192.168.200.12", "10.77.1.12", "10.77.1.1", management="192.0.2.12"),
    Host("spark-2", "worker", "192.168.200.13", "10.77.2.13", "10.77.2.1"),
)
HEAD, WORKER = HOSTS
