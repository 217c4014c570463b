"""A NAND array as an FTL sees it: pages that are programmed once and in order, blocks that are erased whole, and no overwriting."""

from __future__ import annotations

import random
from typing import NamedTuple, NoReturn

__all__ = ["IllegalUse", "Nand", "Page", "PowerOff"]


class IllegalUse(Exception):
    """The NAND refused an operation. The message says which, where and why."""


class PowerOff(BaseException):
    """The power went during an operation, and stays off. Whatever a program holds in memory is lost."""


class Page(NamedTuple):
    """What a read gives of a page: as many bytes as were programmed."""

    #: The data.
    data: bytes
    #: What was programmed beside them, out of band.
    oob: bytes


class Nand:
    """Blocks of pages. A page is programmed at most once between two erases of its block, and the pages of a block in order.

    Parameters
    ----------
    blocks : int
        How many blocks there are.
    pages_per_block : int
        Pages of a block.
    page_bytes : int
        The most data that a page holds.
    oob_bytes : int
        The most that a page holds beside the data, out of band.

    Examples
    --------
    >>> from ftlab.labs import IllegalUse, Nand
    >>> nand = Nand(blocks=4, pages_per_block=8)
    >>> nand.program(0, 0, b"one", oob=b"beside")
    >>> nand.read(0, 0)
    Page(data=b'one', oob=b'beside')
    >>> print(nand.read(0, 1))
    None
    >>> nand.program(0, 0, b"two")
    Traceback (most recent call last):
    ftlab.labs._nand.IllegalUse: program of block 0, page 0: it is programmed already; erase the block first, or take another page
    """

    def __init__(self, blocks: int, pages_per_block: int, page_bytes: int = 16, oob_bytes: int = 16) -> None:
        for name, value in [("blocks", blocks), ("pages_per_block", pages_per_block), ("page_bytes", page_bytes)]:
            if not _is_whole(value) or value < 1:
                raise ValueError(f"{name} is {value!r}; give a whole number from 1 on")
        if not _is_whole(oob_bytes) or oob_bytes < 0:
            raise ValueError(f"oob_bytes is {oob_bytes!r}; give a whole number from 0 on")
        self._geometry = (blocks, pages_per_block, page_bytes, oob_bytes)
        self._cells: list[list[Page | None]] = [[None] * pages_per_block for _ in range(blocks)]
        #: The page of each block that is programmed next.
        self._next = [0] * blocks
        self._counts = [0, 0, 0]
        #: Programs and erases until the one that the power cuts; none if it stays on.
        self._left: int | None = None
        self._is_off = False
        self._tears = random.Random(0)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return self._geometry[0]

    @property
    def pages_per_block(self) -> int:
        """Pages of a block."""
        return self._geometry[1]

    @property
    def page_bytes(self) -> int:
        """The most data that a page holds."""
        return self._geometry[2]

    @property
    def oob_bytes(self) -> int:
        """The most that a page holds beside the data."""
        return self._geometry[3]

    @property
    def reads(self) -> int:
        """Pages that were read."""
        return self._counts[0]

    @property
    def programs(self) -> int:
        """Pages that were programmed."""
        return self._counts[1]

    @property
    def erases(self) -> int:
        """Blocks that were erased."""
        return self._counts[2]

    def read(self, block: int, page: int) -> Page | None:
        """What a page holds, or None if it reads as erased."""
        self._check("read", block, page)
        self._counts[0] += 1
        return self._cells[block][page]

    def program(self, block: int, page: int, data: bytes, oob: bytes = b"") -> None:
        """Programs a page, which must be the next of its block."""
        self._check("program", block, page)
        self._check_bytes(block, page, data, oob)
        due = self._next[block]
        if page < due:
            what = "it is programmed already; erase the block first, or take another page"
            self._refuse(f"program of block {block}, page {page}: {what}")
        if page > due:
            what = f"page {due} comes first; the pages of a block are programmed in order"
            self._refuse(f"program of block {block}, page {page}: {what}")
        whole = Page(data, oob)
        is_cut = self._is_cut()
        self._next[block] = page + 1
        self._cells[block][page] = self._torn(whole) if is_cut else whole
        if is_cut:
            raise PowerOff(f"the power went while block {block}, page {page} was programmed")
        self._counts[1] += 1

    def erase(self, block: int) -> None:
        """Erases all pages of a block."""
        self._check("erase", block, 0)
        if self._is_cut():
            # Some pages are as they were, some read as erased, some are neither; all must be erased again.
            self._cells[block] = [page if page and self._draw(3) == 0 else self._worn(page) for page in self._cells[block]]
            self._next[block] = self.pages_per_block
            raise PowerOff(f"the power went while block {block} was erased")
        self._counts[2] += 1
        self._cells[block] = [None] * self.pages_per_block
        self._next[block] = 0

    def cut_power(self, after: int, seed: int = 0) -> None:
        """Has the power go during a program or an erase: after as many whole ones as `after`. The seed draws what is torn."""
        if not _is_whole(after) or after < 0:
            raise ValueError(f"after is {after!r}; give a whole number from 0 on")
        self._left = after
        self._tears = random.Random(seed)

    def restore_power(self) -> None:
        """Switches the power on again, and takes back a cut that is still to come."""
        self._left = None
        self._is_off = False

    def _refuse(self, why: str) -> NoReturn:
        raise IllegalUse(why)

    def _check(self, what: str, block: int, page: int) -> None:
        if self._is_off:
            raise PowerOff("the power is off")
        blocks, pages, _, _ = self._geometry
        for name, value, end in [("block", block, blocks), ("page", page, pages)]:
            if not _is_whole(value):
                self._refuse(f"{what} of block {block!r}, page {page!r}: {name} is no whole number")
            if not 0 <= value < end:
                self._refuse(f"{what} of block {block}, page {page}: {name}s are 0 to {end - 1}")

    def _check_bytes(self, block: int, page: int, data: bytes, oob: bytes) -> None:
        for name, value, most in [("data", data, self.page_bytes), ("oob", oob, self.oob_bytes)]:
            at = f"program of block {block}, page {page}"
            if type(value) is not bytes:
                self._refuse(f"{at}: {name} is {type(value).__name__}; give bytes")
            if len(value) > most:
                self._refuse(f"{at}: {name} has {len(value)} bytes; a page has room for {most}")

    def _is_cut(self) -> bool:
        if self._left is None:
            return False
        self._left -= 1
        self._is_off = self._left < 0
        return self._is_off

    def _draw(self, ends: int) -> int:
        # Only `random` gives the same numbers in every version of Python.
        return int(self._tears.random() * ends)

    def _part(self, whole: bytes) -> bytes:
        """The beginning of what was programmed; the rest is still erased."""
        kept = self._draw(len(whole))
        return whole[:kept] + b"\xff" * (len(whole) - kept)

    def _torn(self, page: Page) -> Page | None:
        how = self._draw(4)
        if how == 0:
            return None
        if how == 1:
            return Page(self._part(page.data), b"\xff" * len(page.oob))
        return Page(self._part(page.data), page.oob) if how == 2 else Page(page.data, self._part(page.oob))

    def _worn(self, page: Page | None) -> Page | None:
        return Page(self._part(page.data), self._part(page.oob)) if page and self._draw(2) else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
