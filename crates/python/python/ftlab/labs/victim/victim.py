"""Lab 3: a victim policy of your own."""

from __future__ import annotations

import ftlab


def victim(view: ftlab.VictimView) -> ftlab.Candidate:
    """The superblock to collect next: one of the candidates."""
    # Begin with greedy: the fewest valid slots, and of equals the oldest.
    raise NotImplementedError
