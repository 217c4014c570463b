"""A right solution of lab 2: a page map, and the block with the fewest valid pages is collected."""

from __future__ import annotations

from ftlab.labs import Nand


class Ftl:
    def __init__(self, nand: Nand, logical_pages: int) -> None:
        self.nand = nand
        #: Where each logical page lies.
        self.at: list[tuple[int, int] | None] = [None] * logical_pages
        #: Which logical page lies in each page of the NAND, or None.
        self.lies: list[list[int | None]] = [[None] * nand.pages_per_block for _ in range(nand.blocks)]
        self.valid = [0] * nand.blocks
        self.free = list(range(1, nand.blocks))
        self.full: list[int] = []
        self.open, self.next = 0, 0

    def write(self, lpn: int, data: bytes) -> None:
        if self.next == self.nand.pages_per_block:
            self.full.append(self.open)
            self.open, self.next = self.free.pop(0), 0
            # What a victim holds has room in the block that was just opened, and a page is left for the host.
            while not self.free:
                self.collect()
        self.put(lpn, data)

    def read(self, lpn: int) -> bytes | None:
        at = self.at[lpn]
        page = None if at is None else self.nand.read(*at)
        return None if page is None else page.data

    def put(self, lpn: int, data: bytes) -> None:
        self.nand.program(self.open, self.next, data)
        old = self.at[lpn]
        if old is not None:
            self.valid[old[0]] -= 1
            self.lies[old[0]][old[1]] = None
        self.at[lpn] = (self.open, self.next)
        self.lies[self.open][self.next] = lpn
        self.valid[self.open] += 1
        self.next += 1

    def collect(self) -> None:
        # The first of equals has been full for longest.
        victim = min(self.full, key=lambda block: self.valid[block])
        self.full.remove(victim)
        for page, lpn in enumerate(self.lies[victim]):
            if lpn is not None:
                held = self.nand.read(victim, page)
                assert held is not None
                self.put(lpn, held.data)
        self.nand.erase(victim)
        self.free.append(victim)
