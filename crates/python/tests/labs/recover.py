"""A right solution of lab 5: beside the data stand whose they are, a number that grows, and a checksum of all of it."""

from __future__ import annotations

import struct
import zlib

from ftlab.labs import Nand, Page

#: Logical page, number of the write, checksum.
BESIDE = struct.Struct(">IQI")


def checksum(lpn: int, number: int, data: bytes) -> int:
    return zlib.crc32(struct.pack(">IQ", lpn, number) + data)


class Ftl:
    def __init__(self, nand: Nand, logical_pages: int) -> None:
        self.nand = nand
        self.at: list[tuple[int, int] | None] = [None] * logical_pages
        self.lies: list[list[int | None]] = [[None] * nand.pages_per_block for _ in range(nand.blocks)]
        self.number = 0
        #: Blocks with nothing valid. They are erased before they are used: what reads as erased may be torn.
        self.free: list[int] = []
        #: Blocks with something valid, the one that was open at the cut among them.
        self.full: list[int] = []
        self.open, self.next = -1, nand.pages_per_block
        self.find()

    def find(self) -> None:
        """Reads each page once. The newest whole version of each logical page is the one that counts."""
        newest = [0] * len(self.at)
        #: Where the newest version of each logical page lies: in two places if the power went during a collection.
        places: list[list[tuple[int, int]]] = [[] for _ in self.at]
        for block in range(self.nand.blocks):
            for page in range(self.nand.pages_per_block):
                whole = self.whole(self.nand.read(block, page))
                if whole is None:
                    continue
                lpn, number = whole
                self.number = max(self.number, number)
                if number > newest[lpn]:
                    newest[lpn], places[lpn] = number, []
                if number == newest[lpn]:
                    places[lpn].append((block, page))
        for block in range(self.nand.blocks):
            held = [(lpn, at) for lpn, found in enumerate(places) for at in found if at[0] == block]
            # Copies of a collection that came to no end make no block worth keeping: without that, each cut would cost one.
            if all(len(places[lpn]) > 1 for lpn, _ in held):
                self.free.append(block)
                for lpn, at in held:
                    places[lpn].remove(at)
            else:
                self.full.append(block)
        for lpn, found in enumerate(places):
            if found:
                self.place(lpn, *found[0])

    def whole(self, page: Page | None) -> tuple[int, int] | None:
        """Whose a page is, and its number, if it was programmed whole."""
        if page is None or len(page.oob) != BESIDE.size:
            return None
        lpn, number, kept = BESIDE.unpack(page.oob)
        is_whole = lpn < len(self.at) and kept == checksum(lpn, number, page.data)
        return (lpn, number) if is_whole else None

    def place(self, lpn: int, block: int, page: int) -> None:
        old = self.at[lpn]
        if old is not None:
            self.lies[old[0]][old[1]] = None
        self.at[lpn] = (block, page)
        self.lies[block][page] = lpn

    def write(self, lpn: int, data: bytes) -> None:
        if self.next == self.nand.pages_per_block:
            if self.open >= 0:
                self.full.append(self.open)
            self.open, self.next = self.free.pop(0), 0
            self.nand.erase(self.open)
            while not self.free:
                self.collect()
        self.number += 1
        self.put(lpn, data, self.number)

    def read(self, lpn: int) -> bytes | None:
        at = self.at[lpn]
        page = None if at is None else self.nand.read(*at)
        return None if page is None else page.data

    def put(self, lpn: int, data: bytes, number: int) -> None:
        beside = BESIDE.pack(lpn, number, checksum(lpn, number, data))
        self.nand.program(self.open, self.next, data, beside)
        self.place(lpn, self.open, self.next)
        self.next += 1

    def collect(self) -> None:
        """The originals stay until all copies are programmed."""
        victim = min(self.full, key=lambda block: sum(lpn is not None for lpn in self.lies[block]))
        self.full.remove(victim)
        for page, lpn in enumerate(self.lies[victim]):
            if lpn is not None:
                held = self.nand.read(victim, page)
                assert held is not None
                _, number, _ = BESIDE.unpack(held.oob)
                self.put(lpn, held.data, number)
        self.free.append(victim)
