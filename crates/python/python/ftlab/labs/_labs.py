"""The labs, in the order of a course."""

from __future__ import annotations

from ftlab.labs import collect, erase, recover, streams, victim
from ftlab.labs._lab import Lab

LABS: tuple[Lab, ...] = (erase.LAB, collect.LAB, victim.LAB, streams.LAB, recover.LAB)


def by_name(name: str) -> Lab:
    """The lab of a name or a number; `KeyError` if there is none."""
    for lab in LABS:
        if name in (lab.name, str(lab.number)):
            return lab
    raise KeyError(name)
