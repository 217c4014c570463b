"""Lab 2: a page map and greedy collection."""

from __future__ import annotations

from ftlab.labs import Nand


class Ftl:
    """Keeps logical pages on a NAND."""

    def __init__(self, nand: Nand, logical_pages: int) -> None:
        self.nand = nand
        self.logical_pages = logical_pages
        # Which tables of lab 1 do you keep? Which one says what a block still holds?

    def write(self, lpn: int, data: bytes) -> None:
        """Keeps data as the content of a logical page."""
        raise NotImplementedError

    def read(self, lpn: int) -> bytes | None:
        """What was written to a logical page last; None if nothing was."""
        raise NotImplementedError
