"""A right solution of lab 3: what a collection gains for what it costs, times how long the data have been still."""

from __future__ import annotations

import ftlab


def victim(view: ftlab.VictimView) -> ftlab.Candidate:
    slots = view.slots_per_superblock

    def worth(candidate: ftlab.Candidate) -> float:
        valid = candidate.valid_slots / slots
        return candidate.age * (1 - valid) / (2 * valid) if valid else float("inf")

    return max(view.candidates, key=worth)
