"""A right solution of lab 4: a log for each stream, and spare area that goes where it saves most."""

from __future__ import annotations

import math

from ftlab.labs import Nand

#: The streams of data that come without a handle: written again soon, and not.
GUESSED = 2


class Ftl:
    def __init__(self, nand: Nand, logical_pages: int) -> None:
        self.nand = nand
        self.logical_pages = logical_pages
        #: Where each logical page lies.
        self.at: list[tuple[int, int] | None] = [None] * logical_pages
        #: Which logical page lies in each page of the NAND, or -1.
        self.lies = [[-1] * nand.pages_per_block for _ in range(nand.blocks)]
        self.valid = [0] * nand.blocks
        self.free = list(range(nand.blocks))
        #: The open block of each stream, and its next page.
        self.open: dict[int, list[int]] = {}
        #: Full blocks by stream.
        self.full: dict[int, list[int]] = {}
        #: Writes and live pages of each stream.
        self.writes: dict[int, float] = {}
        self.live: dict[int, int] = {}
        self.stream_of = [-1] * logical_pages
        self.written_at = [-1] * logical_pages
        self.clock = 0

    def write(self, lpn: int, data: bytes, handle: int | None) -> None:
        stream = self.guess(lpn) if handle is None else handle
        self.clock += 1
        self.written_at[lpn] = self.clock
        for each in self.writes:
            self.writes[each] *= 0.9995
        self.writes[stream] = self.writes.get(stream, 0) + 1
        self.put(lpn, data, stream)
        while len(self.free) < 1 + len(self.open):
            self.collect()

    def read(self, lpn: int) -> bytes | None:
        at = self.at[lpn]
        if at is None:
            return None
        page = self.nand.read(*at)
        return None if page is None else page.data

    def guess(self, lpn: int) -> int:
        """Hot is what is written again within a part of the time that all of it takes."""
        before = self.written_at[lpn]
        return int(before < 0 or self.clock - before > self.logical_pages / 2)

    def put(self, lpn: int, data: bytes, stream: int) -> None:
        if stream not in self.open:
            self.open[stream] = [self.free.pop(0), 0]
            self.full.setdefault(stream, [])
        block, page = self.open[stream]
        self.nand.program(block, page, data)
        old = self.at[lpn]
        if old is not None:
            self.valid[old[0]] -= 1
            self.lies[old[0]][old[1]] = -1
            self.live[self.stream_of[lpn]] -= 1
        self.at[lpn] = (block, page)
        self.lies[block][page] = lpn
        self.valid[block] += 1
        self.stream_of[lpn] = stream
        self.live[stream] = self.live.get(stream, 0) + 1
        self.open[stream][1] += 1
        if page + 1 == self.nand.pages_per_block:
            self.full[stream].append(block)
            del self.open[stream]

    def collect(self) -> None:
        """Takes the emptiest block of the stream that has most more spare area than its share by the square root."""
        size = self.nand.pages_per_block
        roots = {s: math.sqrt(self.writes.get(s, 0) * self.live.get(s, 0)) for s in self.full}
        total = sum(roots.values()) or 1
        spare = {s: len(self.full[s]) * size - sum(self.valid[b] for b in self.full[s]) for s in self.full}
        all_spare = sum(spare.values())

        def excess(s: int) -> float:
            return spare[s] - all_spare * roots[s] / total

        for stream in sorted(self.full, key=excess, reverse=True):
            if self.full[stream]:
                victim = min(self.full[stream], key=lambda b: self.valid[b])
                if self.valid[victim] < size:
                    break
        self.full[stream].remove(victim)
        for page, lpn in enumerate(self.lies[victim]):
            if lpn >= 0:
                held = self.nand.read(victim, page)
                assert held is not None
                self.put(lpn, held.data, stream)
        self.nand.erase(victim)
        self.free.append(victim)
