"""Lab 4: hot and cold data apart."""

from __future__ import annotations

from ftlab.labs import Nand


class Ftl:
    """Keeps logical pages on a NAND, those of each handle in blocks of their own."""

    def __init__(self, nand: Nand, logical_pages: int) -> None:
        self.nand = nand
        self.logical_pages = logical_pages
        # Begin with your program of lab 2. Which of its tables does each stream need for itself?

    def write(self, lpn: int, data: bytes, handle: int | None) -> None:
        """Keeps data as the content of a logical page. The handle is None where the host says nothing."""
        raise NotImplementedError

    def read(self, lpn: int) -> bytes | None:
        """What was written to a logical page last; None if nothing was."""
        raise NotImplementedError
