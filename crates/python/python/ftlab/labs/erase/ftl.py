"""Lab 1: data on a NAND that cannot be overwritten."""

from __future__ import annotations

from ftlab.labs import Nand


class Ftl:
    """Keeps logical pages on a NAND."""

    def __init__(self, nand: Nand, logical_pages: int) -> None:
        self.nand = nand
        self.logical_pages = logical_pages
        # Which tables do you need? Where does a logical page lie, and which pages are erased?

    def write(self, lpn: int, data: bytes) -> None:
        """Keeps data as the content of a logical page."""
        raise NotImplementedError

    def read(self, lpn: int) -> bytes | None:
        """What was written to a logical page last; None if nothing was."""
        raise NotImplementedError
